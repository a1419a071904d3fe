import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hashSecret, matchesHash } from "./key-hash.ts";

test("hashSecret is SHA-256 over the characters, as sha256sum prints it", () => {
  // FIPS 180-2 appendix B.1.
  expect(hashSecret("abc")).toBe("sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});

describe("matchesHash", () => {
  test("knows the secret of a hash from every other one", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (secret, other) => {
        expect(matchesHash(secret, hashSecret(secret))).toBe(true);
        expect(matchesHash(other, hashSecret(secret))).toBe(other === secret);
      }),
    );
  });

  test.each(["", "sha256:", "0", hashSecret("abc").slice(0, -1), `${hashSecret("abc")}0`, hashSecret("abc").slice(7)])(
    "answers no, and does not throw, for the hash %j",
    (hash) => {
      expect(matchesHash("abc", hash)).toBe(false);
    },
  );
});
