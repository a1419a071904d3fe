/** `bulk-replay list`: which there are, as a table. */
import type { BulkReplayRow } from "../../client/bulk-replay-list.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit-code.ts";
import { safeText } from "../safe-text.ts";
import { withSpinner } from "../spinner.ts";
import { tableLines } from "../table.ts";
import { ageText } from "../time-text.ts";
import { withClient } from "../with-client.ts";

export async function bulkReplayList(context: CliContext, options: { readonly limit: number }): Promise<number> {
  const { terminal, json } = context;
  return await withClient(context, async ({ bulkReplays }) => {
    const rows = await withSpinner(terminal, "Listing", async () => await bulkReplays.list(options));
    if (json) terminal.json({ items: rows, asOf: new Date().toISOString(), exact: false });
    else for (const line of bulkReplayLines(rows, Date.now())) terminal.out(line);
    return EXIT.done;
  });
}

export function bulkReplayLines(rows: readonly BulkReplayRow[], nowMs: number): readonly string[] {
  if (rows.length === 0) return ["No bulk replays."];
  const cells = rows.map(({ id, state, startedAt, noted }) => [
    ageText(startedAt, nowMs),
    state,
    noted === null ? "?" : `${noted.done} of ${noted.expected}`,
    id,
    noted === null ? "?" : safeText(noted.actor),
  ]);
  return [
    ...tableLines(["AGE", "STATE", "DONE", "ID", "BY"], cells),
    "",
    "As each last noted it; `countersign bulk-replay show ID` is exact.",
  ];
}
