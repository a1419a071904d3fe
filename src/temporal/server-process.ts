/** A server as a child process that never outlives this one. */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import type { Environment } from "./connection-profile.ts";

const KILL_AFTER_MS = 10_000;
const TAIL_LINES = 20;

/**
 * Ends the server when this process is gone, however it went: `read` returns when the pipe closes. Argument: pid.
 * TERM first; KILL also ends a server that was stopped with SIGSTOP.
 */
const WATCHDOG_SCRIPT =
  'read -r _; kill -TERM "$0"; n=0; while kill -0 "$0" && [ $n -lt 10 ]; do sleep 1; n=$((n+1)); done; kill -KILL "$0"';

export interface ServerProcessOptions {
  readonly file: string;
  readonly args: readonly string[];
  readonly environment: Environment;
  /** Gets each line the server prints; absent = only the last lines are kept. */
  readonly log?: ((line: string) => void) | undefined;
}

export interface ServerProcess {
  readonly pid: number;
  /** Resolves when the process has ended, by whatever cause. */
  readonly exited: Promise<void>;
  readonly hasExited: () => boolean;
  /** The last lines it printed, oldest first. */
  readonly lastLines: () => readonly string[];
  /** SIGTERM, and SIGKILL after `killAfterMs` (absent = 10 s); resolves when it has ended. May be called again. */
  readonly stop: (killAfterMs?: number) => Promise<void>;
}

/** Starts the process; null when the file cannot be run. */
export async function startServerProcess(options: ServerProcessOptions): Promise<ServerProcess | null> {
  // A group of its own: Ctrl-C in a terminal must reach our shutdown first, which still needs the server.
  const detached = process.platform !== "win32";
  const child = spawn(options.file, options.args, {
    env: options.environment,
    stdio: ["ignore", "pipe", "pipe"],
    detached,
    windowsHide: true,
  });
  if (!(await hasSpawned(child)) || child.pid === undefined) return null;
  const lines = keepTail(child, options.log);
  const release = tieToThisProcess(child, child.pid);
  let ended = false;
  const exited = new Promise<void>((resolve) => {
    child.once("exit", () => {
      ended = true;
      release();
      resolve();
    });
  });
  const hasExited = (): boolean => ended;
  return {
    pid: child.pid,
    exited,
    hasExited,
    lastLines: () => [...lines],
    stop: (killAfterMs = KILL_AFTER_MS) => stopChild(child, exited, killAfterMs),
  };
}

function hasSpawned(child: ChildProcess): Promise<boolean> {
  return new Promise((resolve) => {
    child.once("spawn", () => resolve(true));
    child.once("error", () => resolve(false));
  });
}

/** Reading the pipes is not optional: a server whose output nobody reads stops when the pipe is full. */
function keepTail(child: ChildProcess, log: ((line: string) => void) | undefined): readonly string[] {
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue;
    createInterface({ input: stream }).on("line", (line) => {
      lines.push(line);
      if (lines.length > TAIL_LINES) lines.shift();
      log?.(line);
    });
  }
  return lines;
}

/** Two ropes: an exit hook (normal ends, Windows) and a watchdog (signals, crashes, SIGKILL). Returns their release. */
function tieToThisProcess(child: ChildProcess, pid: number): () => void {
  const killNow = (): void => {
    child.kill("SIGKILL");
  };
  process.once("exit", killNow);
  const watchdog = process.platform === "win32" ? null : startWatchdog(pid);
  return () => {
    process.removeListener("exit", killNow);
    watchdog?.kill("SIGKILL");
  };
}

function startWatchdog(pid: number): ChildProcess {
  const watchdog = spawn("/bin/sh", ["-c", WATCHDOG_SCRIPT, String(pid)], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  // Without a shell the exit hook alone remains; neither the watchdog nor its pipe keeps this process alive.
  watchdog.once("error", () => undefined);
  watchdog.unref();
  if (watchdog.stdin !== null && "unref" in watchdog.stdin && typeof watchdog.stdin.unref === "function")
    watchdog.stdin.unref();
  return watchdog;
}

async function stopChild(child: ChildProcess, exited: Promise<void>, killAfterMs: number): Promise<void> {
  child.kill("SIGTERM");
  const cancel = new AbortController();
  const late = delay(killAfterMs, "late" as const, { signal: cancel.signal }).catch(() => "canceled" as const);
  const first = await Promise.race([exited, late]);
  cancel.abort();
  if (first === "late") child.kill("SIGKILL");
  await exited;
}
