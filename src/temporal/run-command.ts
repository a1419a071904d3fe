/** Runs a short-lived command with a deadline and says in one phrase why it failed. */
import { spawn } from "node:child_process";
import type { Environment } from "./connection-profile.ts";

/** Output beyond this is not kept; what we read are versions and last lines. */
const MAX_OUTPUT_CHARS = 64 * 1024;
const MAX_REASON_CHARS = 240;

export interface CommandOptions {
  readonly environment: Environment;
  readonly deadlineMs: number;
  /** Asked at the deadline: true = it is getting somewhere, wait as long again. */
  readonly isProgressing?: () => Promise<boolean>;
}

export type CommandResult =
  | { readonly kind: "done"; readonly stdout: string }
  /** `reason` is one phrase: not found, timed out, or the last line the command wrote. */
  | { readonly kind: "failed"; readonly reason: string };

/** Never throws: what a command does is data. Its process group ends with the deadline. */
export function runCommand(command: readonly [string, ...string[]], options: CommandOptions): Promise<CommandResult> {
  const [file, ...args] = command;
  return new Promise((resolve) => {
    const ownGroup = process.platform !== "win32";
    const child = spawn(file, args, {
      env: options.environment,
      stdio: ["ignore", "pipe", "pipe"],
      detached: ownGroup,
      windowsHide: true,
    });
    let timedOut = false;
    const onDeadline = async (): Promise<void> => {
      if ((await options.isProgressing?.()) === true) {
        timer = startTimer();
        return;
      }
      timedOut = true;
      endGroup(child.pid, ownGroup);
    };
    const startTimer = (): NodeJS.Timeout => setTimeout(() => void onDeadline(), options.deadlineMs);
    let timer = startTimer();
    const stdout = collect(child.stdout);
    const stderr = collect(child.stderr);
    const finish = (result: CommandResult): void => {
      clearTimeout(timer);
      resolve(result);
    };
    child.once("error", (error: NodeJS.ErrnoException) => finish({ kind: "failed", reason: spawnFailure(error) }));
    child.once("close", (code) => {
      if (timedOut) finish({ kind: "failed", reason: `no end within ${options.deadlineMs / 1000} s` });
      else if (code === 0) finish({ kind: "done", stdout: stdout() });
      else finish({ kind: "failed", reason: lastLine(stderr() || stdout()) || `exit status ${code}` });
    });
  });
}

function collect(stream: NodeJS.ReadableStream): () => string {
  let text = "";
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => {
    text = (text + chunk).slice(-MAX_OUTPUT_CHARS);
  });
  return () => text;
}

/** A command may have children of its own (a server, a compiler); on POSIX all of them are in its group. */
function endGroup(pid: number | undefined, ownGroup: boolean): void {
  if (pid === undefined) return;
  try {
    process.kill(ownGroup ? -pid : pid, "SIGKILL");
  } catch {
    // Already gone: the close event tells the rest.
  }
}

function spawnFailure(error: NodeJS.ErrnoException): string {
  return error.code === "ENOENT" ? "not found" : `cannot be run (${error.code ?? "unknown error"})`;
}

/** Package managers print index addresses, which may carry credentials: those are cut out. */
function lastLine(text: string): string {
  const line = text.trimEnd().split("\n").at(-1)?.trim() ?? "";
  return line.replaceAll(/\/\/[^/\s@]*@/g, "//").slice(0, MAX_REASON_CHARS);
}
