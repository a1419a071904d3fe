/** What an attempt brings along to show that people approved it. */
import type { ApprovalGrant } from "./approval.ts";
import type { Delivery } from "./progress.ts";

/** Null = nothing was approved. The worker judges it by its own configuration, immediately before the first byte. */
export function grantOf({ approval }: Pick<Delivery, "approval">): ApprovalGrant | null {
  if (approval === null) return null;
  const { digest, revision } = approval.draft;
  return {
    revision,
    digest,
    createdAtMs: approval.createdAtMs,
    expiresAtMs: approval.expiresAtMs,
    executed: approval.executedAt !== null,
    votes: approval.approvals,
  };
}
