/** The verbs of the audit. Commands are loaded when they run; `verify` loads nothing of Temporal. */
import { type Command, InvalidArgumentError } from "commander";
import type { AuditExportCommand } from "./commands/audit-export.ts";
import type { AuditVerifyCommand } from "./commands/audit-verify.ts";
import type { Perform, WithJson } from "./perform.ts";

const CANNOT_SHOW = `
A chain shows what was changed inside a file. It cannot show that the file is the one that was written: whoever can
rewrite all of it can recompute every hash. So export prints the head hash on standard error: keep it elsewhere, and
verify --head compares it. Nor does it show what the history never held, or what was past its retention.
Exit codes of verify: 0 whole, 1 not whole, 2 bad usage, 3 no such file.`;

export function addAuditVerbs(program: Command, perform: Perform): void {
  const audit = program
    .command("audit")
    .description(
      "who did what when, on which revision and digest, from the history alone; also: audit endpoint, audit export, audit verify",
    )
    .argument("<key>", "key of the event: source/id")
    .option("--json", "print the records as JSON")
    .action(async (key: string, options: WithJson) => {
      await perform(
        "audit",
        options,
        async (context) => await (await import("./commands/audit.ts")).audit(context, key),
      );
    });
  addEndpoint(audit, perform);
  addExport(audit, perform);
  addVerify(audit, perform);
}

/** `audit` itself takes `--json`, wherever it stands: hence the options with those of the verb above. */
function addEndpoint(audit: Command, perform: Perform): void {
  audit
    .command("endpoint")
    .description("who paused and resumed an endpoint, what tripped and throttled it, why and until when")
    .argument("<name>", "name of the endpoint")
    .option("--json", "print the changes as JSON")
    .action(async (name: string, _own: unknown, command: Command) => {
      await perform(
        "audit",
        command.optsWithGlobals<WithJson>(),
        async (context) => await (await import("./commands/audit-endpoint.ts")).auditEndpoint(context, name),
      );
    });
}

function addExport(audit: Command, perform: Perform): void {
  audit
    .command("export")
    .description("hash-chained JSON Lines of these events, or of all that a list gives; read one by one")
    .argument("[keys...]", "keys of events: source/id")
    .option("--state <state>", "only events listed in this state, see list")
    .option("--type <type>", "only events of this type")
    .option("--source <name>", "only events of this source")
    .option("--endpoint <name>", "only events that go there")
    .option("--limit <count>", "at most so many, in the order of `list` (default: all)", parseCount)
    .option("--out <file>", "a new file, readable by you alone (default: standard output)")
    .option("--json", "print what was written, and errors, as JSON on standard error")
    .addHelpText("after", CANNOT_SHOW)
    .action(async (keys: readonly string[], _own: unknown, command: Command) => {
      const options = command.optsWithGlobals<AuditExportCommand & WithJson>();
      await perform(
        "audit",
        options,
        async (context) => await (await import("./commands/audit-export.ts")).auditExport(context, keys, options),
      );
    });
}

function addVerify(audit: Command, perform: Perform): void {
  audit
    .command("verify")
    .description("whether an export is whole, and if not, its first bad line and what is wrong with it; offline")
    .argument("<file>", "the export, or - for standard input")
    .option("--head <hash>", "the head hash that export printed")
    .option("--json", "print the result as JSON")
    .addHelpText("after", CANNOT_SHOW)
    .action(async (file: string, _own: unknown, command: Command) => {
      const options = command.optsWithGlobals<AuditVerifyCommand & WithJson>();
      await perform(
        "audit",
        options,
        async (context) => await (await import("./commands/audit-verify.ts")).auditVerify(context, file, options),
      );
    });
}

const MAX_COUNT = 1_000_000;

function parseCount(text: string): number {
  const count = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (count >= 1 && count <= MAX_COUNT) return count;
  throw new InvalidArgumentError(`It takes a whole number from 1 to ${MAX_COUNT}.`);
}
