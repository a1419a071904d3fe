/** The verbs of API keys. Commands are loaded when they run; neither needs a server, and `create` no configuration. */
import type { Command } from "commander";
import type { KeysCreateCommand } from "./commands/keys-create.ts";
import { collectValue } from "./option-values.ts";
import type { Perform, WithJson } from "./perform.ts";

const ROLES = `
Roles: ingest sends events and can do nothing else; viewer reads; approver reads and decides; operator reads, replays,
discards, amends, pauses and resumes. Rotate by creating a second key, adding its entry, moving its user over, and
removing the entry of the first.`;

export function addKeyVerbs(program: Command, perform: Perform): void {
  const keys = program.command("keys").description("API keys of the HTTP door: make one, or see which there are");
  addCreate(keys, perform);
  keys
    .command("list")
    .description("the keys of the configuration: role, scope, person and expiry")
    .option("--json", "print JSON")
    .action(async (options: WithJson) => {
      await perform(
        "keys",
        options,
        async (context) => await (await import("./commands/keys-list.ts")).keysList(context),
      );
    });
}

function addCreate(keys: Command, perform: Perform): void {
  keys
    .command("create")
    .description("print a new key, once, and its entry for `keys` of the configuration")
    .requiredOption("--role <role>", "ingest, viewer, approver or operator")
    .option("--source <name>", "it may send for this source; may be given several times", collectValue)
    .option("--type <pattern>", "it may send events of this type: 'order.*'; may be given several times", collectValue)
    .option("--person <name>", "whatever is done with it is done in this person's name")
    .option("--expires <when>", "how long it is good, 90d, or until when, 2030-01-31T00:00:00Z (default: never)")
    .option("--json", "print { key, entry } as JSON")
    .addHelpText("after", ROLES)
    .action(async (options: KeysCreateCommand & WithJson) => {
      await perform(
        "keys",
        options,
        async (context) => await (await import("./commands/keys-create.ts")).keysCreate(context, options),
      );
    });
}
