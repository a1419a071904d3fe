/** `send`: one event from a file, standard input or an argument, byte for byte. */
import type { Receipt } from "../../client/submit.ts";
import { eventFromBody, readEvent } from "../../client/read-event.ts";
import { canonicalEvent, planEvent } from "../../config/plan-event.ts";
import type { BusinessEvent } from "../../delivery/event.ts";
import { CountersignError } from "../../errors.ts";
import type { CliContext } from "../context.ts";
import { readInput } from "../read-body.ts";
import { shellWord } from "../safe-text.ts";
import { withSpinner } from "../spinner.ts";
import { colorState } from "../state-color.ts";
import { clientConfig, withClientOf } from "../with-client.ts";

export interface SendCommand {
  readonly file: string | undefined;
  readonly data?: string;
  readonly source?: string;
  readonly type?: string;
  readonly id?: string;
  readonly subject?: string;
  readonly time?: string;
  readonly contentType?: string;
  readonly synthetic?: boolean;
}

/** The most any endpoint may accept; each endpoint's own limit is checked with its route. */
const MAX_BODY_BYTES = 1024 * 1024;

export async function send(context: CliContext, options: SendCommand): Promise<number> {
  const event = await readCommandEvent(context, options);
  const { terminal, json } = context;
  return await withPlanned(context, event, (receipt, endpoints) => {
    if (json) terminal.json(receipt);
    else for (const line of receiptLines(receipt, endpoints, context)) terminal.out(line);
  });
}

async function readCommandEvent({ stdin, cwd }: CliContext, options: SendCommand): Promise<BusinessEvent> {
  requireFittingOptions(options);
  const { file, data, source = "", type, id = "", subject, time, contentType } = options;
  const body = await readInput({ file, data, stdin, cwd });
  const synthetic = options.synthetic === true ? { synthetic: true } : {};
  if (type === undefined) return { ...readEvent(body, { maxBodyBytes: MAX_BODY_BYTES }), ...synthetic };
  return eventFromBody({ source, type, id, subject, time, contentType, body, ...synthetic });
}

/** With `--type` the input is a body, without it a whole event: half of one and half of the other is a mistake. */
function requireFittingOptions(options: SendCommand): void {
  const { type, source, id, subject, time, contentType } = options;
  if (type !== undefined) {
    const missing = [...(source === undefined ? ["--source"] : []), ...(id === undefined ? ["--id"] : [])];
    if (missing.length === 0) return;
    throw new CountersignError(
      "bad_argument",
      `With --type the input is the body of an event, which also needs ${missing.join(" and ")}.`,
    );
  }
  const named = { "--source": source, "--id": id, "--subject": subject, "--time": time, "--content-type": contentType };
  const given = Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (given.length === 0) return;
  throw new CountersignError(
    "bad_argument",
    `Without --type the input is a whole event as JSON, so ${given.join(", ")} cannot be given: add --type, or write it into the event.`,
  );
}

type Report = (receipt: Receipt, endpoints: readonly string[]) => void;

/** What the configuration refuses is refused before a server is asked. */
async function withPlanned(context: CliContext, event: BusinessEvent, report: Report): Promise<number> {
  const config = await clientConfig(context);
  const { deliveries } = planEvent(config, canonicalEvent(config, event));
  return await withClientOf(context, config, async (countersign) => {
    const receipt = await withSpinner(
      context.terminal,
      "Sending",
      async () => await countersign.submit(event, { via: "cli" }),
    );
    report(
      receipt,
      deliveries.map(({ endpoint }) => endpoint),
    );
    return 0;
  });
}

function receiptLines(receipt: Receipt, endpoints: readonly string[], { terminal }: CliContext): readonly string[] {
  const { bold, dim } = terminal.colors;
  const state = colorState(terminal.colors, receipt.state);
  const next = dim(`See what happens: countersign show ${shellWord(receipt.key)}`);
  if (!receipt.duplicate) return [`Accepted ${bold(receipt.key)}, to be delivered to ${endpoints.join(", ")}.`, next];
  const ended = receipt.state === "terminated" ? "; it was ended from outside in Temporal" : "";
  return [`Accepted before: ${bold(receipt.key)} is ${state}${ended}. Nothing was started again.`, next];
}
