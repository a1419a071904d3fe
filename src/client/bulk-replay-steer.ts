/** A person's word to a bulk replay: an update, whose verdict comes back; without a worker a signal, which is kept. */
import { WorkflowNotFoundError } from "@temporalio/client";
import { bulkReplayWorkflowId } from "../delivery/bulk-replay/order.ts";
import type { BulkAction, BulkVerdict } from "../delivery/bulk-replay/words.ts";
import { isAccessRefused } from "../temporal/grpc-status.ts";
import {
  type BulkWordArgument,
  cancelBulkSignal,
  pauseBulkSignal,
  resumeBulkSignal,
  steerUpdate,
} from "../workflows/messages-bulk-replay.ts";
import { describeBulkReplay } from "./bulk-replay-show.ts";
import { hasJustEnded } from "./say-word.ts";
import { type Session, withDeadline } from "./session.ts";

export interface BulkReplayWord {
  readonly actor: string;
  /** Why; kept with the bulk replay. */
  readonly note?: string;
}

export interface BulkReplayVerdict extends BulkVerdict {
  /** No worker has answered: the word is kept on the server and takes effect as soon as one runs. */
  readonly pending?: true;
}

const ANSWER_MS = 5000;

const SIGNALS = { pause: pauseBulkSignal, resume: resumeBulkSignal, cancel: cancelBulkSignal } as const;

/** One that does not count is a verdict, not an error. Throws `not_found`, `temporal_unreachable`. */
export async function steerBulkReplay(
  session: Session,
  id: string,
  { action, ...word }: BulkReplayWord & { readonly action: BulkAction },
): Promise<BulkReplayVerdict> {
  const run = await describeBulkReplay(session, id);
  if (run.status.name !== "RUNNING") return tooLate();
  // Of whichever run of the chain is the latest when it arrives.
  const handle = session.client.workflow.getHandle(bulkReplayWorkflowId(id));
  const argument: BulkWordArgument = { v: 1, ...word };
  try {
    return await session.client.withDeadline(
      Date.now() + ANSWER_MS,
      async () => await handle.executeUpdate(steerUpdate, { args: [{ ...argument, action }] }),
    );
  } catch (error) {
    if (isAccessRefused(error)) throw error;
    if (hasJustEnded(error)) return tooLate();
  }
  // Nobody answers, or a run of the chain gave way to the next one meanwhile. Said twice it changes nothing.
  try {
    await withDeadline(session, () => handle.signal(SIGNALS[action], argument));
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return tooLate();
    throw error;
  }
  return { counted: true, refusedBecause: null, at: new Date().toISOString(), pending: true };
}

function tooLate(): BulkReplayVerdict {
  return { counted: false, refusedBecause: "already-ended", at: new Date().toISOString() };
}
