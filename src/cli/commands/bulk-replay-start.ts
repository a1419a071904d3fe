/** `bulk-replay start`: counts first, asks on a terminal, then starts it. */
import type { BulkReplayOrder } from "../../client/bulk-replay-order.ts";
import type { EndpointDetail } from "../../client/endpoint-detail.ts";
import type { BulkReplayPreview, BulkReplayReceipt } from "../../client/bulk-replay-start.ts";
import { counted } from "../../delivery/counted.ts";
import { durationText } from "../../delivery/summaries.ts";
import { actorOf } from "../actor.ts";
import { agrees } from "../ask.ts";
import { followBulkReplay } from "../bulk-replay-follow.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit-code.ts";
import { heldWarning } from "../held-endpoint.ts";
import { safeText } from "../safe-text.ts";
import { withSpinner } from "../spinner.ts";
import { tableLines } from "../table.ts";
import type { Colors } from "../terminal.ts";
import { ageText } from "../time-text.ts";
import { withClient } from "../with-client.ts";

export interface BulkStartCommand extends Omit<BulkReplayOrder, "actor"> {
  readonly dryRun?: boolean;
  readonly follow?: boolean;
  readonly yes?: boolean;
  readonly as?: string;
}

export async function bulkReplayStart(context: CliContext, options: BulkStartCommand): Promise<number> {
  const { terminal, json, environment } = context;
  const { dryRun = false, follow = false, yes = false, as, ...wish } = options;
  const order: BulkReplayOrder = { ...wish, actor: actorOf(as, environment) };
  return await withClient(context, async ({ bulkReplays, endpoint }) => {
    // With --json whoever reads it has `endpoints --json`, and standard error holds one document.
    const { endpoint: name } = order;
    if (name !== undefined && !json) await warnOfHeld(context, async () => await endpoint(name));
    const look = async () => await withSpinner(terminal, "Counting", async () => await bulkReplays.preview(order));
    if (dryRun) return show(context, await look());
    if (!yes && !json && terminal.canAsk && !(await agreed(context, await look()))) return EXIT.failed;
    const receipt = await withSpinner(terminal, "Starting", async () => await bulkReplays.start(order));
    if (follow) {
      if (!json) for (const line of receiptLines(receipt, terminal.colors)) terminal.note(line);
      return await followBulkReplay(context, bulkReplays, receipt.id);
    }
    if (json) terminal.json(receipt);
    else for (const line of receiptLines(receipt, terminal.colors)) terminal.out(line);
    return EXIT.done;
  });
}

async function warnOfHeld({ terminal }: CliContext, look: () => Promise<EndpointDetail>): Promise<void> {
  const warning = await heldWarning(look, Date.now());
  if (warning !== null) terminal.note(terminal.noteColors.yellow(warning));
}

function show({ terminal, json }: CliContext, preview: BulkReplayPreview): number {
  if (json) terminal.json(preview);
  else for (const line of previewLines(preview, Date.now(), terminal.colors)) terminal.out(line);
  return EXIT.done;
}

async function agreed(context: CliContext, preview: BulkReplayPreview): Promise<boolean> {
  const { terminal } = context;
  for (const line of previewLines(preview, Date.now(), terminal.noteColors)) terminal.note(line);
  if (await agrees(context, `Replay ${counted(preview.count, "event")} at ${preview.rate} a second? [y/N] `))
    return true;
  terminal.note("Nothing was changed.");
  return false;
}

export function previewLines(preview: BulkReplayPreview, nowMs: number, { dim, bold }: Colors): readonly string[] {
  const { count, uncertain, sample, rate, leastMs } = preview;
  if (count === 0) return ["The selection finds nothing that is parked.", dim(LATE)];
  const rows = sample.map((row) => [
    ageText(row.startedAt, nowMs),
    row.reason ?? "?",
    safeText(row.key),
    safeText(row.type) || "?",
    row.endpoints.map(safeText).join(", ") || "?",
  ]);
  const [head = "", ...lines] = tableLines(["AGE", "REASON", "KEY", "TYPE", "ENDPOINTS"], rows);
  const others = count > sample.length ? [dim(`… and ${count - sample.length} more`)] : [];
  return [
    `${bold(counted(count, "event"))} parked; at ${rate} a second it takes ${durationText(leastMs)} at least.`,
    ...(uncertain === 0 ? [] : [uncertainText(uncertain)]),
    "",
    dim(head),
    ...lines,
    ...others,
    "",
    dim(LATE),
  ];
}

const LATE = "Lists are eventually consistent: each event is looked at again when its turn comes.";

function uncertainText(count: number): string {
  const events = count === 1 ? "1 of them is left alone: its" : `${count} of them are left alone: their`;
  return `${events} last attempt may have taken effect. Look at the endpoint first, then name --reason outcome-uncertain.`;
}

export function receiptLines({ id, duplicate }: BulkReplayReceipt, { bold, dim }: Colors): readonly string[] {
  const said = duplicate ? `had been started before; nothing was started again.` : "is started.";
  return [`Bulk replay ${bold(id)} ${said}`, dim(`See how far it is: countersign bulk-replay show ${id} --follow`)];
}
