/** `pause`: a person stops every attempt to an endpoint. */
import type { PauseReport } from "../../client/endpoint-control.ts";
import type { PauseOrder } from "../../client/endpoint-words.ts";
import { actorOf } from "../actor.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit-code.ts";
import { pauseLines, unconfirmedWarning } from "../pause-lines.ts";
import { withSpinner } from "../spinner.ts";
import { withClient } from "../with-client.ts";

export interface PauseCommand {
  readonly reason: string;
  readonly for?: string;
  readonly until?: string;
  readonly as?: string;
}

export async function pause(context: CliContext, endpoint: string, command: PauseCommand): Promise<number> {
  const { terminal, json, environment } = context;
  const { reason, for: duration, until, as } = command;
  const order: PauseOrder = {
    actor: actorOf(as, environment),
    reason,
    ...(duration === undefined ? {} : { for: duration }),
    ...(until === undefined ? {} : { until }),
  };
  return await withClient(context, async (countersign) => {
    const wait = "Waiting until it holds everywhere";
    const report = await withSpinner(terminal, wait, async () => await countersign.pause(endpoint, order));
    if (json) terminal.json(report satisfies PauseReport);
    else for (const line of pauseLines(report, Date.now(), terminal.colors)) terminal.out(line);
    if (!report.confirmed) terminal.note(terminal.noteColors.yellow(unconfirmedWarning(report)));
    return EXIT.done;
  });
}
