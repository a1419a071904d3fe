import { expect, test } from "vitest";
import { aDelivery, aReport } from "../../test/support/an-event.ts";
import { requireDelivery } from "./require-delivery.ts";

const event = aReport({ deliveries: [aDelivery(), aDelivery({ endpoint: "ledger" })] });

test("takes a delivery of the event, none at all, and any while none is known", () => {
  expect(() => requireDelivery(event, "ledger")).not.toThrow();
  expect(() => requireDelivery(event, undefined)).not.toThrow();
  expect(() => requireDelivery(aReport({ deliveries: [] }), "nope")).not.toThrow();
});

test("refuses another one, naming those there are", () => {
  const message = '--delivery "no?pe" is no delivery of shop/evt_1, nothing was said; it goes to: crm, ledger.';
  expect(() => requireDelivery(event, "no\u001bpe")).toThrow(
    expect.objectContaining({ code: "bad_argument", message }),
  );
});
