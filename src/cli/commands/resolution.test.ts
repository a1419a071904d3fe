import { describe, expect, test } from "vitest";
import { aDelivery, aReport } from "../../../test/support/an-event.ts";
import type { ResolutionRefusal } from "../../delivery/event-state.ts";
import { refusalSentence } from "../refusal-sentence.ts";
import { meantDelivery } from "./resolution.ts";

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

test("refusalSentence has words of its own for every refusal", () => {
  const all: readonly (ResolutionRefusal | null)[] = [
    "malformed",
    "unknown-delivery",
    "several-deliveries",
    "not-parked",
    "attempt-in-flight",
    "already-ended",
    "not-supported",
    null,
  ];
  expect(new Set(all.map(refusalSentence)).size).toBe(all.length);
});
