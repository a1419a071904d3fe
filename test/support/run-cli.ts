/** The command line in this process: cheap enough for looking again and again, and the only way to give it a terminal. */
import { PassThrough } from "node:stream";
import { runCli } from "../../src/cli/main.ts";
import type { Environment } from "../../src/cli/context.ts";
import type { Finished } from "./command-line.ts";

export interface RunOptions {
  readonly cwd: string;
  readonly environment: Environment;
  /** Both ends are a terminal, and each question is answered with this; absent = there is none. */
  readonly answer?: string | undefined;
}

const SCREEN = { isTTY: true, cursorTo: () => true, clearLine: () => true, moveCursor: () => true };

/** Runs one command to its end. */
export async function runHere(argv: readonly string[], options: RunOptions): Promise<Finished> {
  const { cwd, answer } = options;
  const said = { stdout: "", stderr: "" };
  const collecting = (name: keyof typeof said): PassThrough =>
    new PassThrough().on("data", (chunk: Buffer) => void (said[name] += chunk.toString()));
  const [stdout, stderr] = [collecting("stdout"), collecting("stderr")];
  const stdin = new PassThrough();
  if (answer === undefined) stdin.end();
  else {
    for (const end of [stdin, stderr]) Object.assign(end, SCREEN);
    stderr.on("data", (chunk: Buffer) => {
      if (chunk.toString().includes("[y/N]")) stdin.write(answer);
    });
  }
  const environment = { ...options.environment, NO_COLOR: "1" };
  const exit = await runCli({ argv, environment, cwd, stdin, stdout, stderr });
  return { exit, ...said };
}
