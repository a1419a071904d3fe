import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isCountersignError } from "../errors.ts";
import { parseSigningSecret, parseVerifyingKey } from "./secret.ts";

const whsec = (bytes: number): string => `whsec_${randomBytes(bytes).toString("base64")}`;
const SEED = "VEVTVFNJR05JTkdLRVlET05PVFVTRVRISVNGT1JBTlk=";
const PAIR = "6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbfVKIDij2HKpMKkioLlX0dRqSKJp4AJ6p9lMicMFs6Kvg==";

function refusal(parse: () => unknown): string {
  try {
    parse();
  } catch (error) {
    if (isCountersignError(error) && error.code === "config_invalid") return error.message;
    throw error;
  }
  throw new Error("was not refused");
}

describe("parseSigningSecret", () => {
  test.each([24, 32, 64])("takes whsec_ with %i bytes", (bytes) => {
    expect(parseSigningSecret(whsec(bytes))).toMatchObject({ scheme: "v1" });
  });

  test.each([0, 23, 65])("refuses whsec_ with %i bytes", (bytes) => {
    expect(refusal(() => parseSigningSecret(whsec(bytes)))).toContain(`${bytes}.`);
  });

  test.each([SEED, PAIR])("takes whsk_ as seed and as key pair", (base64) => {
    expect(parseSigningSecret(`whsk_${base64}`)).toMatchObject({ scheme: "v1a" });
  });

  test("refuses a key pair whose halves do not belong together", () => {
    const bytes = Buffer.from(PAIR, "base64");
    bytes[63] = (bytes[63] ?? 0) ^ 1;
    expect(refusal(() => parseSigningSecret(`whsk_${bytes.toString("base64")}`))).toContain("public key of its seed");
  });

  test.each([
    ["a public key", `whpk_${SEED}`],
    ["no prefix", SEED],
    ["another prefix", `sk_${SEED}`],
    ["base64url", "whsec_" + "ab-_".repeat(8)],
    ["missing padding", whsec(32).replace(/=+$/, "")],
    ["white space", `${whsec(24)}\n`],
    ["stray bits in the last character", "whsec_" + "A".repeat(42) + "B="],
    ["whsk_ of 33 bytes", `whsk_${randomBytes(33).toString("base64")}`],
    ["whpk_ of 31 bytes", `whpk_${randomBytes(31).toString("base64")}`],
  ])("refuses %s", (_what, secret) => {
    refusal(() => parseSigningSecret(secret));
  });

  test("never shows any part of the secret it refuses", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("whsec_", "whsk_", "whpk_", "sk_live_"),
        fc.stringMatching(/^[A-Za-z0-9+/=_-]{12,80}$/),
        (prefix, rest) => {
          let message = "";
          try {
            parseSigningSecret(prefix + rest);
          } catch (error) {
            message = String(error);
          }
          for (let at = 0; at + 12 <= rest.length; at += 1) expect(message).not.toContain(rest.slice(at, at + 12));
        },
      ),
    );
  });
});

describe("parseVerifyingKey", () => {
  test("takes a public key, which cannot sign", () => {
    const parsed = parseVerifyingKey("whpk_ZlN4eg7dSSqi0moX9hQUk3orrOouK3QVQSlJa248c/g=");
    expect(parsed).toMatchObject({ scheme: "v1a" });
    expect(parsed).not.toHaveProperty("privateKey");
  });

  test("refuses a public key of another length", () => {
    expect(refusal(() => parseVerifyingKey(`whpk_${randomBytes(31).toString("base64")}`))).toContain("31");
  });
});
