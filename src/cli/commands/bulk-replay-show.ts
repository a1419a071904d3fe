/** `bulk-replay show`: how far it has come, and with `--items` what became of each event. */
import type { BulkReplays } from "../../client/bulk-replays.ts";
import type { ItemResult } from "../../delivery/bulk-replay/item.ts";
import { followBulkReplay } from "../bulk-replay-follow.ts";
import { itemLine, statusLines } from "../bulk-replay-lines.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit-code.ts";
import { withSpinner } from "../spinner.ts";
import { withClient } from "../with-client.ts";

export interface BulkShowCommand {
  readonly items?: boolean;
  readonly follow?: boolean;
}

export async function bulkReplayShow(context: CliContext, id: string, options: BulkShowCommand): Promise<number> {
  const { items = false, follow = false } = options;
  return await withClient(context, async ({ bulkReplays }) => {
    if (follow && !items) return await followBulkReplay(context, bulkReplays, id);
    return await show(context, bulkReplays, { id, items });
  });
}

async function show(
  { terminal, json }: CliContext,
  bulkReplays: BulkReplays,
  { id, items }: { readonly id: string; readonly items: boolean },
): Promise<number> {
  const status = await withSpinner(terminal, "Reading", async () => await bulkReplays.show(id));
  if (!items) {
    if (json) terminal.json(status);
    else for (const line of statusLines(status, terminal.colors)) terminal.out(line);
    return EXIT.done;
  }
  const found = await bulkReplays.items(id);
  if (json) {
    const all: ItemResult[] = [];
    for await (const item of found.items) all.push(item);
    terminal.json({ ...status, items: all, complete: found.complete });
    return EXIT.done;
  }
  for (const line of statusLines(status, terminal.colors)) terminal.out(line);
  terminal.out("");
  for await (const item of found.items) terminal.out(itemLine(item, terminal.colors));
  if (!found.complete)
    terminal.note("Earlier runs of it are past their retention in Temporal: their events are not listed here.");
  return EXIT.done;
}
