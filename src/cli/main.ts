/** From arguments to one exit code; everything a command prints or needs goes through its context. */
import { Command } from "commander";
import { VERSION } from "../version.ts";
import type { CliContext, Invocation } from "./context.ts";
import { EXIT } from "./exit-code.ts";
import type { Perform } from "./perform.ts";
import { reportError } from "./report-error.ts";
import { takeSignals } from "./signals.ts";
import { createTerminal, type Terminal } from "./terminal.ts";
import { addVerbs } from "./verbs.ts";

/** Runs one command. Never throws: whatever happens becomes words on standard error and an exit code. */
export async function runCli(invocation: Invocation): Promise<number> {
  const { argv } = invocation;
  const terminal = createTerminal(invocation);
  let verb = argv.find((word) => !word.startsWith("-")) ?? "";
  let exitCode: number = EXIT.done;
  const program = createProgram(terminal);
  const perform: Perform = async (name, options, body) => {
    verb = name;
    exitCode = await body(contextOf(invocation, { terminal, program, json: options.json === true }));
  };
  addVerbs(program, perform);
  if (argv.length === 0) {
    terminal.note(program.helpInformation());
    return EXIT.badUsage;
  }
  try {
    await program.parseAsync(argv, { from: "user" });
    return exitCode;
  } catch (error) {
    const known = program.commands.some((command) => command.name() === verb);
    return reportError(error, { verb: known ? verb : "", json: argv.includes("--json"), terminal });
  }
}

function createProgram(terminal: Terminal): Command {
  return new Command("countersign")
    .description("Deliver business events as durable workflows on Temporal.")
    .option(
      "--config <file>",
      "configuration file (default: COUNTERSIGN_CONFIG, else countersign.config.* here or above)",
    )
    .version(VERSION)
    .helpCommand(true)
    .showSuggestionAfterError(true)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.out(text.replace(/\n$/, "")),
      // Said once, by `reportError`.
      writeErr: () => undefined,
    })
    .addHelpText(
      "after",
      "\nThe Temporal server is the one of TEMPORAL_ADDRESS or your Temporal profile, else 127.0.0.1:7233.\nExit codes: 0 done, 1 failed, 2 bad usage or configuration, 3 not found, 4 refused, 5 Temporal unreachable.",
    );
}

interface ContextParts {
  readonly terminal: Terminal;
  readonly program: Command;
  readonly json: boolean;
}

function contextOf(invocation: Invocation, { terminal, program, json }: ContextParts): CliContext {
  const { environment, cwd, stdin } = invocation;
  const { config: configPath } = program.opts<{ readonly config?: string }>();
  return {
    environment,
    cwd,
    stdin,
    terminal,
    json,
    configPath,
    takeSignals: invocation.takeSignals ?? (() => takeSignals(process)),
    async config({ alsoAllowPrivate = [] } = {}) {
      const { loadConfig } = await import("../config/load-config.ts");
      return await loadConfig({ cwd, path: configPath, environment, alsoAllowPrivate });
    },
  };
}
