/** `audit KEY`: who did what when with one event, from its history alone. */
import { readAudit } from "../../client/read-audit.ts";
import { auditLines } from "../audit-lines.ts";
import type { CliContext } from "../context.ts";
import { requireKey } from "../require-key.ts";
import { withSpinner } from "../spinner.ts";
import { withClient } from "../with-client.ts";

export async function audit(context: CliContext, key: string): Promise<number> {
  requireKey(key);
  const { terminal, json } = context;
  return await withClient(context, async (countersign) => {
    const { records, complete } = await withSpinner(terminal, "Reading", async () => await readAudit(countersign, key));
    if (json) terminal.json(records);
    else for (const line of auditLines(key, records, terminal.colors)) terminal.out(line);
    if (!complete) terminal.note("Conflicts are not known: the server did not list them.");
    return 0;
  });
}
