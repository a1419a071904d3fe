/** `show`: everything that is known of one event. */
import type { CliContext } from "../context.ts";
import { timelineLines } from "../event-timeline.ts";
import { withSpinner } from "../spinner.ts";
import { runUrl } from "../temporal-ui.ts";
import { withClient } from "../with-client.ts";

export async function show(context: CliContext, key: string): Promise<number> {
  const { terminal, json, environment } = context;
  return await withClient(context, async (countersign, config) => {
    const event = await withSpinner(terminal, "Reading", async () => await countersign.get(key));
    if (json) {
      terminal.json(event);
      return 0;
    }
    const uiUrl = await runUrl(config, environment, event.key);
    for (const line of timelineLines(event, { nowMs: Date.now(), colors: terminal.colors, uiUrl })) terminal.out(line);
    return 0;
  });
}
