import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseForm } from "./form.ts";

const parse = (text: string) => parseForm(Buffer.from(text));

describe("parseForm", () => {
  test("reads names and values in their order", () => {
    expect(parse("b=2&a=%2B1+x&b=&c=%C3%A9%3D=")).toEqual([
      { name: "b", value: "2" },
      { name: "a", value: "+1 x" },
      { name: "b", value: "" },
      { name: "c", value: "é==" },
    ]);
    expect(parse("")).toEqual([]);
  });

  test.each(["a", "=1", "a=1&", "&a=1", "a=%zz", "a=%C3", "a=%ff", "a=é", "a=\n", "a=1&&b=2", "%="])(
    "refuses %j",
    (text) => {
      expect(parse(text)).toBeNull();
    },
  );

  test("reads what the URL standard writes", () => {
    const name = fc.string({ unit: "grapheme", minLength: 1 });
    fc.assert(
      fc.property(fc.array(fc.tuple(name, fc.string({ unit: "grapheme" }))), (pairs) => {
        const found = parse(String(new URLSearchParams(pairs)));
        expect(found).toEqual(pairs.map(([key, value]) => ({ name: key, value })));
      }),
    );
  });
});
