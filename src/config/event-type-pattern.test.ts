import fc from "fast-check";
import { expect, test } from "vitest";
import { matchesTypePattern } from "./event-type-pattern.ts";

test.each([
  ["order.created", "order.created"],
  ["order.*", "order.created"],
  ["order.*", "order."],
  ["order.*", "order.line.added"],
  ["*", ""],
  ["*", "anything at all"],
  ["**", "x"],
  ["*.created", "order.created"],
  ["order.*.added", "order.line.item.added"],
  ["a*b*c", "a-b-b-c"],
  ["*ab", "aab"],
  ["", ""],
])("%j fits %j", (pattern, type) => {
  expect(matchesTypePattern(pattern, type)).toBe(true);
});

test.each([
  ["order.created", "order.Created"],
  ["order.*", "order"],
  ["order.*", "reorder.created"],
  ["order.created", "order.created.twice"],
  ["order.created.twice", "order.created"],
  ["a*b", "a-b-c"],
  ["order.", "orderx"],
  ["", "x"],
])("%j does not fit %j", (pattern, type) => {
  expect(matchesTypePattern(pattern, type)).toBe(false);
});

test("agrees with the regular expression it stands for", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "."), maxLength: 8 });
  const pattern = fc.string({ unit: fc.constantFrom("a", "b", ".", "*"), maxLength: 8 });
  fc.assert(
    fc.property(pattern, text, (wanted, type) => {
      const expression = new RegExp(`^${wanted.replaceAll(".", "\\.").replaceAll("*", ".*")}$`, "s");
      expect(matchesTypePattern(wanted, type)).toBe(expression.test(type));
    }),
    { numRuns: 1000 },
  );
});

test("ends soon where a regular expression would not", () => {
  expect(matchesTypePattern(`${"a*".repeat(100)}b`, "a".repeat(2000))).toBe(false);
});
