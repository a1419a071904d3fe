/** The command line as people run it: a process of its own, from sources, in a folder with a configuration. */
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { nodeArguments } from "./node-arguments.ts";
import { until } from "./until.ts";

export interface Finished {
  /** null = ended by a signal. */
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** All of standard input; absent = empty. */
  readonly input?: string | Uint8Array;
}

export interface RunningCommand {
  readonly pid: number;
  stdout(): string;
  stderr(): string;
  /** Resolves once the text stands on either stream; throws when the process ends before. */
  says(text: string): Promise<void>;
  signal(name: NodeJS.Signals): void;
  readonly finished: Promise<Finished>;
}

const BIN = fileURLToPath(new URL("../../src/cli/bin.ts", import.meta.url));

/** Starts a command and leaves it running. */
export function startCommand(
  argv: readonly string[],
  { cwd, environment, input = "" }: CommandOptions,
): RunningCommand {
  const child = spawn(process.execPath, [...nodeArguments(BIN), ...argv], {
    cwd,
    env: environment,
    stdio: ["pipe", "pipe", "pipe"],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error("Node could not be started");
  const said = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk: Buffer) => (said.stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (said.stderr += chunk.toString()));
  child.stdin.on("error", () => undefined).end(input);
  let ended = false;
  const finished = new Promise<Finished>((resolve) => {
    child.once("close", (exit) => {
      ended = true;
      resolve({ exit, ...said });
    });
  });
  return {
    pid,
    stdout: () => said.stdout,
    stderr: () => said.stderr,
    async says(text) {
      await until(`countersign ${argv.join(" ")} says ${text}`, () => {
        if (`${said.stdout}${said.stderr}`.includes(text)) return true;
        if (ended)
          throw new Error(`countersign ${argv.join(" ")} ended before it said ${text}: ${JSON.stringify(said)}`);
        return false;
      });
    },
    signal: (name) => void child.kill(name),
    finished,
  };
}

/** Runs a command to its end. */
export async function countersign(argv: readonly string[], options: CommandOptions): Promise<Finished> {
  return await startCommand(argv, options).finished;
}

export interface Folder {
  readonly path: string;
  remove(): Promise<void>;
}

/** A temporary folder with files in it. */
export async function aFolder(files: Readonly<Record<string, string | Uint8Array>>): Promise<Folder> {
  const path = await mkdtemp(join(tmpdir(), "countersign-cli-"));
  for (const [name, content] of Object.entries(files)) await writeFile(join(path, name), content);
  return { path, remove: async () => await rm(path, { recursive: true, force: true }) };
}
