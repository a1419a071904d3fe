import { describe, expect, test } from "vitest";
import { aDelivery, aReport } from "../../../test/support/an-event.ts";
import { aWaitingDelivery } from "../../../test/support/a-proposal.ts";
import { amendableDelivery, meantDelivery } from "./resolution.ts";

const ATTENTION = { reason: "refused", since: "2026-11-29T10:00:01.000Z", advice: "…" } as const;
const PARKED = aDelivery({ state: "needs-attention", attention: ATTENTION });
const DONE = aDelivery({ endpoint: "ledger" });

describe("meantDelivery", () => {
  test("is the only one that waits for a person", () => {
    expect(meantDelivery(aReport({ deliveries: [DONE, PARKED] }), undefined)?.endpoint).toBe("crm");
  });

  test("is nobody's guess when there are two, or none", () => {
    const other = aDelivery({ endpoint: "mail", state: "needs-attention", attention: ATTENTION });
    expect(meantDelivery(aReport({ deliveries: [PARKED, other] }), undefined)).toBeNull();
    expect(meantDelivery(aReport({ deliveries: [DONE] }), undefined)).toBeNull();
  });

  test("is the one that was named, if the event has it", () => {
    expect(meantDelivery(aReport({ deliveries: [DONE, PARKED] }), "ledger")?.endpoint).toBe("ledger");
    expect(meantDelivery(aReport(), "nope")).toBeNull();
  });
});

describe("amendableDelivery", () => {
  test("is also one that waits for approval", () => {
    const deliveries = [DONE, aWaitingDelivery()];
    expect(amendableDelivery(aReport({ deliveries }), undefined)?.endpoint).toBe("payments");
    expect(meantDelivery(aReport({ deliveries }), undefined)).toBeNull();
    expect(amendableDelivery(aReport({ deliveries: [PARKED, aWaitingDelivery()] }), undefined)).toBeNull();
    expect(amendableDelivery(aReport({ deliveries }), "ledger")?.endpoint).toBe("ledger");
  });
});
