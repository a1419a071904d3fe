/** `test`: one synthetic event to one endpoint, and what came of it. */
import { displayUrl } from "../../config/resolve-endpoint.ts";
import type { Config } from "../../config/config.ts";
import type { EventReport } from "../../client/get-event.ts";
import { SECOND_MS } from "../../delivery/durations.ts";
import { attemptLines } from "../attempt-lines.ts";
import type { CliContext } from "../context.ts";
import { heldInstead } from "../held-endpoint.ts";
import { withSpinner } from "../spinner.ts";
import { withClient } from "../with-client.ts";

/** Acceptance, a queue, and a worker that starts. */
const MARGIN_MS = 15 * SECOND_MS;

/** Exit 0 when it was delivered, 1 when not. Throws `endpoint_held`, mostly before anything is sent, and `timeout`. */
export async function test(context: CliContext, endpoint: string): Promise<number> {
  const { terminal, json } = context;
  return await withClient(context, async (countersign, config) => {
    const { key } = await countersign.test(endpoint);
    const waitMs = (config.endpoints[endpoint]?.timeouts.totalMs ?? 0) + MARGIN_MS;
    const event = await withSpinner(
      terminal,
      `Waiting for ${endpoint}`,
      async () =>
        await countersign.settled(key, { timeout: `${waitMs}ms` }).catch(async (error: unknown) => {
          throw await heldInstead(error, { key, look: async () => await countersign.endpoint(endpoint) });
        }),
    );
    if (json) terminal.json(event);
    else for (const line of outcomeLines(event, { endpoint, config, context })) terminal.out(line);
    return event.state === "delivered" ? 0 : 1;
  });
}

interface OutcomeView {
  readonly endpoint: string;
  readonly config: Config;
  readonly context: CliContext;
}

function outcomeLines(event: EventReport, { endpoint, config, context }: OutcomeView): readonly string[] {
  const { colors } = context.terminal;
  const attempt = event.deliveries[0]?.attempts.at(-1);
  const configured = config.endpoints[endpoint];
  const destination = configured === undefined ? "" : ` (${displayUrl(configured)})`;
  const verdict = event.state === "delivered" ? colors.green("works") : colors.red("did not take the test event");
  return [
    `${colors.bold(endpoint)}${destination} ${verdict}.`,
    ...(attempt === undefined
      ? ["  nothing was sent"]
      : attemptLines({ endpoint, attempt }, colors).map((line) => `  ${line}`)),
  ];
}
