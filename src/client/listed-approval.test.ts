import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DIGEST } from "../../test/support/a-proposal.ts";
import { listedApproval } from "./listed-approval.ts";

const MEMO = {
  endpoint: "payments",
  digest: DIGEST,
  since: "2026-11-29T10:00:00.000Z",
  until: "2026-11-30T10:00:00.000Z",
};

describe("listedApproval", () => {
  test("is what the run has noted, and nothing besides", () => {
    expect(listedApproval({ ...MEMO, more: 1 })).toEqual(MEMO);
  });

  test.each<[string, unknown]>([
    ["no memo", undefined],
    ["null", null],
    ["a text", "x"],
    ["an undecodable payload", { undecodable: true }],
    ["an endpoint that is none", { ...MEMO, endpoint: "\u001b[2J" }],
    ["half a digest", { ...MEMO, digest: DIGEST.slice(0, 20) }],
    ["a time that is none", { ...MEMO, since: "yesterday" }],
    ["a time that is a number", { ...MEMO, until: 5 }],
  ])("is nothing for %s", (_what, memo) => {
    expect(listedApproval(memo)).toBeNull();
  });

  test("never lets a time through as it was written, nor throws", () => {
    const times = fc.oneof(fc.string(), fc.date({ noInvalidDate: true }).map(String));
    fc.assert(
      fc.property(
        fc.oneof(
          fc.anything(),
          times.map((since) => ({ ...MEMO, since })),
        ),
        (memo) => {
          const read = listedApproval(memo);
          if (read !== null) expect(read.since).toMatch(/^[+-]?\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
        },
      ),
    );
    expect(listedApproval({ ...MEMO, until: "30 Nov 2026 10:00 UTC" })?.until).toBe(MEMO.until);
  });
});
