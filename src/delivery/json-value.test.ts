import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonProblem } from "./json-value.ts";

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 1; level < levels; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

class Money {
  readonly amount = 1;
}

describe("jsonProblem", () => {
  test("has nothing against anything JSON.parse gives", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(jsonProblem(JSON.parse(JSON.stringify(value)))).toBeNull();
      }),
    );
  });

  test("has nothing against objects of another realm, objects without prototype, and absent members", () => {
    expect(jsonProblem(runInNewContext('({ a: [1, { b: null }], c: "x" })'))).toBeNull();
    expect(jsonProblem(Object.assign(Object.create(null), { a: true }))).toBeNull();
    expect(jsonProblem({ a: undefined, b: 1 })).toBeNull();
  });

  test.each<[unknown, string]>([
    [undefined, "is undefined"],
    [Number.NaN, "is NaN"],
    [10n, "is a bigint"],
    [Symbol("x"), "is a symbol"],
    [() => 1, "is a function"],
    [new Date(0), "is an object of class Date"],
    [{ items: [{ at: new Date(0) }] }, "holds an object of class Date at items.0.at"],
    [{ total: -Infinity }, "holds -Infinity at total"],
    [[1, undefined], "holds undefined at 1"],
    [Array.from({ length: 2 }), "holds undefined at 1"],
    [{ price: new Money() }, "holds an object of class Money at price"],
    [new Map(), "is an object of class Map"],
    [new Uint8Array(1), "is an object of class Uint8Array"],
    [{ toJSON: () => 1 }, "holds a function at toJSON"],
    [Object.create(Object.create(Object.create(null) as object) as object), "is an object of class unknown"],
  ])("says what of %o has no place in JSON", (value, problem) => {
    expect(jsonProblem(value)).toBe(problem);
  });

  test("stops at 1,000 levels, well before JSON.stringify overflows", () => {
    expect(jsonProblem(nested(1000))).toBeNull();
    expect(jsonProblem(nested(1001))).toBe("is nested deeper than 1000 levels");
    expect(JSON.stringify(nested(1000))).toBeTypeOf("string");
  });

  test("ends on values that hold themselves or share their parts", () => {
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    expect(jsonProblem(cycle)).toBe("is nested deeper than 1000 levels");
    let shared: unknown = 1;
    for (let level = 0; level < 40; level += 1) shared = [shared, shared];
    expect(jsonProblem(shared)).toBe("is made of more than 1048576 values");
  });
});
