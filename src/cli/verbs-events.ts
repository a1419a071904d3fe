/** The verbs about events. Commands are loaded when they run. */
import type { Command } from "commander";
import type { ListCommand } from "./commands/list.ts";
import type { ReplayCommand } from "./commands/replay.ts";
import type { ResolutionCommand } from "./commands/resolution.ts";
import type { SendCommand } from "./commands/send.ts";
import type { ShowCommand } from "./commands/show.ts";
import { parseLimit, parseNames, parsePage } from "./option-values.ts";
import type { Perform, WithJson } from "./perform.ts";

const DEFAULT_LIMIT = 50;
const KEY = "key of the event: source/id";

export function addEventVerbs(program: Command, perform: Perform): void {
  addSend(program, perform);
  addReadVerbs(program, perform);
  addResolutions(program, perform);
}

function addSend(program: Command, perform: Perform): void {
  program
    .command("send")
    .description(
      "accept an event: FILE, standard input or --data is its body, sent byte for byte; without --type it is a whole event as JSON",
    )
    .argument("[file]", "file with the body, or - for standard input")
    .option("--data <text>", "the body itself")
    .option("--source <name>", "who says so: a configured source")
    .option("--type <type>", "what happened, such as order.created")
    .option("--id <id>", "the event's own id: the same id is the same event")
    .option(
      "--id-from <paths>",
      "make the id of these members: data.orderId,data.status (default: idFrom of the source)",
      parseNames,
    )
    .option("--subject <subject>", "what it is about")
    .option("--time <time>", "when it happened, RFC 3339")
    .option("--content-type <type>", "media type of the body (default: application/json)")
    .option("--synthetic", "one attempt, marked as a test, never retried or parked")
    .option("--json", "print the receipt as JSON")
    .action(async (file: string | undefined, options: Omit<SendCommand, "file"> & WithJson) => {
      await perform(
        "send",
        options,
        async (context) => await (await import("./commands/send.ts")).send(context, { ...options, file }),
      );
    });
}

function addReadVerbs(program: Command, perform: Perform): void {
  program
    .command("show")
    .description("everything that is known of one event, attempt by attempt")
    .argument("<key>", KEY)
    .option("--page <number>", "of the body that waits for approval, where it is longer than 64 KiB", parsePage, 1)
    .option("--json", "print the event state as JSON")
    .action(async (key: string, options: ShowCommand & WithJson) => {
      await perform(
        "show",
        options,
        async (context) => await (await import("./commands/show.ts")).show(context, key, options),
      );
    });

  program
    .command("list")
    .description("events, newest first, those that have not ended before the others; eventually consistent")
    .option(
      "--state <state>",
      "in-progress, awaiting-approval, needs-attention, delivered, rejected, expired or discarded",
    )
    .option("--endpoint <name>", "only events that go there")
    .option("--source <name>", "only events of this source")
    .option("--type <type>", "only events of this type")
    .option("--limit <count>", "at most so many, up to 1000", parseLimit, DEFAULT_LIMIT)
    .option("--oldest", "oldest first, of the first 1000 of the list")
    .option("--json", "print JSON")
    .action(async (options: ListCommand & WithJson) => {
      await perform(
        "list",
        options,
        async (context) => await (await import("./commands/list.ts")).list(context, options),
      );
    });
}

function addResolutions(program: Command, perform: Perform): void {
  addResolution(program, "replay", "try a parked delivery again, with the same key and a fresh budget")
    .option("--yes", "do not ask (without a terminal nothing is asked)")
    .action(async (key: string, options: ReplayCommand & WithJson) => {
      await perform(
        "replay",
        options,
        async (context) => await (await import("./commands/replay.ts")).replay(context, key, options),
      );
    });
  addResolution(program, "discard", "end a delivery without sending it").action(
    async (key: string, options: ResolutionCommand & WithJson) => {
      await perform(
        "discard",
        options,
        async (context) => await (await import("./commands/discard.ts")).discard(context, key, options),
      );
    },
  );
  addResolution(program, "mark-delivered", "record that the endpoint has it; the reason is the evidence").action(
    async (key: string, options: ResolutionCommand & WithJson) => {
      await perform(
        "mark-delivered",
        options,
        async (context) => await (await import("./commands/mark-delivered.ts")).markDelivered(context, key, options),
      );
    },
  );
}

/** A verb that takes a person's word on one delivery. */
export function addResolution(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .argument("<key>", KEY)
    .requiredOption("--reason <text>", "why; kept with the event")
    .option("--delivery <endpoint>", "which delivery, when the event has several")
    .option("--as <actor>", "who you are (default: COUNTERSIGN_ACTOR, else cli:<user>)")
    .option("--json", "print the verdict as JSON");
}
