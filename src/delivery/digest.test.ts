import { describe, expect, test } from "vitest";
import { isDigest } from "./digest.ts";

const HEX = "0123456789abcdef".repeat(4);

describe("a digest", () => {
  test("is sha256: and 64 lower-case hex digits", () => {
    expect(isDigest(`sha256:${HEX}`)).toBe(true);
  });

  test.each([`sha256:${HEX}\n`, `sha256:${HEX}0`, `sha256:${HEX.slice(1)}`, `sha256:${HEX.toUpperCase()}`, HEX, ""])(
    "is not %j",
    (text) => {
      expect(isDigest(text)).toBe(false);
    },
  );
});
