/** `bulk-replay pause|resume|cancel`: a person's word to one that runs. */
import type { BulkReplayWord } from "../../client/bulk-replay-steer.ts";
import type { BulkAction, BulkRefusal } from "../../delivery/bulk-replay/words.ts";
import { CountersignError } from "../../errors.ts";
import { actorOf } from "../actor.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit-code.ts";
import { withSpinner } from "../spinner.ts";
import { withClient } from "../with-client.ts";

export interface BulkSteerCommand {
  readonly note?: string;
  readonly as?: string;
}

const DONE: Readonly<Record<BulkAction, string>> = {
  pause: "is paused: no further batch begins",
  resume: "goes on",
  cancel: "is canceled: no further batch begins, and what it had not reached stays parked",
};

const REFUSED: Readonly<Record<BulkRefusal, string>> = {
  malformed: "it must be known who says it",
  "already-paused": "it is paused already",
  "not-paused": "it is not paused",
  "already-ended": "it has ended",
};

export async function bulkReplaySteer(
  context: CliContext,
  id: string,
  { action, note, as }: BulkSteerCommand & { readonly action: BulkAction },
): Promise<number> {
  const { terminal, json, environment } = context;
  const word: BulkReplayWord = { actor: actorOf(as, environment), ...(note === undefined ? {} : { note }) };
  return await withClient(context, async ({ bulkReplays }) => {
    const say = async () => await bulkReplays[action](id, word);
    const verdict = await withSpinner(terminal, "Waiting for a worker's answer", say);
    const { counted, refusedBecause, pending } = verdict;
    if (json) terminal.json(verdict);
    if (!counted) {
      const why = refusedBecause === null ? "no reason given" : REFUSED[refusedBecause];
      const sentence = `The ${action} of bulk replay ${id} did not count: ${why}. Nothing was changed.`;
      throw new CountersignError("refused", sentence, { details: { id, refusedBecause } });
    }
    if (!json)
      terminal.out(
        pending === true
          ? `No worker has answered. The ${action} is kept on the Temporal server and takes effect as soon as one runs.`
          : `Bulk replay ${terminal.colors.bold(id)} ${DONE[action]}.`,
      );
    return EXIT.done;
  });
}
