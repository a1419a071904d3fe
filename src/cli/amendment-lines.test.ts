import { expect, test } from "vitest";
import { amendmentLines } from "./amendment-lines.ts";

const body = (bytes: Uint8Array) => amendmentLines({ delivery: null, endpoint: null, body: bytes });

test("shows bytes that are no text as base64, and hides no character of a text", () => {
  expect(body(Uint8Array.of(0xff, 0x00))).toEqual(["The delivery gets this body of 2 bytes:", "  | /wA="]);
  expect(body(Buffer.from("a\u202eb\n"))).toEqual([
    "The delivery gets this body of 6 bytes:",
    "  | a‹U+202E›b",
    "  | ",
  ]);
});

test("shows a long body whole, however many pages that are", () => {
  const lines = body(Buffer.from("x".repeat(150_000)));
  expect(
    lines
      .slice(1)
      .map((line) => line.slice("  | ".length))
      .join(""),
  ).toBe("x".repeat(150_000));
});
