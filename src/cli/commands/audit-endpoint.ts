/** `audit endpoint NAME`: who stopped it, what tripped it, who let it go on, from the histories alone. */
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit-code.ts";
import { ledgerLines } from "../ledger-lines.ts";
import { withSpinner } from "../spinner.ts";
import { withClient } from "../with-client.ts";

export async function auditEndpoint(context: CliContext, name: string): Promise<number> {
  const { terminal, json } = context;
  return await withClient(context, async (countersign) => {
    const { entries, complete } = await withSpinner(terminal, "Reading", async () => await countersign.ledger(name));
    if (json) terminal.json(entries);
    else if (entries.length === 0) terminal.out(`Nothing has ever held ${name}, as far as Temporal still knows.`);
    else for (const line of [terminal.colors.bold(name), ...ledgerLines(entries, terminal.colors)]) terminal.out(line);
    if (!complete) terminal.note("Earlier changes are past their retention in Temporal, or too many to be read here.");
    return EXIT.done;
  });
}
