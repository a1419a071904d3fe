/** Other content under a used key: each kept as a run of type `conflict`, never with its content. */
import { isDigest } from "../delivery/digest.ts";
import { type Client, WorkflowExecutionAlreadyStartedError } from "@temporalio/client";
import type { ConflictRecord } from "../delivery/event-state.ts";
import { conflictWorkflowId } from "../delivery/names.ts";
import { CONFLICT_MEMO } from "../workflows/messages.ts";
import { decoderOf } from "./payloads.ts";
import { type Session, withDeadline } from "./session.ts";

export type ConflictOrigin = ConflictRecord["via"];

export interface Conflict {
  readonly key: string;
  readonly fingerprint: string;
  readonly via: ConflictOrigin;
}

/** Records it once; the same content refused again adds nothing. */
export async function recordConflict(session: Session, { key, fingerprint, via }: Conflict): Promise<void> {
  const record: ConflictRecord = { at: new Date().toISOString(), fingerprint, via };
  try {
    await withDeadline(session, () =>
      session.client.workflow.start("conflict", {
        workflowId: conflictWorkflowId(key, fingerprint),
        taskQueue: session.config.temporal.taskQueue,
        args: [{ v: 1, key, ...record }],
        workflowIdReusePolicy: "REJECT_DUPLICATE",
        workflowIdConflictPolicy: "FAIL",
        memo: { [CONFLICT_MEMO]: record },
        staticSummary: "other content under a used key, refused",
      }),
    );
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

/** What is known of the conflicts of an event, as members of its report. */
export interface KnownConflicts {
  readonly conflicts: readonly ConflictRecord[];
  /** True when the list could not be read; then `conflicts` is empty. */
  readonly conflictsUnknown?: true;
}

/** As `conflictsOf`; a list that cannot be read must not hide the event itself. */
export async function conflictsIfKnown(session: Session, key: string): Promise<KnownConflicts> {
  try {
    return { conflicts: await conflictsOf(session, key) };
  } catch {
    return { conflicts: [], conflictsUnknown: true };
  }
}

/**
 * Conflicts of one key, oldest first; eventually consistent, like every list.
 *
 * Throws `temporal_unreachable`, or what the server says.
 */
export async function conflictsOf(session: Session, key: string): Promise<readonly ConflictRecord[]> {
  const query = `WorkflowType = "conflict" AND WorkflowId STARTS_WITH "${queryablePart(`conflict:${key}:`)}"`;
  const rows = await withDeadline(session, () => readRows(session.client, query));
  const records = rows.flatMap(({ workflowId, record }) =>
    isConflictRecord(record) && workflowId === conflictWorkflowId(key, record.fingerprint) ? [shownOf(record)] : [],
  );
  return records.toSorted((left, right) => left.at.localeCompare(right.at));
}

type ListAnswer = Awaited<ReturnType<Client["workflowService"]["listWorkflowExecutions"]>>;

interface ConflictRow {
  readonly workflowId: string;
  /** From the memo: anybody may have written it. */
  readonly record: unknown;
}

/** Not by the client's own list: that ends at the first memo it cannot decode. */
async function readRows(client: Client, query: string): Promise<readonly ConflictRow[]> {
  const decode = decoderOf(client);
  const { namespace } = client.options;
  const rows: ConflictRow[] = [];
  let nextPageToken: Uint8Array = new Uint8Array();
  do {
    const request = { namespace, query, nextPageToken };
    const page: ListAnswer = await client.workflowService.listWorkflowExecutions(request);
    for (const { execution, memo } of page.executions ?? []) {
      const payload = memo?.fields?.[CONFLICT_MEMO];
      const record = payload === undefined ? null : await decode(payload);
      rows.push({ workflowId: execution?.workflowId ?? "", record });
    }
    nextPageToken = page.nextPageToken ?? new Uint8Array();
  } while (nextPageToken.length > 0);
  return rows;
}

/** A query cannot name quotes or backslashes, however escaped: the server compares the escaped text (1.32.0). */
function queryablePart(prefix: string): string {
  return prefix.slice(0, /['"\\]|$/u.exec(prefix)?.index);
}

const ORIGINS: ReadonlySet<unknown> = new Set<ConflictOrigin>(["cli", "http", "hook", "client"]);

function isConflictRecord(value: unknown): value is ConflictRecord {
  if (typeof value !== "object" || value === null) return false;
  const { at, fingerprint, via }: { readonly [Member in keyof ConflictRecord]?: unknown } = value;
  if (typeof at !== "string" || typeof fingerprint !== "string") return false;
  return ORIGINS.has(via) && isDigest(fingerprint) && isDateTime(at);
}

/** RFC 3339 §5.6, as `toISOString` and its like write it. */
function isDateTime(text: string): boolean {
  const isSpelled = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/.test(text);
  return isSpelled && !Number.isNaN(Date.parse(text));
}

/** Without whatever else the memo holds. */
function shownOf({ at, fingerprint, via }: ConflictRecord): ConflictRecord {
  return { at, fingerprint, via };
}
