/** `endpoints`: where events go, what holds an endpoint, and how much of it is moving, waiting for a person and done. */
import type { EndpointOverview } from "../../client/endpoint-overview.ts";
import type { CliContext } from "../context.ts";
import { destinationText, endpointDetailLines } from "../endpoint-lines.ts";
import { EXIT } from "../exit-code.ts";
import { gateText } from "../gate-text.ts";
import { withSpinner } from "../spinner.ts";
import { tableLines } from "../table.ts";
import { withClient } from "../with-client.ts";

/** `name` = this one in detail. */
export async function endpoints(context: CliContext, name: string | undefined): Promise<number> {
  return name === undefined ? await all(context) : await one(context, name);
}

async function all(context: CliContext): Promise<number> {
  const { terminal, json } = context;
  return await withClient(context, async (countersign) => {
    const found = await withSpinner(terminal, "Counting", async () => await countersign.endpoints());
    if (json) terminal.json({ items: found, asOf: new Date().toISOString(), exact: false });
    else for (const line of endpointLines(found, terminal.colors)) terminal.out(line);
    return EXIT.done;
  });
}

async function one(context: CliContext, name: string): Promise<number> {
  const { terminal, json } = context;
  return await withClient(context, async (countersign) => {
    const detail = await withSpinner(terminal, "Looking", async () => await countersign.endpoint(name));
    if (json) terminal.json(detail);
    else for (const line of endpointDetailLines(detail, Date.now(), terminal.colors)) terminal.out(line);
    return EXIT.done;
  });
}

export function endpointLines(
  found: readonly EndpointOverview[],
  { dim }: CliContext["terminal"]["colors"],
): readonly string[] {
  if (found.length === 0) return ["The configuration has no endpoints."];
  const rows = found.map((endpoint) => [
    endpoint.name,
    gateText(endpoint.gate),
    String(endpoint.inProgress),
    String(endpoint.awaitingApproval),
    String(endpoint.needsAttention),
    String(endpoint.delivered),
    destinationText(endpoint),
  ]);
  const [head = "", ...lines] = tableLines(
    ["ENDPOINT", "GATE", "IN PROGRESS", "AWAITING APPROVAL", "NEEDS ATTENTION", "DELIVERED", "DESTINATION"],
    rows,
  );
  return [
    dim(head),
    ...lines,
    "",
    dim(
      "Counts of events that go there, eventually consistent. Which ones: `countersign list --endpoint NAME --state needs-attention`, or `awaiting-approval`. What holds one, and why: `countersign endpoints NAME`.",
    ),
  ];
}
