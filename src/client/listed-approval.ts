/** What a list knows of a wait for approval: the note the run keeps in its memo. */
import { isDigest } from "../delivery/digest.ts";
import { isName } from "../delivery/names.ts";
import type { ApprovalMemo } from "../workflows/messages.ts";

/** Since when and until when a proposal waits, where, and its digest; times are RFC 3339. */
export type ListedApproval = ApprovalMemo;

/** Null for anything else: whoever may start runs may write any memo. */
export function listedApproval(memo: unknown): ListedApproval | null {
  if (typeof memo !== "object" || memo === null) return null;
  const { endpoint, digest, since, until }: { readonly [Member in keyof ApprovalMemo]?: unknown } = memo;
  if (typeof endpoint !== "string" || !isName(endpoint)) return null;
  if (typeof digest !== "string" || !isDigest(digest)) return null;
  const [sinceAt, untilAt] = [momentOf(since), momentOf(until)];
  return sinceAt === null || untilAt === null ? null : { endpoint, digest, since: sinceAt, until: untilAt };
}

/** As `toISOString` writes it. */
function momentOf(value: unknown): string | null {
  if (typeof value !== "string") return null;
  const atMs = Date.parse(value);
  return Number.isNaN(atMs) ? null : new Date(atMs).toISOString();
}
