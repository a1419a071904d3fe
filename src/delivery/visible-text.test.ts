import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isWellFormed, visibleTextProblem } from "./visible-text.ts";

const tenBytes = { max: 10, unit: "bytes" } as const;
const tenCharacters = { max: 10, unit: "characters" } as const;

describe("visibleTextProblem", () => {
  test.each(["a", "a b", "a\u00a0b", "é", "苗", "😀", "می\u200cخواهم", "👩\u200d🚀", "../x", "#?&", "%", "0123456789"])(
    "has nothing against %j",
    (text) => {
      expect(visibleTextProblem(text, { max: 20, unit: "bytes" })).toBeNull();
    },
  );

  test.each([
    ["", "is empty"],
    ["a\tb", "holds the control character U+0009 at position 2"],
    ["a\nb", "holds the control character U+000A at position 2"],
    ["\u0000", "holds the control character U+0000 at position 1"],
    ["\u007f", "holds the control character U+007F at position 1"],
    ["a\u0085", "holds the control character U+0085 at position 2"],
    ["a\u2028b", "holds the line separator U+2028 at position 2"],
    ["a\u2029b", "holds the line separator U+2029 at position 2"],
    ["\ud83d", "holds the lone surrogate U+D83D at position 1"],
    ["\ude00a", "holds the lone surrogate U+DE00 at position 1"],
    ["a\u202eb", "holds the text direction mark U+202E at position 2"],
    ["a\u200bb", "holds the invisible character U+200B at position 2"],
    ["\ufeffa", "holds the invisible character U+FEFF at position 1"],
    ["😀\u{e0041}", "holds the invisible character U+E0041 at position 2"],
    [" a", "starts or ends with white space or a joiner"],
    ["a\u3000", "starts or ends with white space or a joiner"],
    ["\u200d", "starts or ends with white space or a joiner"],
    ["a\u200c", "starts or ends with white space or a joiner"],
  ])("says of %j that it %s", (text, problem) => {
    expect(visibleTextProblem(text, tenCharacters)).toBe(problem);
  });

  test("counts bytes of UTF-8, or code points", () => {
    expect(visibleTextProblem("苗苗苗", tenBytes)).toBeNull();
    expect(visibleTextProblem("苗苗苗苗", tenBytes)).toBe("is longer than 10 bytes");
    expect(visibleTextProblem("😀".repeat(10), tenCharacters)).toBeNull();
    expect(visibleTextProblem("😀".repeat(11), tenCharacters)).toBe("is longer than 10 characters");
    expect(visibleTextProblem("a".repeat(11), tenCharacters)).toBe("is longer than 10 characters");
    expect(visibleTextProblem("a".repeat(1_000_000), tenBytes)).toBe("is longer than 10 bytes");
  });

  test("lets nothing pass that UTF-8 would change or a header or log line could not hold", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        if (visibleTextProblem(text, { max: 1000, unit: "bytes" }) !== null) return;
        expect(new TextDecoder().decode(new TextEncoder().encode(text))).toBe(text);
        expect(text).not.toMatch(/\p{Cc}|\p{Zl}|\p{Zp}/u);
        expect(text.trim()).toBe(text);
      }),
    );
  });
});

describe("isWellFormed", () => {
  test.each([
    ["", true],
    ["a😀b", true],
    ["\ud83d", false],
    ["\ude00\ud83d", false],
    ["😀\ude00", false],
  ])("is right about %j", (text, expected) => {
    expect(isWellFormed(text)).toBe(expected);
  });
});
