/** `amend`: replaces the body of a delivery, its endpoint or both; whatever was approved no longer counts. */
import type { AmendmentWord, Countersign } from "../../client/countersign.ts";
import type { EventReport } from "../../client/get-event.ts";
import { eventFromBody } from "../../client/read-event.ts";
import type { Config } from "../../config/config.ts";
import { samePerson } from "../../delivery/ballots.ts";
import { contentTypeOf, isJsonContentType } from "../../delivery/content-type.ts";
import type { BusinessEvent } from "../../delivery/event.ts";
import { CountersignError } from "../../errors.ts";
import { actorOf } from "../actor.ts";
import { amendmentLines } from "../amendment-lines.ts";
import type { CliContext } from "../context.ts";
import { readInput } from "../read-body.ts";
import { requireDelivery } from "../require-delivery.ts";
import { requireKey } from "../require-key.ts";
import { safeText } from "../safe-text.ts";
import { withSpinner } from "../spinner.ts";
import { keySentence, reportVerdict } from "../verdict-report.ts";
import { clientConfig, withClientOf } from "../with-client.ts";
import { amendableDelivery, requireReason } from "./resolution.ts";

export interface AmendCommand {
  /** File with the new body, or `-`; absent = the body stays. */
  readonly data?: string;
  /** Absent = the endpoint stays. */
  readonly endpoint?: string;
  readonly reason: string;
  readonly delivery?: string;
  readonly as?: string;
}

export async function amend(context: CliContext, key: string, options: AmendCommand): Promise<number> {
  requireKey(key);
  requireReason(options.reason);
  actorOf(options.as, context.environment); // an empty --as is refused before a server is asked
  const { data, endpoint } = options;
  if (data === undefined && endpoint === undefined)
    throw new CountersignError("bad_argument", "Nothing to amend: give --data FILE, --endpoint NAME, or both.");
  const config = await clientConfig(context);
  requireEndpoint(config, endpoint);
  const { stdin, cwd } = context;
  const body = data === undefined ? null : await readInput({ file: data, data: undefined, stdin, cwd });
  return await withClientOf(
    context,
    config,
    async (countersign) =>
      await amendWith(context, countersign, { key, options, body, people: Object.keys(config.people) }),
  );
}

export interface Amending {
  readonly key: string;
  readonly options: AmendCommand;
  /** Null = the body stays. */
  readonly body: Uint8Array | null;
  /** Names of the configuration at hand; empty = none. */
  readonly people: readonly string[];
}

/** Throws `invalid_json`, `duplicate_member` or `body_too_large` for a body that cannot be one, before anything is said. */
export async function amendWith(
  context: CliContext,
  countersign: Pick<Countersign, "get" | "event" | "amend">,
  { key, options, body, people }: Amending,
): Promise<number> {
  const { terminal, environment } = context;
  const [report, event] = await withSpinner(
    terminal,
    "Reading",
    async () => await Promise.all([countersign.get(key), countersign.event(key)]),
  );
  const { reason, delivery, endpoint } = options;
  requireDelivery(report, delivery);
  const content = body === null ? {} : contentOf(body, event, contentTypeIn(report, event, delivery));
  const actor = actorOf(options.as, environment);
  const word: AmendmentWord = {
    actor,
    reason,
    ...(delivery === undefined ? {} : { delivery }),
    ...content,
    ...(endpoint === undefined ? {} : { endpoint }),
  };
  showBefore(context, report, { word, body });
  const isAsked = (amendableDelivery(report, delivery)?.proposal ?? null) !== null;
  warnOfStranger(context, actor, people);
  const verdict = await withSpinner(
    terminal,
    "Waiting for a worker's answer",
    async () => await countersign.amend(key, word),
  );
  return reportVerdict(context, verdict, {
    key,
    noun: "amendment",
    sentence: keySentence(context, key, `is amended${isAsked ? "; what was approved before no longer counts" : ""}`),
  });
}

/** What it would send now, where that is known; else the event's own. */
function contentTypeIn(report: EventReport, event: BusinessEvent, named: string | undefined): string {
  return amendableDelivery(report, named)?.proposal?.action.contentType ?? contentTypeOf(event);
}

/** The members that deliver these bytes, no others. JSON is checked where JSON is due. */
function contentOf(
  body: Uint8Array,
  { source, id, type }: BusinessEvent,
  contentType: string,
): Pick<AmendmentWord, "data" | "data_base64"> {
  if (body.length === 0 && isJsonContentType(contentType))
    throw new CountersignError("invalid_json", "The file of --data is empty, which is not JSON.");
  const { data, data_base64 } = eventFromBody({ source, id, type, contentType, body });
  if (data_base64 !== undefined) return { data_base64 };
  // No member at all would leave the body as it is.
  return data === undefined ? { data_base64: "" } : { data };
}

/** Throws `unknown_endpoint`. */
function requireEndpoint({ endpoints }: Config, name: string | undefined): void {
  if (name === undefined || Object.hasOwn(endpoints, name)) return;
  const known = Object.keys(endpoints).join(", ") || "none";
  throw new CountersignError(
    "unknown_endpoint",
    `There is no endpoint ${JSON.stringify(safeText(name))}; the configured ones are: ${known}.`,
  );
}

/** Four eyes exclude the last editor by name, so a name that nobody decides under excludes nobody. */
function warnOfStranger({ terminal, json }: CliContext, actor: string, people: readonly string[]): void {
  // A program that reads standard error expects problem JSON there and nothing else.
  if (json || people.length === 0 || people.some((name) => samePerson(name, actor))) return;
  terminal.note(
    `warning: ${safeText(actor)} is no person of \`people\`, so four eyes cannot keep whoever amends from approving it; say who you are with --as or COUNTERSIGN_ACTOR.`,
  );
}

/** A person at a terminal sees what takes the place of what. */
function showBefore(
  { terminal, json }: CliContext,
  report: EventReport,
  { word, body }: { readonly word: AmendmentWord; readonly body: Uint8Array | null },
): void {
  if (json || terminal.stderr.isTTY !== true) return;
  const delivery = amendableDelivery(report, word.delivery);
  for (const line of amendmentLines({ delivery, endpoint: word.endpoint ?? null, body })) terminal.note(line);
}
