/** `resume`: a person lets an endpoint go on, a few attempts first. */
import type { ResumeOrder } from "../../client/endpoint-words.ts";
import { CountersignError } from "../../errors.ts";
import { actorOf } from "../actor.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit-code.ts";
import { refusedResume, resumeLines } from "../resume-lines.ts";
import { withSpinner } from "../spinner.ts";
import { withClient } from "../with-client.ts";

export interface ResumeCommand {
  readonly reason?: string;
  readonly probe?: boolean;
  readonly ramp?: string;
  readonly as?: string;
}

/** Throws `refused` when it did not count. */
export async function resume(context: CliContext, endpoint: string, command: ResumeCommand): Promise<number> {
  const { terminal, json, environment } = context;
  const { reason, probe, ramp, as } = command;
  const order: ResumeOrder = {
    actor: actorOf(as, environment),
    ...(reason === undefined ? {} : { reason }),
    ...(probe === undefined ? {} : { probe }),
    ...(ramp === undefined ? {} : { ramp }),
  };
  return await withClient(context, async (countersign) => {
    const wait = "Waiting for a worker's answer";
    const report = await withSpinner(terminal, wait, async () => await countersign.resume(endpoint, order));
    if (json) terminal.json(report);
    const { counted, refusedBecause } = report;
    if (counted === false) {
      throw new CountersignError("refused", refusedResume(report), { details: { endpoint, refusedBecause } });
    }
    if (!json) for (const line of resumeLines(report, order, terminal.colors)) terminal.out(line);
    return EXIT.done;
  });
}
