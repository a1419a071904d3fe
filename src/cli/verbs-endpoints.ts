/** The verbs about endpoints. Commands are loaded when they run. */
import type { Command } from "commander";
import type { PauseCommand } from "./commands/pause.ts";
import type { ResumeCommand } from "./commands/resume.ts";
import type { Perform, WithJson } from "./perform.ts";

const NAME = "name of the endpoint";
const AS = "who you are (default: COUNTERSIGN_ACTOR, else cli:<user>)";

const PAUSE = `
Events are still accepted and wait, at no cost and without using up attempts. It needs no worker; where one runs, the
command returns once the pause holds everywhere, within three seconds. An attempt under way is not cut.
Resume with: countersign resume ENDPOINT`;

const RESUME = `
A few attempts try the endpoint first. Where they succeed it opens, at once or by and by (--ramp); where one fails, its
circuit holds it, or with --probe it is paused again as before. A Retry-After of the endpoint is never cut short.`;

export function addEndpointVerbs(program: Command, perform: Perform): void {
  addLooking(program, perform);
  addPause(program, perform);
  addResume(program, perform);
}

function addLooking(program: Command, perform: Perform): void {
  program
    .command("endpoints")
    .description("where events go, what holds an endpoint, and how many events move, wait for a person and are done")
    .argument("[name]", "only this endpoint, in detail")
    .option("--json", "print JSON")
    .action(async (name: string | undefined, options: WithJson) => {
      await perform(
        "endpoints",
        options,
        async (context) => await (await import("./commands/endpoints.ts")).endpoints(context, name),
      );
    });

  program
    .command("test")
    .description("send one synthetic event to an endpoint and say what came of it")
    .argument("<endpoint>", NAME)
    .option("--json", "print the event state as JSON")
    .action(async (endpoint: string, options: WithJson) => {
      await perform(
        "test",
        options,
        async (context) => await (await import("./commands/test.ts")).test(context, endpoint),
      );
    });
}

function addPause(program: Command, perform: Perform): void {
  program
    .command("pause")
    .description("stop every attempt to an endpoint, until somebody resumes it or for a time")
    .argument("<endpoint>", NAME)
    .requiredOption("--reason <text>", "why; kept in its ledger")
    .option("--for <duration>", "how long: 30m, 2h (default: until somebody resumes it)")
    .option("--until <time>", "until when, RFC 3339 with a time zone: 2030-11-30T08:00:00Z")
    .option("--as <actor>", AS)
    .option("--json", "print what became of it as JSON")
    .addHelpText("after", PAUSE)
    .action(async (endpoint: string, options: PauseCommand & WithJson) => {
      await perform(
        "pause",
        options,
        async (context) => await (await import("./commands/pause.ts")).pause(context, endpoint, options),
      );
    });
}

function addResume(program: Command, perform: Perform): void {
  program
    .command("resume")
    .description("let an endpoint go on: a few attempts try it, then it opens")
    .argument("<endpoint>", NAME)
    .option("--reason <text>", "why; kept in its ledger")
    .option("--probe", "where one of those attempts fails, pause it again as before")
    .option("--ramp <duration>", "how long the drain takes to reach full speed: 10m (default: at once)")
    .option("--as <actor>", AS)
    .option("--json", "print the verdict as JSON")
    .addHelpText("after", RESUME)
    .action(async (endpoint: string, options: ResumeCommand & WithJson) => {
      await perform(
        "resume",
        options,
        async (context) => await (await import("./commands/resume.ts")).resume(context, endpoint, options),
      );
    });
}
