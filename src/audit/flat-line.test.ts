import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { flatLine, hashOf, isFlatLine, lineText } from "./flat-line.ts";

describe("hashOf", () => {
  test("is SHA-256 over the domain and the sorted members without the hash, as anybody can compute it", () => {
    const text = 'audit.v1|{"actor":null,"note":"€ \\u0007 \\"ok\\"","seq":1,"signed":false}';
    const expected = `sha256:${createHash("sha256").update(text, "utf8").digest("hex")}`;
    const line = { seq: 1, note: '€ \u0007 "ok"', signed: false, actor: null };
    expect(hashOf(line)).toBe(expected);
    expect(hashOf({ ...line, hash: "sha256:whatever" })).toBe(expected);
  });

  test("tells apart what differs in a value, a name or a kind of value", () => {
    const hashes = [{ a: 1 }, { a: 2 }, { b: 1 }, { a: "1" }, { a: null }, { a: true }, {}].map((line) => hashOf(line));
    expect(new Set(hashes).size).toBe(hashes.length);
  });
});

describe("flatLine", () => {
  test("leaves out what is absent and keeps null", () => {
    expect(flatLine({ a: undefined, b: null, c: false, d: "", e: 0 })).toEqual({ b: null, c: false, d: "", e: 0 });
  });

  test.each([0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])(
    "writes %d as a text, not to be spelled twice",
    (status) => {
      expect(flatLine({ status })).toEqual({ status: String(status) });
    },
  );

  test("makes of any texts a line that reads back as it is", () => {
    const anyUnits = fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)) });
    fc.assert(
      fc.property(
        anyUnits,
        fc.maxSafeInteger(),
        fc.double().map((ratio) => ratio + 0),
        (note, status, ratio) => {
          const line = flatLine({ note, status, ratio });
          expect(isFlatLine(line)).toBe(true);
          expect(JSON.parse(lineText(line))).toEqual(line);
        },
      ),
    );
  });

  test("replaces half a character and nothing else", () => {
    expect(flatLine({ note: "a\uD83D" })).toEqual({ note: "a\uFFFD" });
    expect(flatLine({ note: "a😀\u202e\n" })).toEqual({ note: "a😀\u202e\n" });
  });
});

describe("isFlatLine", () => {
  test.each([
    null,
    [],
    ["a"],
    "a",
    1,
    { a: {} },
    { a: [] },
    { a: 0.5 },
    { a: Number.POSITIVE_INFINITY },
    { a: "\uD83D" },
    { "\uDE00": 1 },
  ])("is not %j", (value) => {
    expect(isFlatLine(value)).toBe(false);
  });
});
