/** Following a bulk replay to its end: a bar on a terminal, and its report as the result. */
import { setTimeout as pause } from "node:timers/promises";
import type { BulkReplays } from "../client/bulk-replays.ts";
import type { BulkReplayStatus } from "../client/bulk-replay-show.ts";
import { leastMs } from "../delivery/bulk-replay/pace.ts";
import { durationText } from "../delivery/summaries.ts";
import { statusLines } from "./bulk-replay-lines.ts";
import type { CliContext } from "./context.ts";
import { EXIT } from "./exit-code.ts";

const LOOK_EVERY_MS = 1000;

/** Leaving by Ctrl-C leaves the bulk replay running. */
export async function followBulkReplay(context: CliContext, bulkReplays: BulkReplays, id: string): Promise<number> {
  const { terminal, json } = context;
  const draws = terminal.stderr.isTTY === true && !json;
  for (;;) {
    const status = await bulkReplays.show(id);
    const isOver = status.endedAt !== null || status.endedOutside !== undefined;
    if (draws) terminal.stderr.write(`\r${CLEAR_LINE}${isOver ? "" : barText(status)}`);
    if (isOver) return report(context, status);
    await pause(LOOK_EVERY_MS);
  }
}

function report({ terminal, json }: CliContext, status: BulkReplayStatus): number {
  if (json) terminal.json(status);
  else for (const line of statusLines(status, terminal.colors)) terminal.out(line);
  return status.state === "finished" ? EXIT.done : EXIT.failed;
}

/** ECMA-48, "erase in line": from the cursor to the end. */
const CLEAR_LINE = "\u001b[K";
const BAR_WIDTH = 24;

/** `[######------------------] 1250 of 5000, 1249 replayed, running, 3 min 8 s left at least`. */
export function barText({ done, expected, replayed, state, rate }: BulkReplayStatus): string {
  const filled = expected === 0 ? 0 : Math.min(BAR_WIDTH, Math.floor((BAR_WIDTH * done) / expected));
  const bar = `[${"#".repeat(filled)}${"-".repeat(BAR_WIDTH - filled)}]`;
  const left =
    state === "running" && expected > done ? `, ${durationText(leastMs(expected - done, rate))} left at least` : "";
  return `${bar} ${done} of ${expected}, ${replayed} replayed, ${state}${left}`;
}
