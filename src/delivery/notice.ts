/** What people are told about a proposal, at the endpoint that the route names. Never the body, never a link that decides. */
import type { EventIdentity } from "./event-identity.ts";
import type { Delivery } from "./progress.ts";

/** Types of notices are this and their kind. */
export const NOTICE_TYPE = "countersign.approval.";

export type NoticeKind = "requested" | "reminder" | "escalated" | "approved" | "rejected" | "expired";

/** One thing to tell; sent once per event key, delivery, revision, kind and count. */
export interface Notice {
  readonly v: 1;
  readonly to: string;
  readonly kind: NoticeKind;
  /** From 1. */
  readonly count: number;
  readonly key: string;
  readonly type: string;
  readonly endpoint: string;
  readonly revision: number;
  readonly digest: string;
  readonly requestedBy: string | null;
  readonly expiresAt: string;
  /** People and groups that may decide now. */
  readonly approvers: readonly string[];
}

/** Null = nobody is to be told. */
export function noticeOf(
  { key, type }: EventIdentity,
  { approval, endpoint }: Delivery,
  { kind, count }: { readonly kind: NoticeKind; readonly count: number },
): Notice | null {
  const to = approval?.draft.terms.notify ?? null;
  if (approval === null || to === null) return null;
  const { digest, revision, requestedBy, terms } = approval.draft;
  const asked = terms.rules.flatMap(({ approvers, escalate }) => [
    ...approvers,
    ...(kind === "escalated" ? (escalate?.to ?? []) : []),
  ]);
  const expiresAt = new Date(approval.expiresAtMs).toISOString();
  const approvers = [...new Set(asked)];
  return { v: 1, to, kind, count, key, type, endpoint, revision, digest, requestedBy, expiresAt, approvers };
}
