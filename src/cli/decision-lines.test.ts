import picocolors from "picocolors";
import { expect, test } from "vitest";
import { aDecision } from "../../test/support/a-proposal.ts";
import { decisionLines } from "./decision-lines.ts";

const lines = (changes: Parameters<typeof aDecision>[0]) =>
  decisionLines(aDecision(changes), picocolors.createColors(false));

test("says who decided what when, on which digest, and that it counted", () => {
  expect(lines({ note: "looks\u001b right", signed: true })).toEqual([
    "10:01:00.000  approve by ana@example.com: looks? right",
    "counted (2026-11-29 10:01:00 UTC, digest 0123456789ab, revision 1, signed)",
  ]);
});

test("says why one did not count", () => {
  const refused = { action: "reject", counted: false, refusedBecause: "own-request", revision: null } as const;
  expect(lines({ ...refused, digest: "\u001b[2Jxxxxxxxxxxxxxxxxx" })).toEqual([
    "10:01:00.000  reject by ana@example.com",
    "did not count: four eyes: who asked for it, or edited it last, does not decide on it (2026-11-29 10:01:00 UTC, digest xxxxxxxxxxxx)",
  ]);
  expect(lines({ counted: false, refusedBecause: "no-digest", digest: null, revision: null, actor: "" })).toEqual([
    "10:01:00.000  approve by nobody",
    "did not count: it does not say what was looked at: a decision names the digest (2026-11-29 10:01:00 UTC, no digest)",
  ]);
});
