import { expect, test } from "vitest";
import picocolors from "picocolors";
import type { EarlierProposal, ReplacedBecause } from "../delivery/approval.ts";
import { replacedLines } from "./replaced-lines.ts";

const EARLIER: EarlierProposal = {
  endpoint: "payments",
  revision: 1,
  digest: `sha256:${"ab".repeat(32)}`,
  createdAt: "2026-11-29T10:00:00.000Z",
  expiresAt: "2026-11-29T11:00:00.000Z",
  requestedBy: null,
  executedAt: null,
  standing: "approved",
  replacedAt: "2026-11-29T10:30:00.000Z",
  replacedBecause: "approval-lost",
};

test("a replaced proposal says why people are asked anew, and that earlier words do not count", () => {
  expect(replacedLines(EARLIER, picocolors.createColors(false))).toEqual([
    "10:30:00.000  revision 1, which had been approved, is replaced: somebody who approved may not any more",
    "digest abababababab; decisions on it do not count any more",
  ]);
});

test.each<ReplacedBecause>(["changed", "amended", "expired", "withdrawn", "misconfigured"])(
  "%s is a sentence of its own",
  (replacedBecause) => {
    const [line = ""] = replacedLines(
      { ...EARLIER, standing: "asking", replacedBecause },
      picocolors.createColors(false),
    );
    expect(line).toMatch(/^10:30:00\.000 {2}revision 1 is replaced: .{10}/u);
  },
);
