/** `show`: everything that is known of one event. */
import { requireKey } from "../require-key.ts";
import type { CliContext } from "../context.ts";
import { timelineLines } from "../event-timeline.ts";
import { withSpinner } from "../spinner.ts";
import { runUrl } from "../temporal-ui.ts";
import { withClient } from "../with-client.ts";

export async function show(context: CliContext, key: string): Promise<number> {
  requireKey(key);
  const { terminal, json, environment } = context;
  return await withClient(context, async (countersign, config) => {
    const event = await withSpinner(terminal, "Reading", async () => await countersign.get(key));
    if (json) {
      terminal.json(event);
      return 0;
    }
    const uiUrl = await runUrl(config, environment, event.key);
    const isolated = Object.values(config.endpoints).flatMap((endpoint) => (endpoint.isolated ? [endpoint.name] : []));
    const view = { nowMs: Date.now(), colors: terminal.colors, uiUrl, isolated };
    for (const line of timelineLines(event, view)) terminal.out(line);
    return 0;
  });
}
