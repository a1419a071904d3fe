import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { hmacMatches } from "./hmac-matches.ts";

const digest = createHmac("sha256", "secret").update("a.b").digest();
const claim = { algorithm: "sha256", secrets: ["secret"], parts: ["a.", Buffer.from("b")] } as const;

describe("hmacMatches", () => {
  test("signs the parts one after another, and takes any signature of any secret", () => {
    expect(hmacMatches({ ...claim, signatures: [digest] })).toBe(true);
    const wrong = Buffer.alloc(32);
    expect(hmacMatches({ ...claim, secrets: ["other", "secret"], signatures: [wrong, digest] })).toBe(true);
    expect(hmacMatches({ ...claim, secrets: ["other"], signatures: [digest] })).toBe(false);
    expect(hmacMatches({ ...claim, algorithm: "sha512", signatures: [digest] })).toBe(false);
  });

  test("takes a signature of another length for no match, and no error", () => {
    for (const length of [0, 16, 31, 33])
      expect(hmacMatches({ ...claim, signatures: [Buffer.concat([digest, digest]).subarray(0, length)] })).toBe(false);
    expect(hmacMatches({ ...claim, signatures: [] })).toBe(false);
  });
});
