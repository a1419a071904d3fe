import { describe, expect, test } from "vitest";
import { aProposal, DIGEST } from "../../test/support/a-proposal.ts";
import { parseDigest, shortDigest, wholeDigest } from "./digest-argument.ts";

const HEX = DIGEST.slice("sha256:".length);

describe("parseDigest", () => {
  test.each([
    [DIGEST, HEX],
    [HEX, HEX],
    [HEX.slice(0, 12), "0123456789ab"],
    [`sha256:${HEX.slice(0, 12)}`, "0123456789ab"],
    [` ${DIGEST.toUpperCase()} `, HEX],
  ])("reads %j", (text, digits) => {
    expect(parseDigest(text)).toBe(digits);
  });

  test.each(["", "sha256:", HEX.slice(0, 11), `${HEX}0`, "latest", "sha256:0123456789xy", "sha512:0123456789ab"])(
    "refuses %j as bad usage",
    (text) => {
      const refused = { code: "bad_argument", message: expect.stringContaining("first 12 hex digits") };
      expect(() => parseDigest(text)).toThrow(expect.objectContaining(refused));
    },
  );
});

describe("wholeDigest", () => {
  const other = aProposal({ digest: `sha256:${"9".repeat(64)}` });

  test("completes digits from a proposal that begins so, and from no other", () => {
    expect(wholeDigest("0123456789ab", [other, aProposal()])).toBe(DIGEST);
    expect(wholeDigest("0123456789ab", [other])).toBeNull();
    expect(wholeDigest("0123456789ab", [])).toBeNull();
    expect(wholeDigest("23456789abcc", [aProposal()])).toBeNull();
  });

  test("leaves a whole digest as it is, whatever waits", () => {
    expect(wholeDigest(HEX, [other])).toBe(DIGEST);
    expect(wholeDigest(HEX.slice(0, 63), [other])).toBeNull();
  });
});

test("shortDigest is what tables and timelines show", () => {
  expect(shortDigest(DIGEST)).toBe("0123456789ab");
});
