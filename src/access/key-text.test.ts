import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isKeyId } from "../config/key-entry.ts";
import { isDigest } from "../delivery/digest.ts";
import { hashSecret } from "./key-hash.ts";
import { formatKey, KEY_BYTES, makeKey, readKey } from "./key-text.ts";

const randomness = fc.uint8Array({ minLength: KEY_BYTES, maxLength: KEY_BYTES });
const SECRET = "A".repeat(43);

describe("a key", () => {
  test("reads back as the id and the secret it was made of", () => {
    fc.assert(
      fc.property(randomness, (random) => {
        const parts = makeKey(random);
        expect(readKey(formatKey(parts))).toEqual(parts);
        expect([isKeyId(parts.id), isDigest(hashSecret(parts.secret))]).toEqual([true, true]);
      }),
    );
  });

  test("has 256 bits of the randomness in its secret, and others in its id", () => {
    const { id, secret } = makeKey(Uint8Array.from({ length: KEY_BYTES }, (_, index) => index));
    expect(id).toBe("000102030405");
    expect([...Buffer.from(secret, "base64url")]).toEqual(Array.from({ length: 32 }, (_, index) => index + 6));
  });

  test("differs wherever the randomness does", () => {
    fc.assert(
      fc.property(randomness, fc.nat(KEY_BYTES - 1), fc.integer({ min: 1, max: 255 }), (random, at, difference) => {
        const other = random.map((byte, index) => (index === at ? byte ^ difference : byte));
        expect(formatKey(makeKey(other))).not.toBe(formatKey(makeKey(random)));
      }),
    );
  });

  test.each([0, KEY_BYTES - 1, KEY_BYTES + 1])("is not made of %i bytes", (bytes) => {
    expect(() => makeKey(new Uint8Array(bytes))).toThrow(
      expect.objectContaining({ code: "bad_argument", message: expect.stringContaining(`38 random bytes`) }),
    );
  });

  test("is found by the expression for secret scanners, whatever stands around it", () => {
    fc.assert(
      fc.property(randomness, (random) => {
        const text = formatKey(makeKey(random));
        const [found] = /csk_[a-z0-9]{1,32}_[A-Za-z0-9_-]{43}/.exec(`key = "${text}" # prod`) ?? [];
        expect(found).toBe(text);
      }),
    );
  });
});

describe("readKey", () => {
  test.each([
    "",
    "csk_",
    `csk_a1_${SECRET.slice(1)}`,
    `csk_a1_${SECRET}A`,
    `csk_a1_${SECRET}=`,
    `csk_a1_${SECRET.slice(1)}+`,
    `csk__${SECRET}`,
    `csk_A1_${SECRET}`,
    `csk_a-1_${SECRET}`,
    `csk_a_1_${SECRET}`,
    `csk_${"a".repeat(33)}_${SECRET}`,
    `CSK_a1_${SECRET}`,
    `sk_a1_${SECRET}`,
    ` csk_a1_${SECRET}`,
    `csk_a1_${SECRET}\n`,
  ])("takes %j for no key", (text) => {
    expect(readKey(text)).toBeNull();
  });

  test("splits at the first line between id and secret, so that a secret may hold some itself", () => {
    const secret = `_${"-_".repeat(21)}`;
    expect(readKey(`csk_a1_${secret}`)).toEqual({ id: "a1", secret });
  });

  test("never throws", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => readKey(text) === null));
  });
});
