/** `endpoints`: where events go, and how much of it is moving, waiting for a person and done. */
import type { EndpointOverview } from "../../client/endpoint-overview.ts";
import type { CliContext } from "../context.ts";
import { withSpinner } from "../spinner.ts";
import { tableLines } from "../table.ts";
import { withClient } from "../with-client.ts";

export async function endpoints(context: CliContext, name: string | undefined): Promise<number> {
  const { terminal, json } = context;
  return await withClient(context, async (countersign) => {
    const found = await withSpinner(terminal, "Counting", async () => await countersign.endpoints(name));
    if (json)
      terminal.json(name === undefined ? { items: found, asOf: new Date().toISOString(), exact: false } : found[0]);
    else for (const line of endpointLines(found, terminal.colors)) terminal.out(line);
    return 0;
  });
}

export function endpointLines(
  found: readonly EndpointOverview[],
  { dim }: CliContext["terminal"]["colors"],
): readonly string[] {
  if (found.length === 0) return ["The configuration has no endpoints."];
  const rows = found.map((endpoint) => [
    endpoint.name,
    String(endpoint.inProgress),
    String(endpoint.awaitingApproval),
    String(endpoint.needsAttention),
    String(endpoint.delivered),
    [endpoint.destination, ...traits(endpoint)].join("  "),
  ]);
  const [head = "", ...lines] = tableLines(
    ["ENDPOINT", "IN PROGRESS", "AWAITING APPROVAL", "NEEDS ATTENTION", "DELIVERED", "DESTINATION"],
    rows,
  );
  return [
    dim(head),
    ...lines,
    "",
    dim(
      "Counts of events that go there, eventually consistent. Which ones: `countersign list --endpoint NAME --state needs-attention`, or `awaiting-approval`.",
    ),
  ];
}

function traits({ isolated, idempotent }: EndpointOverview): readonly string[] {
  return [...(isolated ? ["(isolated)"] : []), ...(idempotent ? [] : ["(not idempotent)"])];
}
