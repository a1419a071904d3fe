import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { listedEndpoints } from "./listed-endpoints.ts";

const bytesOf = (names: readonly string[]): number => Buffer.byteLength(JSON.stringify(names));

describe("listedEndpoints", () => {
  test("keeps what fits", () => {
    expect(listedEndpoints([])).toEqual([]);
    expect(listedEndpoints(["crm", "ledger"])).toEqual(["crm", "ledger"]);
  });

  test("fills the room to the last byte", () => {
    const full = ["a".repeat(940), "b".repeat(953)]; // 1,893 characters, 2 × 2 quotes, 1 comma, 2 brackets
    expect(bytesOf(full)).toBe(1900);
    expect(listedEndpoints(full)).toEqual(full);
    expect(listedEndpoints([...full.slice(0, 1), "b".repeat(954)])).toEqual(full.slice(0, 1));
  });

  test("is the longest beginning whose JSON has at most 1,900 bytes", () => {
    const name = fc.oneof(fc.string({ minLength: 1, maxLength: 63 }), fc.constant("é".repeat(60)));
    fc.assert(
      fc.property(fc.array(name, { maxLength: 100, size: "max" }), (names) => {
        const listed = listedEndpoints(names);
        expect(listed).toEqual(names.slice(0, listed.length));
        expect(bytesOf(listed)).toBeLessThanOrEqual(1900);
        if (listed.length < names.length) expect(bytesOf(names.slice(0, listed.length + 1))).toBeGreaterThan(1900);
      }),
    );
  });
});
