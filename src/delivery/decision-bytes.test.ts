import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decisionBytes, type SignedDecision } from "./decision-bytes.ts";

const decision: SignedDecision = {
  key: "shop/evt_1",
  endpoint: "crm",
  revision: 2,
  digest: "sha256:ab",
  action: "approve",
};

describe("decisionBytes", () => {
  test("are six fields, each preceded by its length in four bytes, as the documents say", () => {
    const fields = ["decision.v1", "shop/evt_1", "crm", "2", "sha256:ab", "approve"];
    const expected = fields.flatMap((field) => [0, 0, 0, field.length, ...new TextEncoder().encode(field)]);
    expect([...decisionBytes(decision)]).toEqual(expected);
  });

  test("differ as soon as one member differs, however the others are cut", () => {
    const text = fc.string({ maxLength: 6 });
    const some = fc.record({
      key: text,
      endpoint: text,
      revision: fc.integer({ min: 1, max: 12 }),
      digest: text,
      action: fc.constantFrom("approve", "reject", "withdraw"),
    });
    fc.assert(
      fc.property(some, some, (left, right) => {
        const isSame = JSON.stringify(left) === JSON.stringify(right);
        expect(decisionBytes(left).join() === decisionBytes(right).join()).toBe(isSame);
      }),
    );
  });
});
