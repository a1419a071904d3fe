/** A script of ours as a real process that can be killed for real; it never outlives the process that started it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { nodeArguments } from "./node-arguments.ts";
import { until, type UntilOptions } from "./until.ts";

/** One line of standard output, parsed; children print JSON only. */
export type Line = Readonly<Record<string, unknown>>;

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface Child {
  readonly pid: number;
  /** Everything printed so far. */
  readonly lines: readonly Line[];
  /** Resolves with the first line that matches; throws when the process ends before, with what it said. */
  line(claim: string, matches: (line: Line) => boolean, options?: UntilOptions): Promise<Line>;
  /** Sends one line to its standard input. */
  tell(word: string): void;
  /** SIGKILL: the process has no chance to do anything more. Resolves once it is gone. */
  kill(): Promise<void>;
  /** SIGTERM; resolves once it has left by itself. */
  terminate(): Promise<Exit>;
  readonly exited: Promise<Exit>;
}

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const ERROR_TAIL = 4000;

/** Runs `test/support/<script>` with one JSON argument; the script must end when its standard input does. */
export function startChild(script: string, argument: unknown, environment: NodeJS.ProcessEnv = process.env): Child {
  const file = fileURLToPath(new URL(script, import.meta.url));
  const child = spawn(process.execPath, [...nodeArguments(file), JSON.stringify(argument)], {
    cwd: ROOT,
    env: environment,
    stdio: ["pipe", "pipe", "pipe"],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${script} could not be started`);
  const lines: Line[] = [];
  createInterface({ input: child.stdout }).on("line", (text) => lines.push(JSON.parse(text) as Line)); // our own scripts print objects
  let complaints = "";
  child.stderr.on("data", (chunk: Buffer) => (complaints = (complaints + chunk.toString()).slice(-ERROR_TAIL)));
  // A killed process closes its pipe before anybody is told.
  child.stdin.on("error", () => undefined);
  let exit: Exit | null = null;
  const exited = once(child, "exit").then(([code, signal]) => (exit = { code, signal } as Exit)); // as Node documents it
  return {
    pid,
    lines,
    async line(claim, matches, options) {
      return await until(
        `${script}: ${claim}`,
        () => {
          const found = lines.find(matches);
          if (found === undefined && exit !== null)
            throw new Error(`${script} ended (${JSON.stringify(exit)}) before: ${claim}\n${complaints}`);
          return found;
        },
        options,
      );
    },
    tell: (word) => void child.stdin.write(`${word}\n`),
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
    async terminate() {
      child.kill("SIGTERM");
      return await exited;
    },
    exited,
  };
}
