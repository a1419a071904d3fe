/** What was looked up after an uncertain attempt, as lines of a timeline. */
import type { LookupFinding, LookupRecord } from "../delivery/lookup.ts";
import { lookupClause } from "../delivery/uncertain-words.ts";
import { safeText } from "./safe-text.ts";
import type { Colors } from "./terminal.ts";
import { clockText, tookText } from "./time-text.ts";

export function lookupLines(lookup: LookupRecord, colors: Colors): readonly string[] {
  const { at, attempt, durationMs, found, reference } = lookup;
  const head = `${clockText(at)}  ${colorFinding(found, colors)} about #${attempt}: ${safeText(lookupClause(lookup))}`;
  const took = colors.dim(`(took ${tookText(durationMs)})`);
  return [`${head}  ${took}`, ...(reference === undefined ? [] : [colors.dim(`reference ${safeText(reference)}`)])];
}

function colorFinding(found: LookupFinding, { green, yellow }: Colors): string {
  return found === "delivered" ? green("lookup") : yellow("lookup");
}
