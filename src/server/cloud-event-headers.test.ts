import { describe, expect, test } from "vitest";
import fc from "fast-check";
import { isCountersignError } from "../errors.ts";
import { decodeValue, isBinaryMode, readAttributes } from "./cloud-event-headers.ts";

describe("a header value", () => {
  // CloudEvents 1.0.2, HTTP protocol binding §3.1.3.2, and the examples there.
  test.each([
    ["plain", "plain"],
    ["Euro%20%E2%82%AC%20%F0%9F%98%80", "Euro € 😀"],
    ["a%2520b", "a%20b"],
    ['"quoted text"', "quoted text"],
    [String.raw`"a \"b\" \\ c"`, String.raw`a "b" \ c`],
    ["a+b", "a+b"],
  ])("%s is %s", (header, value) => {
    expect(decodeValue(header)).toBe(value);
  });

  test.each(["é", "%", "%zz", "%FF", "%C3", "a\u0000b", "%ED%A0%80"])("%j is none", (header) => {
    expect(decodeValue(header)).toBeNull();
  });

  test("gives back what the specification encodes", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(decodeValue(encodeURIComponent(text))).toBe(text);
      }),
    );
  });
});

describe("the attributes", () => {
  const headers = { "ce-specversion": "1.0", "ce-source": "shop", "ce-type": "t" };

  test("are those we know; extensions are passed over", () => {
    const more = { "ce-id": "1", "ce-synthetic": "true", "ce-requestedby": "ana", "ce-other": "%zz" };
    expect(readAttributes({ ...headers, ...more })).toMatchObject({
      id: "1",
      source: "shop",
      synthetic: true,
      requestedBy: "ana",
    });
    expect(readAttributes(headers)).toMatchObject({ id: undefined, synthetic: false });
  });

  test.each([
    [{ "ce-specversion": undefined }, "ce-specversion must be 1.0"],
    [{ "ce-source": undefined }, "ce-source is missing"],
    [{ "ce-type": ["a", "b"] }, "ce-type must be there once"],
  ])("with %j are refused", (change, words) => {
    expect(() => readAttributes({ ...headers, ...change })).toThrow(words);
  });

  test("never throw anything but an error of ours", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...Object.keys(headers), "ce-id", "ce-time"), fc.string()), (any) => {
        try {
          readAttributes(any);
        } catch (error) {
          expect(isCountersignError(error)).toBe(true);
        }
      }),
    );
  });

  test("are looked for only where one of them is", () => {
    expect([isBinaryMode({ "ce-id": "" }), isBinaryMode({ "ce-other": "x" }), isBinaryMode({})]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
