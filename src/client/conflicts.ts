/** Other content under a used key: each kept as a run of type `conflict`, never with its content. */
import { WorkflowExecutionAlreadyStartedError } from "@temporalio/client";
import type { ConflictRecord } from "../delivery/event-state.ts";
import { conflictWorkflowId } from "../delivery/names.ts";
import { CONFLICT_MEMO } from "../workflows/messages.ts";
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

/** Conflicts of one key, oldest first; eventually consistent, like every list. */
export async function conflictsOf(session: Session, key: string): Promise<readonly ConflictRecord[]> {
  const prefix = `conflict:${key}:`;
  const query = `WorkflowType = "conflict" AND WorkflowId STARTS_WITH "${queryablePart(prefix)}"`;
  const records: ConflictRecord[] = [];
  for await (const { workflowId, memo } of session.client.workflow.list({ query })) {
    const record = memo?.[CONFLICT_MEMO];
    if (workflowId.startsWith(prefix) && isConflictRecord(record)) records.push(record);
  }
  return records.toSorted((left, right) => left.at.localeCompare(right.at));
}

/** A query cannot name quotes or backslashes, however escaped: the server compares the escaped text (1.32.0). */
function queryablePart(prefix: string): string {
  return prefix.slice(0, /['"\\]|$/u.exec(prefix)?.index);
}

function isConflictRecord(value: unknown): value is ConflictRecord {
  return typeof value === "object" && value !== null && "at" in value && "fingerprint" in value && "via" in value;
}
