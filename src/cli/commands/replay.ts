/** `replay`: says what is known of the last attempt, asks on a terminal, then tries again with the same key. */
import type { EventReport } from "../../client/get-event.ts";
import type { DeliveryStatus } from "../../delivery/event-state.ts";
import { agrees } from "../ask.ts";
import { attemptLines } from "../attempt-lines.ts";
import type { CliContext } from "../context.ts";
import { safeText } from "../safe-text.ts";
import { meantDelivery, resolve, type ResolutionCommand } from "./resolution.ts";

export interface ReplayCommand extends ResolutionCommand {
  readonly yes?: boolean;
}

export async function replay(context: CliContext, key: string, options: ReplayCommand): Promise<number> {
  const verb = {
    name: "replay" as const,
    done: "is tried again, with the same key and a fresh budget",
    confirm: async (event: EventReport) => await confirm(context, event, options),
  };
  return await resolve(context, key, { verb, options });
}

/** Asks only where a person can answer and something is parked: the workflow judges everything else. */
export async function confirm(context: CliContext, event: EventReport, options: ReplayCommand): Promise<boolean> {
  const { terminal, json } = context;
  // A program reads both streams, and said what it wants.
  if (json) return true;
  const delivery = meantDelivery(event, options.delivery);
  if (delivery === null || delivery.attention === null) return true;
  for (const line of lastWords(delivery, terminal.noteColors)) terminal.note(line);
  if (options.yes === true || !terminal.canAsk) return true;
  const agreed = await agrees(context, `Replay ${safeText(event.key)} to ${delivery.endpoint}? [y/N] `);
  if (!agreed) terminal.note("Nothing was changed.");
  return agreed;
}

function lastWords(
  { endpoint, attempts, attention }: DeliveryStatus,
  colors: CliContext["terminal"]["colors"],
): readonly string[] {
  const last = attempts.at(-1);
  return [
    ...(last === undefined ? [`${endpoint} was never called`] : attemptLines({ endpoint, attempt: last }, colors)),
    ...(last === undefined ? [] : [`certainty: ${last.certainty}`]),
    ...(attention === null ? [] : [`${attention.reason}: ${safeText(attention.advice)}`]),
  ];
}
