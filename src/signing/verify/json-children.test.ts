import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { childrenOf } from "./json-children.ts";

describe("childrenOf", () => {
  test("gives each value exactly as it is written", () => {
    const text = ' { "a" : 1.0 , "b\\"}" :\t[1, {"c":"]"}] ,"\\u0063":"\\\\","d":{}\n} ';
    expect(childrenOf(text)).toEqual([
      { name: "a", text: "1.0" },
      { name: 'b"}', text: '[1, {"c":"]"}]' },
      { name: "c", text: '"\\\\"' },
      { name: "d", text: "{}" },
    ]);
    expect(childrenOf("[1e400, null ,true]")).toEqual([
      { name: "0", text: "1e400" },
      { name: "1", text: "null" },
      { name: "2", text: "true" },
    ]);
  });

  test.each(["{}", "[]", " [ ] ", '"[1]"', "1", "null"])("finds none in %s", (text) => {
    expect(childrenOf(text)).toEqual([]);
  });

  test("gives a repeated member twice", () => {
    expect(childrenOf('{"a":1,"\\u0061":2}').map(({ text }) => text)).toEqual(["1", "2"]);
  });

  test("sees what JSON.parse sees, whatever the white space", () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(0, 2, "\t"), (json, indent) => {
        const value: unknown = JSON.parse(json);
        const found = childrenOf(JSON.stringify(value, null, indent));
        const expected = typeof value === "object" && value !== null ? Object.entries(value) : [];
        const parsed = found.map(({ name, text }) => [name, JSON.parse(text)] as const);
        expect(new Map(parsed)).toEqual(new Map(expected));
      }),
    );
  });

  test("takes a text of a million characters and nesting of any depth", () => {
    const long = JSON.stringify({ a: "\\".repeat(500_000), b: 1 });
    expect(childrenOf(long)[1]).toEqual({ name: "b", text: "1" });
    const deep = `[${"[".repeat(100_000)}${"]".repeat(100_000)},2]`;
    expect(childrenOf(deep)[1]).toEqual({ name: "1", text: "2" });
  });
});
