import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonValue } from "../delivery/event.ts";
import { canonicalJson, canonicalText } from "./canonical-json.ts";

interface Vectors {
  readonly texts: readonly {
    readonly source: string;
    readonly input: string;
    readonly canonical: string;
    readonly loses?: string;
  }[];
  readonly numbers: { readonly table: readonly (readonly [bits: string, text: string])[] };
}

// The file is ours and has this shape.
const { texts, numbers } = JSON.parse(readFileSync("test/vectors/rfc8785.json", "utf8")) as Vectors;

const canonical = (text: string): string | null => canonicalJson(Buffer.from(text));

describe("RFC 8785", () => {
  test.each(texts)("is followed: $source", ({ input, canonical: expected, loses }) => {
    expect(canonicalText(JSON.parse(input) as JsonValue)).toBe(expected);
    expect(canonical(input)).toBe(loses === undefined ? expected : null);
  });

  test.each(numbers.table)("is followed for the number with the bits %s", (bits, text) => {
    expect(canonicalText(Buffer.from(bits, "hex").readDoubleBE())).toBe(text);
    expect(canonical(text)).toBe(text);
  });
});

describe("canonicalJson", () => {
  test.each([
    ["more digits than a double has", '{"a":12345678901234567890}'],
    ["a number beyond doubles", "[1e400]"],
    ["minus zero", '{"a":[-0]}'],
    ["a member twice", '{"a":1,"a":1}'],
    ["a member twice, spelled differently", '{"a":1,"\\u0061":2}'],
    ["a lone surrogate in a text", '["\\ud800"]'],
    ["a lone surrogate in a name", '{"\\udfff":1}'],
    ["no JSON", "{a:1}"],
    ["nothing", ""],
    ["two values", "1 2"],
    ["a byte order mark", "\ufeff{}"],
    ["nesting without end", "[".repeat(100_000) + "]".repeat(100_000)],
  ])("has no form for %s", (_what, text) => {
    expect(canonical(text)).toBeNull();
  });

  test("has no form for bytes that are not UTF-8", () => {
    expect(canonicalJson(Buffer.from([0x22, 0xff, 0x22]))).toBeNull();
    expect(canonicalJson(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]))).toBeNull();
  });

  test("takes a number inside a text for text", () => {
    expect(canonical('{"-0":"1e400 \\" -0", "b":"\\\\ud800"}')).toBe('{"-0":"1e400 \\" -0","b":"\\\\ud800"}');
    expect(canonical('["\\ud83d\\ude00"]')).toBe('["😀"]');
  });

  test("has a form for names that every object has", () => {
    expect(canonical('{"toJSON":1,"__proto__":{"a":1},"constructor":2}')).toBe(
      '{"__proto__":{"a":1},"constructor":2,"toJSON":1}',
    );
  });

  test("is the same for every way to write one value, and reads back as that value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), fc.integer({ min: 0, max: 3 }), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const form = canonical(text);
        fc.pre(form !== null);
        expect(JSON.parse(form)).toEqual(JSON.parse(text));
        expect(canonical(JSON.stringify(reversed(JSON.parse(text) as JsonValue)))).toBe(form);
        expect(canonical(form)).toBe(form);
      }),
    );
  });

  test("differs for two values that differ", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (left, right) => {
        const [first, second] = [JSON.stringify(left), JSON.stringify(right)];
        const same = canonical(first) === canonical(second) && canonical(first) !== null;
        if (same) expect(JSON.parse(first)).toEqual(JSON.parse(second));
      }),
    );
  });

  test("copes with a body full of escapes", () => {
    const text = JSON.stringify("\n".repeat(500_000));
    expect(canonical(text)).toBe(text);
  });

  function reversed(value: JsonValue): JsonValue {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map(reversed);
    return Object.fromEntries(
      Object.entries(value)
        .map(([name, member]) => [name, reversed(member)] as const)
        .toReversed(),
    );
  }
});

describe("canonicalText", () => {
  test("refuses what has no canonical form instead of giving another", () => {
    expect(() => canonicalText(Number.NaN)).toThrow();
    expect(() => canonicalText("\ud800")).toThrow();
    expect(() => canonicalText(undefined as never)).toThrow(TypeError);
  });
});
