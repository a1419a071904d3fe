/** What `replay`, `discard` and `mark-delivered` share: who says what about which delivery, and whether it counted. */
import type { ConnectedCountersign } from "../../client/connect.ts";
import type { EventReport } from "../../client/get-event.ts";
import type { DeliveryStatus } from "../../delivery/event-state.ts";
import type { Verdict } from "../../delivery/progress.ts";
import { CountersignError } from "../../errors.ts";
import { actorOf } from "../actor.ts";
import type { CliContext } from "../context.ts";
import { requireKey } from "../require-key.ts";
import { refusalSentence } from "../refusal-sentence.ts";
import { safeText, shellWord } from "../safe-text.ts";
import { withSpinner } from "../spinner.ts";
import { withClient } from "../with-client.ts";

export interface ResolutionCommand {
  readonly reason: string;
  readonly delivery?: string;
  readonly as?: string;
}

export interface ResolutionVerb {
  readonly name: "replay" | "discard" | "mark-delivered";
  /** Completes "KEY …." once it has counted. */
  readonly done: string;
  /** Asked before anything is said; false = the person thought better of it. */
  confirm?(event: EventReport): Promise<boolean>;
}

export async function resolve(
  context: CliContext,
  key: string,
  parts: { readonly verb: ResolutionVerb; readonly options: ResolutionCommand },
): Promise<number> {
  const { verb, options } = parts;
  requireKey(key);
  if (options.reason.trim() === "")
    throw new CountersignError("bad_argument", "--reason must say why: it is kept with the event.");
  const actor = actorOf(options.as, context.environment);
  return await withClient(context, async (countersign) => {
    if (verb.confirm !== undefined) {
      const event = await withSpinner(context.terminal, "Reading", async () => await countersign.get(key));
      if (!(await verb.confirm(event))) return 1;
    }
    const word = {
      actor,
      reason: options.reason,
      ...(options.delivery === undefined ? {} : { delivery: options.delivery }),
    };
    const verdict = await withSpinner(
      context.terminal,
      "Waiting for a worker's answer",
      async () => await say(countersign, verb.name, { key, word }),
    );
    return report(context, verdict, { key, verb });
  });
}

type Word = Parameters<ConnectedCountersign["replay"]>[1];

async function say(
  countersign: ConnectedCountersign,
  verb: ResolutionVerb["name"],
  { key, word }: { readonly key: string; readonly word: Word },
): Promise<Verdict> {
  switch (verb) {
    case "replay":
      return await countersign.replay(key, word);
    case "discard":
      return await countersign.discard(key, word);
    case "mark-delivered":
      return await countersign.markDelivered(key, word);
  }
}

/** Throws `refused` when it did not count. */
function report(
  { terminal, json }: CliContext,
  verdict: Verdict,
  { key, verb }: { readonly key: string; readonly verb: ResolutionVerb },
): number {
  const { counted, refusedBecause, at } = verdict;
  if (json) terminal.json({ counted, refusedBecause, at });
  if (!counted) {
    const message = `The ${verb.name} of ${safeText(key)} did not count (${refusedBecause ?? "no reason given"}): ${refusalSentence(refusedBecause)}. Nothing was changed; see \`countersign show ${shellWord(key)}\`.`;
    throw new CountersignError("refused", message, { details: { key, refusedBecause } });
  }
  if (json) return 0;
  terminal.out(`${terminal.colors.bold(safeText(key))} ${verb.done}.`);
  terminal.out(terminal.colors.dim(`See what happens: countersign show ${shellWord(key)}`));
  return 0;
}

/** The delivery a person means: the one named, else the only one that waits for a person; null when that is not clear. */
export function meantDelivery({ deliveries }: EventReport, named: string | undefined): DeliveryStatus | null {
  if (named !== undefined) return deliveries.find(({ endpoint }) => endpoint === named) ?? null;
  const [only, ...others] = deliveries.filter(({ attention }) => attention !== null);
  return only === undefined || others.length > 0 ? null : only;
}
