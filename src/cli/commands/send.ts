/** `send`: one event from a file, standard input or an argument, byte for byte. */
import type { Receipt } from "../../client/submit.ts";
import { eventFromBody, readEvent } from "../../client/read-event.ts";
import type { Config } from "../../config/config.ts";
import { canonicalEvent, planEvent } from "../../config/plan-event.ts";
import type { BusinessEvent } from "../../delivery/event.ts";
import type { DeliveryPlan } from "../../delivery/plan.ts";
import { CountersignError } from "../../errors.ts";
import { configuredId, idFromMembers } from "../../server/event-id.ts";
import type { CliContext } from "../context.ts";
import { requireIdPaths } from "../id-paths.ts";
import { readInput } from "../read-body.ts";
import { shellWord } from "../safe-text.ts";
import { withSpinner } from "../spinner.ts";
import { colorState } from "../state-color.ts";
import type { Colors } from "../terminal.ts";
import { clientConfig, withClientOf } from "../with-client.ts";

export interface SendCommand {
  readonly file: string | undefined;
  readonly data?: string;
  readonly source?: string;
  readonly type?: string;
  readonly id?: string;
  /** Paths of members that make the id, such as `data.orderId`. */
  readonly idFrom?: readonly string[];
  readonly subject?: string;
  readonly time?: string;
  readonly contentType?: string;
  readonly synthetic?: boolean;
}

/** The most any endpoint may accept; each endpoint's own limit is checked with its route. */
const MAX_BODY_BYTES = 1024 * 1024;

export async function send(context: CliContext, options: SendCommand): Promise<number> {
  requireFittingOptions(options);
  const config = await clientConfig(context);
  const event = await readCommandEvent(context, options, config);
  const { terminal, json } = context;
  return await withPlanned(context, { config, event }, (receipt, deliveries) => {
    if (json) terminal.json(receipt);
    else for (const line of receiptLines(receipt, deliveries, terminal.colors)) terminal.out(line);
  });
}

async function readCommandEvent(
  { stdin, cwd }: CliContext,
  options: SendCommand,
  config: Config,
): Promise<BusinessEvent> {
  const { file, data, source = "", type, subject, time, contentType } = options;
  const body = await readInput({ file, data, stdin, cwd });
  const synthetic = options.synthetic === true ? { synthetic: true } : {};
  const idFor = (members: Members): string | undefined => idOf(options, config, members);
  if (type === undefined) return { ...readEvent(body, { maxBodyBytes: MAX_BODY_BYTES, idFor }), ...synthetic };
  const members = { source, type, subject, time, datacontenttype: contentType };
  const id = idFor({ ...members, data_base64: body.toString("base64") });
  if (id === undefined) throw lacking(["--id, or --id-from with the members that make it"]);
  return eventFromBody({ source, type, id, subject, time, contentType, body, ...synthetic });
}

/** Of an event, not checked yet. */
type Members = Readonly<Record<string, unknown>>;

/** As at the HTTP door: the event's own goes first, and where nobody says one the source's `idFrom` makes it. */
function idOf({ id, idFrom }: SendCommand, config: Config, members: Members): string | undefined {
  return id ?? (idFrom === undefined ? configuredId(config, members) : idFromMembers(idFrom, members));
}

/** With `--type` the input is a body, without it a whole event: half of one and half of the other is a mistake. */
function requireFittingOptions(options: SendCommand): void {
  const { type, source, id, idFrom, subject, time, contentType } = options;
  if (id !== undefined && idFrom !== undefined) {
    throw new CountersignError("bad_argument", "--id and --id-from are given both; accepted is one of them.");
  }
  if (idFrom !== undefined) requireIdPaths(idFrom);
  if (type !== undefined) {
    // Without an id the source's `idFrom` may still make one.
    if (source === undefined) throw lacking(["--source", ...((id ?? idFrom) === undefined ? ["--id"] : [])]);
    return;
  }
  const named = { "--source": source, "--id": id, "--subject": subject, "--time": time, "--content-type": contentType };
  const given = Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (given.length === 0) return;
  throw new CountersignError(
    "bad_argument",
    `Without --type the input is a whole event as JSON, so ${given.join(", ")} cannot be given: add --type, or write it into the event.`,
  );
}

function lacking(options: readonly string[]): CountersignError {
  return new CountersignError(
    "bad_argument",
    `With --type the input is the body of an event, which also needs ${options.join(" and ")}.`,
  );
}

type Report = (receipt: Receipt, deliveries: readonly DeliveryPlan[]) => void;

/** What the configuration refuses is refused before a server is asked. */
async function withPlanned(
  context: CliContext,
  { config, event }: { readonly config: Config; readonly event: BusinessEvent },
  report: Report,
): Promise<number> {
  const { deliveries } = planEvent(config, canonicalEvent(config, event));
  return await withClientOf(context, config, async (countersign) => {
    const receipt = await withSpinner(
      context.terminal,
      "Sending",
      async () => await countersign.submit(event, { via: "cli" }),
    );
    report(receipt, deliveries);
    return 0;
  });
}

/** `deliveries` as the configuration at hand plans them; a worker's may differ. */
export function receiptLines(receipt: Receipt, deliveries: readonly DeliveryPlan[], colors: Colors): readonly string[] {
  const { bold, dim } = colors;
  const state = colorState(colors, receipt.state);
  const next = dim(`See what happens: countersign show ${shellWord(receipt.key)}`);
  if (!receipt.duplicate) return [`Accepted ${bold(receipt.key)}${whereTo(deliveries)}.`, next];
  const ended = receipt.state === "terminated" ? "; it was ended from outside in Temporal" : "";
  return [`Accepted before: ${bold(receipt.key)} is ${state}${ended}. Nothing was started again.`, next];
}

/** `, to be delivered to crm; payments waits for approval first`. */
function whereTo(deliveries: readonly DeliveryPlan[]): string {
  const names = (asks: (plan: DeliveryPlan) => boolean) => deliveries.filter(asks).map(({ endpoint }) => endpoint);
  const direct = names(({ settings }) => settings.approval !== true);
  const asking = names(({ settings }) => settings.approval === true);
  return [
    ...(direct.length === 0 ? [] : [`, to be delivered to ${direct.join(", ")}`]),
    ...(asking.length === 0
      ? []
      : [`; ${asking.join(", ")} ${asking.length === 1 ? "waits" : "wait"} for approval first`]),
  ].join("");
}
