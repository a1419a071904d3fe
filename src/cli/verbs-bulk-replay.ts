/** The verbs of mass replay. Commands are loaded when they run. */
import { type Command, InvalidArgumentError } from "commander";
import type { BulkStartCommand } from "./commands/bulk-replay-start.ts";
import type { BulkShowCommand } from "./commands/bulk-replay-show.ts";
import type { BulkSteerCommand } from "./commands/bulk-replay-steer.ts";
import { parseLimit } from "./option-values.ts";
import type { Perform, WithJson } from "./perform.ts";
import { MAX_RATE, MIN_RATE } from "../delivery/bulk-replay/pace.ts";

const ID = "id of the bulk replay, as start prints it";
const DEFAULT_LIMIT = 50;
const SAFE = `
Each event is told to go on at most once by one bulk replay, also when a worker is killed or the command is given
twice. Gates and approvals hold as ever. Events whose last attempt may have taken effect are left alone unless
--reason outcome-uncertain names them.`;

export function addBulkReplayVerbs(program: Command, perform: Perform): void {
  const bulk = program.command("bulk-replay").description("many parked events told to go on, at a pace");
  addStart(bulk, perform);
  addShow(bulk, perform);
  addSteering(bulk, perform);
  bulk
    .command("list")
    .description("bulk replays, newest first; eventually consistent")
    .option("--limit <count>", "at most so many, up to 1000", parseLimit, DEFAULT_LIMIT)
    .option("--json", "print JSON")
    .action(async (options: { readonly limit: number } & WithJson) => {
      await perform(
        "bulk-replay",
        options,
        async (context) => await (await import("./commands/bulk-replay-list.ts")).bulkReplayList(context, options),
      );
    });
}

function addStart(bulk: Command, perform: Perform): void {
  bulk
    .command("start")
    .description("replay what a selection finds; shows the count first, and asks on a terminal")
    .requiredOption("--state <state>", "needs-attention: nothing else is parked")
    .option("--endpoint <name>", "only deliveries to it")
    .option("--source <name>", "only events of this source")
    .option("--type <type>", "only events of this type")
    .option("--reason <reason>", "only what is parked for this reason, as `list` shows it")
    .option("--since <when>", "only events accepted since then: 2h ago, or 2026-11-29T10:00:00Z")
    .option("--until <when>", "only events accepted until then")
    .option("--rate <number>", "events a second (default: 10)", parseRate)
    .option("--note <text>", "why; kept with every event")
    .option("--id <id>", "the same id is the same bulk replay (default: made of the selection)")
    .option("--dry-run", "show the count and a few; start nothing")
    .option("--follow", "stay until it has ended, with a progress bar on a terminal")
    .option("--yes", "do not ask (without a terminal nothing is asked)")
    .option("--as <actor>", "who you are (default: COUNTERSIGN_ACTOR, else cli:<user>)")
    .option("--json", "print JSON")
    .addHelpText("after", SAFE)
    .action(async (options: BulkStartCommand & WithJson) => {
      await perform(
        "bulk-replay",
        options,
        async (context) => await (await import("./commands/bulk-replay-start.ts")).bulkReplayStart(context, options),
      );
    });
}

function addShow(bulk: Command, perform: Perform): void {
  bulk
    .command("show")
    .description("how far it has come, from the history alone; needs no worker")
    .argument("<id>", ID)
    .option("--items", "what became of each event")
    .option("--follow", "stay until it has ended, with a progress bar on a terminal")
    .option("--json", "print JSON")
    .action(async (id: string, options: BulkShowCommand & WithJson) => {
      await perform(
        "bulk-replay",
        options,
        async (context) => await (await import("./commands/bulk-replay-show.ts")).bulkReplayShow(context, id, options),
      );
    });
}

function addSteering(bulk: Command, perform: Perform): void {
  const verbs = [
    ["pause", "no further batch begins until it is resumed"],
    ["resume", "go on where it stood"],
    ["cancel", "end it for good; what it had not reached stays parked"],
  ] as const;
  for (const [action, description] of verbs) {
    bulk
      .command(action)
      .description(description)
      .argument("<id>", ID)
      .option("--note <text>", "why; kept with the bulk replay")
      .option("--as <actor>", "who you are (default: COUNTERSIGN_ACTOR, else cli:<user>)")
      .option("--json", "print the verdict as JSON")
      .action(async (id: string, options: BulkSteerCommand & WithJson) => {
        await perform("bulk-replay", options, async (context) => {
          const { bulkReplaySteer } = await import("./commands/bulk-replay-steer.ts");
          return await bulkReplaySteer(context, id, { ...options, action });
        });
      });
  }
}

function parseRate(text: string): number {
  const rate = /^\d{1,3}(?:\.\d{1,4})?$/.test(text) ? Number(text) : Number.NaN;
  if (rate >= MIN_RATE && rate <= MAX_RATE) return rate;
  throw new InvalidArgumentError(`It takes a number from ${MIN_RATE} to ${MAX_RATE}.`);
}
