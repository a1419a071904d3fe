/** What `replay`, `discard`, `mark-delivered`, `hurry`, `hold` and `release` share: who says what about which delivery, and whether it counted. */
import type { ConnectedCountersign } from "../../client/connect.ts";
import type { EventReport } from "../../client/get-event.ts";
import { type DeliveryStatus, type Verdict, waitsForPerson } from "../../delivery/event-state.ts";
import { CountersignError } from "../../errors.ts";
import { actorOf } from "../actor.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit-code.ts";
import { requireDelivery } from "../require-delivery.ts";
import { requireKey } from "../require-key.ts";
import { withSpinner } from "../spinner.ts";
import { keySentence, reportVerdict } from "../verdict-report.ts";
import { withClient } from "../with-client.ts";

export interface ResolutionCommand {
  readonly reason: string;
  readonly delivery?: string;
  readonly as?: string;
}

export interface ResolutionVerb {
  readonly name: "replay" | "discard" | "mark-delivered" | "hurry" | "hold" | "release";
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
  requireReason(options.reason);
  const actor = actorOf(options.as, context.environment);
  return await withClient(context, async (countersign) => {
    if (!(await mayBeSaid(context, countersign, { key, verb, named: options.delivery }))) return EXIT.failed;
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
    return reportVerdict(context, verdict, {
      key,
      noun: verb.name,
      sentence: keySentence(context, key, verb.done),
    });
  });
}

interface Meant {
  readonly key: string;
  readonly verb: ResolutionVerb;
  /** The value of `--delivery`. */
  readonly named: string | undefined;
}

/** Looks at the event only where that tells something; throws `bad_argument` for a delivery it does not have. */
async function mayBeSaid(
  { terminal }: CliContext,
  countersign: ConnectedCountersign,
  { key, verb, named }: Meant,
): Promise<boolean> {
  if (verb.confirm === undefined && named === undefined) return true;
  const event = await withSpinner(terminal, "Reading", async () => await countersign.get(key));
  requireDelivery(event, named);
  return verb.confirm === undefined || (await verb.confirm(event));
}

/** Throws `bad_argument`. */
export function requireReason(reason: string): void {
  if (reason.trim() !== "") return;
  throw new CountersignError("bad_argument", "--reason must say why: it is kept with the event.");
}

type Word = Parameters<ConnectedCountersign["replay"]>[1];

async function say(
  countersign: ConnectedCountersign,
  verb: ResolutionVerb["name"],
  { key, word }: { readonly key: string; readonly word: Word },
): Promise<Verdict> {
  switch (verb) {
    case "replay":
    case "discard":
    case "hurry":
    case "hold":
    case "release":
      return await countersign[verb](key, word);
    case "mark-delivered":
      return await countersign.markDelivered(key, word);
  }
}

/** The delivery a person means: the one named, else the only one that waits for a person; null when that is not clear. */
export function meantDelivery({ deliveries }: EventReport, named: string | undefined): DeliveryStatus | null {
  return onlyOf(deliveries, named, ({ attention }) => attention !== null);
}

/** The same for `amend`, which also replaces what waits for approval. */
export function amendableDelivery({ deliveries }: EventReport, named: string | undefined): DeliveryStatus | null {
  return onlyOf(deliveries, named, ({ state }) => waitsForPerson(state));
}

function onlyOf(
  deliveries: readonly DeliveryStatus[],
  named: string | undefined,
  isMeant: (delivery: DeliveryStatus) => boolean,
): DeliveryStatus | null {
  if (named !== undefined) return deliveries.find(({ endpoint }) => endpoint === named) ?? null;
  const [only, ...others] = deliveries.filter(isMeant);
  return only === undefined || others.length > 0 ? null : only;
}
