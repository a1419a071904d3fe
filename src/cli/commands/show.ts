/** `show`: everything that is known of one event. */
import type { EventReport } from "../../client/get-event.ts";
import { CountersignError } from "../../errors.ts";
import { readConnectionProfile } from "../../temporal/connection-profile.ts";
import { bodyPages } from "../body-pages.ts";
import type { CliContext } from "../context.ts";
import { timelineLines } from "../event-timeline.ts";
import { requireKey } from "../require-key.ts";
import { withSpinner } from "../spinner.ts";
import { runUrl } from "../temporal-ui.ts";
import { withClient } from "../with-client.ts";

export interface ShowCommand {
  /** Of the body of a proposal, from 1. */
  readonly page: number;
}

export async function show(context: CliContext, key: string, { page }: ShowCommand): Promise<number> {
  requireKey(key);
  const { terminal, json, environment } = context;
  return await withClient(context, async (countersign, config) => {
    const event = await withSpinner(terminal, "Reading", async () => await countersign.get(key));
    if (json) {
      terminal.json(event);
      return 0;
    }
    requirePage(event, page);
    const { namespace } = readConnectionProfile({ temporal: config.temporal, environment });
    const uiUrl = await runUrl(config, environment, event.key);
    const isolated = Object.values(config.endpoints).flatMap((endpoint) => (endpoint.isolated ? [endpoint.name] : []));
    const people = Object.keys(config.people);
    const view = { nowMs: Date.now(), colors: terminal.colors, uiUrl, isolated, page, people, namespace };
    for (const line of timelineLines(event, view)) terminal.out(line);
    return 0;
  });
}

/** Throws `bad_argument` for a page that no body has. */
export function requirePage({ deliveries }: EventReport, page: number): void {
  const pages = deliveries.map(({ proposal }) => (proposal === null ? 0 : bodyPages(proposal.action).length));
  const most = Math.max(1, ...pages);
  if (page <= most) return;
  throw new CountersignError("bad_argument", `There is no page ${page}: the longest body to show has ${most}.`);
}
