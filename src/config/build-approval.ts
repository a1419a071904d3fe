/** From checked approvals and people to the parsed ones. */
import type { CheckedPerson } from "./access-schema.ts";
import type { Person, RouteApproval } from "./config.ts";
import type { CheckedApproval } from "./schema.ts";

export function buildApproval(approval: CheckedApproval): RouteApproval {
  const { when, approvers, escalate, remind, version, notify } = approval;
  return {
    when: when ?? null,
    requireRequester: approval.requireRequester,
    approvers: [...new Set(approvers)],
    quorum: approval.quorum,
    rejections: approval.rejections,
    fourEyes: approval.fourEyes,
    requireSignedDecisions: approval.requireSignedDecisions,
    escalate: escalate === undefined ? null : { afterMs: escalate.after, to: [...new Set(escalate.to)] },
    version: version ?? null,
    expiresMs: approval.expires,
    remindMs: [...new Set(remind)].toSorted((left, right) => left - right),
    onExpire: approval.onExpire,
    notify: notify ?? null,
  };
}

export function buildPerson({ groups, publicKey }: CheckedPerson): Person {
  return { groups: [...new Set(groups)], publicKey: publicKey ?? null };
}
