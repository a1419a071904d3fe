/** Why people are asked anew, where a proposal was replaced. */
import type { EarlierProposal, ReplacedBecause } from "../delivery/approval.ts";
import { shortDigest } from "./digest-argument.ts";
import { safeText } from "./safe-text.ts";
import type { Colors } from "./terminal.ts";
import { clockText } from "./time-text.ts";

const WHY: Readonly<Record<ReplacedBecause, string>> = {
  changed: "what would be sent, or who must agree, has changed in the configuration",
  "approval-lost": "somebody who approved may not any more",
  amended: "it was amended",
  expired: "it had expired, and was asked for again",
  withdrawn: "a signed decision was taken back",
  misconfigured: "the configuration did not let it be sent",
};

/** What was decided on it stays on record and does not count. */
export function replacedLines(earlier: EarlierProposal, { dim }: Colors): readonly string[] {
  const { revision, digest, replacedAt, replacedBecause, standing } = earlier;
  const fate = standing === "approved" ? ", which had been approved," : "";
  return [
    `${clockText(replacedAt)}  revision ${revision}${fate} is replaced: ${WHY[replacedBecause]}`,
    dim(`digest ${safeText(shortDigest(digest))}; decisions on it do not count any more`),
  ];
}
