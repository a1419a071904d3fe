/** The verbs of people: decisions on what waits for approval, amendments, keys. Commands are loaded when they run. */
import type { Command } from "commander";
import type { AmendCommand } from "./commands/amend.ts";
import type { DecisionCommand } from "./commands/decision.ts";
import type { KeygenCommand } from "./commands/people-keygen.ts";
import type { Perform, WithJson } from "./perform.ts";

const KEY = "key of the event: source/id";

export function addDecisionVerbs(program: Command, perform: Perform): void {
  addDecision(program, "approve", "say yes to exactly what the digest stands for")
    .option("--note <text>", "why; kept with the event")
    .action(async (key: string, options: DecisionCommand & WithJson) => {
      await perform(
        "approve",
        options,
        async (context) => await (await import("./commands/approve.ts")).approve(context, key, options),
      );
    });
  addDecision(program, "reject", "say no to it")
    .requiredOption("--note <text>", "why; kept with the event")
    .action(async (key: string, options: DecisionCommand & WithJson) => {
      await perform(
        "reject",
        options,
        async (context) => await (await import("./commands/reject.ts")).reject(context, key, options),
      );
    });
  addDecision(program, "withdraw", "take your own decision back, as long as nothing was sent")
    .option("--note <text>", "why; kept with the event")
    .action(async (key: string, options: DecisionCommand & WithJson) => {
      await perform(
        "withdraw",
        options,
        async (context) => await (await import("./commands/withdraw.ts")).withdraw(context, key, options),
      );
    });
  addAmend(program, perform);
  addPeople(program, perform);
}

function addDecision(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .argument("<key>", KEY)
    .requiredOption("--digest <digest>", "of what you looked at, as `show` prints it: whole, or its first 12 digits")
    .option("--delivery <endpoint>", "which delivery, when several wait")
    .option("--as <person>", "who you are: a person of the configuration (default: COUNTERSIGN_ACTOR)")
    .option("--key-file <file>", "sign with this private key (default: COUNTERSIGN_KEY_FILE, else unsigned)")
    .option("--yes", "do not ask (without a terminal nothing is asked)")
    .option("--json", "print the verdict as JSON");
}

function addAmend(program: Command, perform: Perform): void {
  program
    .command("amend")
    .description("replace what a parked or waiting delivery sends, or where to; it is then decided on anew")
    .argument("<key>", KEY)
    .option("--data <file>", "file with the new body, or - for standard input; sent byte for byte")
    .option("--endpoint <name>", "deliver there instead")
    .requiredOption("--reason <text>", "why; kept with the event")
    .option("--delivery <endpoint>", "which delivery, when the event has several")
    .option("--as <actor>", "who you are (default: COUNTERSIGN_ACTOR, else cli:<user>)")
    .option("--json", "print the verdict as JSON")
    .action(async (key: string, options: AmendCommand & WithJson) => {
      await perform(
        "amend",
        options,
        async (context) => await (await import("./commands/amend.ts")).amend(context, key, options),
      );
    });
}

function addPeople(program: Command, perform: Perform): void {
  program
    .command("people")
    .description("who may decide: keys for signed decisions")
    .command("keygen")
    .description("make a key pair: the private key in a file, the public key as an entry for `people`")
    .argument("<name>", "the person, as in the configuration: ana@example.com")
    .option("--out <file>", "file for the private key; never overwritten (default: ./NAME.countersign-key.pem)")
    .option("--json", "print JSON")
    .action(async (name: string, options: KeygenCommand & WithJson) => {
      await perform(
        "people",
        options,
        async (context) => await (await import("./commands/people-keygen.ts")).peopleKeygen(context, name, options),
      );
    });
}
