import fc from "fast-check";
import { expect, test } from "vitest";
import type { WhenOperators } from "./config.ts";
import { evaluateWhen } from "./evaluate-when.ts";

const EVENT = {
  type: "order.created",
  data: { amount: 42, currency: "EUR", note: null, paid: false, items: [{ sku: "a" }], tags: { a: 1, b: [2] } },
};

const holds: readonly (readonly [path: string, operators: WhenOperators])[] = [
  ["data.amount", { eq: 42 }],
  ["data.amount", { gt: 41, lt: 43, gte: 42, lte: 42, ne: 41, in: [1, 42], exists: true }],
  ["data.currency", { eq: "EUR" }],
  ["data.currency", { gt: "DKK", lt: "USD" }],
  ["data.note", { eq: null }],
  ["data.note", { exists: true }],
  ["data.paid", { eq: false }],
  ["data.items.0.sku", { eq: "a" }],
  ["data.tags", { eq: { b: [2], a: 1 } }],
  ["data.tags", { in: [{}, { a: 1, b: [2] }] }],
  ["type", { eq: "order.created" }],
  ["data.missing", { exists: false }],
  ["data.missing", { ne: 5 }],
  ["data.missing.deeper", { exists: false }],
  ["data.currency.length", { exists: false }],
  ["data.items.length", { exists: false }],
  ["data.constructor", { exists: false }],
];
test.each(holds.map(([path, operators]) => ({ path, operators })))("holds: $path $operators", ({ path, operators }) => {
  expect(evaluateWhen({ [path]: operators }, EVENT)).toBe(true);
});

const fails: readonly (readonly [path: string, operators: WhenOperators])[] = [
  ["data.amount", { eq: "42" }],
  ["data.amount", { gt: 42 }],
  ["data.amount", { gte: 43 }],
  ["data.amount", { lt: 42 }],
  ["data.amount", { lte: 41 }],
  ["data.amount", { ne: 42 }],
  ["data.amount", { gt: 41, lt: 42 }],
  ["data.amount", { gt: "1" }],
  ["data.amount", { in: [41, "42"] }],
  ["data.amount", { exists: false }],
  ["data.currency", { gt: 0 }],
  ["data.note", { eq: false }],
  ["data.note", { gte: 0 }],
  ["data.paid", { eq: 0 }],
  ["data.items", { eq: { 0: { sku: "a" } } }],
  ["data.tags", { eq: { a: 1 } }],
  ["data.tags", { eq: { a: 1, c: [2] } }],
  ["data.missing", { eq: null }],
  ["data.missing", { in: [null] }],
  ["data.missing", { exists: true }],
  ["data.missing", { lt: 5 }],
];
test.each(fails.map(([path, operators]) => ({ path, operators })))(
  "does not hold: $path $operators",
  ({ path, operators }) => {
    expect(evaluateWhen({ [path]: operators }, EVENT)).toBe(false);
  },
);

test("needs every path to hold, and holds without any", () => {
  expect(evaluateWhen({ "data.amount": { eq: 42 }, type: { eq: "x" } }, EVENT)).toBe(false);
  expect(evaluateWhen({}, EVENT)).toBe(true);
});

test("finds every JSON value equal to its own copy, and its ne false", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (data) => {
      const event = { data: structuredClone(data) };
      const value = JSON.parse(JSON.stringify(data));
      expect(evaluateWhen({ data: { eq: value } }, { data: value })).toBe(true);
      expect(evaluateWhen({ data: { ne: value } }, { data: value })).toBe(false);
      expect(evaluateWhen({ data: { exists: true } }, event)).toBe(true);
    }),
  );
});

test("answers greater or lower-or-equal for any two numbers, never both", () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true }), fc.double({ noNaN: true, noDefaultInfinity: true }), (amount, bound) => {
      const over = evaluateWhen({ data: { gt: bound } }, { data: amount });
      const under = evaluateWhen({ data: { lte: bound } }, { data: amount });
      expect(over).toBe(!under);
    }),
  );
});
