/** Who must say yes, in words. */
import type { ApprovalRule } from "../delivery/approval.ts";
import type { ProposalPolicy } from "../delivery/event-state.ts";
import { safeText } from "./safe-text.ts";
import { longText } from "./time-text.ts";

/** One line, or one per rule where several routes ask. */
export function policyLines({ rules, ...policy }: ProposalPolicy): readonly string[] {
  if (rules === undefined) return [ruleText(policy)];
  return rules.map((rule, index) => `${index + 1} of ${rules.length}, each needed: ${ruleText(rule)}`);
}

function ruleText(rule: ApprovalRule): string {
  const { approvers, quorum, rejections, fourEyes, requireSignedDecisions, escalate, version } = rule;
  return [
    `${quorum} of ${approvers.map(safeText).join(", ")}`,
    rejections === 1 ? "one rejection ends it" : `${rejections} rejections end it`,
    ...(fourEyes ? ["four eyes: not who asked or edited last"] : []),
    ...(requireSignedDecisions ? ["decisions must be signed"] : []),
    ...(escalate === null ? [] : [`after ${longText(escalate.afterMs)} also ${escalate.to.map(safeText).join(", ")}`]),
    ...(version === null ? [] : [`version ${safeText(String(version))}`]),
  ].join("; ");
}
