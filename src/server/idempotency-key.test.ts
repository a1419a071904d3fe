import { describe, expect, test } from "vitest";
import fc from "fast-check";
import { readIdempotencyKey } from "./idempotency-key.ts";

const read = (value: string | readonly string[]) => readIdempotencyKey({ "idempotency-key": value });

describe("Idempotency-Key", () => {
  test("may be absent", () => {
    expect(readIdempotencyKey({})).toEqual({ read: "key", value: null });
  });

  test.each([
    ["evt_1", "evt_1"],
    ['"evt_1"', "evt_1"],
    ['"a, b; c"', "a, b; c"],
    [String.raw`"say \"hi\" \\"`, String.raw`say "hi" \ `.trimEnd()],
    ["a b", "a b"],
    ["a:b/c%20=+", "a:b/c%20=+"],
  ])("%s is %s", (header, value) => {
    expect(read(header)).toEqual({ read: "key", value });
  });

  test.each([
    "",
    " ",
    "a,b",
    "a;b=1",
    '"a";b=1',
    '"a',
    'a"',
    '""',
    '"a", "b"',
    String.raw`"\a"`,
    "é",
    "a\tb",
    "x".repeat(5000),
  ])("%j is malformed", (header) => {
    expect(read(header).read).toBe("malformed");
  });

  test("twice is malformed", () => {
    expect(read(["a", "b"]).read).toBe("malformed");
  });

  test("in quotes gives back any printable text", () => {
    const printable = fc.stringMatching(/^[\x20-\x7e]{1,50}$/);
    fc.assert(
      fc.property(printable, (text) => {
        expect(read(JSON.stringify(text))).toEqual({ read: "key", value: text });
      }),
    );
  });
});
