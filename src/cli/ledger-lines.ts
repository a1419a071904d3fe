/** The ledger of an endpoint as a table: when, what, who, until when, why. */
import type { LedgerEntry } from "../delivery/gates/ledger.ts";
import { safeText } from "./safe-text.ts";
import { tableLines } from "./table.ts";
import type { Colors } from "./terminal.ts";

const HEAD = ["WHEN (UTC)", "WHAT", "WHO", "UNTIL (UTC)", "WHY"];

export function ledgerLines(ledger: readonly LedgerEntry[], { dim }: Colors): readonly string[] {
  const rows = ledger.map(({ at, what, who, until, why }) => [
    whenText(at),
    what,
    safeText(who),
    until === null ? "-" : whenText(until),
    safeText(why) || "-",
  ]);
  const [head = "", ...lines] = tableLines(HEAD, rows);
  return [dim(head), ...lines];
}

/** `2026-11-29 10:00:00`: what was tripped at 10:00:00.9 is looked for by the second. */
function whenText(at: string): string {
  return `${at.slice(0, 10)} ${at.slice(11, 19)}`;
}
