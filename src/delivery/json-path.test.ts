import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonValue } from "./event.ts";
import { holdsAt, JSON_PATH } from "./json-path.ts";

const BODY = {
  status: "succeeded",
  amount: 5,
  none: null,
  data: [{ state: "done", tags: ["a", "b"] }],
  "odd-name_1": { x: { y: true } },
} as const;

describe("holdsAt", () => {
  test.each<[string, JsonValue]>([
    ["$.status", "succeeded"],
    ["$.amount", 5],
    ["$.none", null],
    ["$.data[0].state", "done"],
    ["$.data[0].tags[1]", "b"],
    ["$.data[0].tags", ["a", "b"]],
    ["$.odd-name_1.x.y", true],
    ["$.odd-name_1", { x: { y: true } }],
    ["$.data[0]", { tags: ["a", "b"], state: "done" }],
  ])("finds at %s what it expects", (path, expected) => {
    expect(holdsAt(BODY, path, expected)).toBe(true);
  });

  test.each<[string, JsonValue]>([
    ["$.status", "Succeeded"],
    ["$.amount", "5"],
    ["$.amount", 5.5],
    ["$.missing", null],
    ["$.missing.deeper", null],
    ["$.status.length", 9],
    ["$.data.length", 1],
    ["$.data[1]", null],
    ["$.data.0", { state: "done" }],
    ["$.status[0]", "s"],
    ["$.constructor", "x"],
    ["$.data[0].tags", ["a"]],
    ["$.data[0].tags", { "0": "a", "1": "b" }],
    ["$.data[0]", { state: "done", other: ["a", "b"] }],
    ["$.none", {}],
  ])("does not find at %s the value %j", (path, expected) => {
    expect(holdsAt(BODY, path, expected)).toBe(false);
  });

  test("finds nothing where there is no JSON", () => {
    expect(holdsAt(undefined, "$.status", null)).toBe(false);
    expect(holdsAt("text", "$.status", "text")).toBe(false);
  });

  test("finds every value that it was given, after JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const expected = JSON.parse(JSON.stringify(value)) as JsonValue; // fast-check's type is wider
        const body = JSON.parse(JSON.stringify({ a: [expected] })) as JsonValue;
        expect(holdsAt(body, "$.a[0]", expected)).toBe(true);
      }),
    );
  });
});

describe("a path", () => {
  test.each(["$.a", "$[0]", "$.a.b[12].c-d_e", `$${".a".repeat(20)}`])("may be %s", (path) => {
    expect(JSON_PATH.test(path)).toBe(true);
  });

  test.each(["", "$", "a", "$.", "$..a", "$.a b", "$.a[x]", "$.*", "$.a[-1]", "$['a']", `$${".a".repeat(21)}`])(
    "may not be %j",
    (path) => {
      expect(JSON_PATH.test(path)).toBe(false);
    },
  );
});
