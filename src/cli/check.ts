/** One line of `doctor`. */
import { EXIT, type ExitCode } from "./exit-code.ts";

export interface Check {
  /** What was looked at. */
  readonly name: string;
  readonly verdict: "ok" | "warn" | "fail";
  /** What was found, and for anything but `ok` what to do. */
  readonly text: string;
  /** What the command ends with when this is its first failure; absent = 1. */
  readonly exit?: ExitCode;
}

export function ok(name: string, text: string): Check {
  return { name, verdict: "ok", text };
}

export function warn(name: string, text: string): Check {
  return { name, verdict: "warn", text };
}

export function fail(name: string, text: string, exit: ExitCode = EXIT.failed): Check {
  return { name, verdict: "fail", text, exit };
}

/** Warnings are for people: only failures show in the exit code, the first one decides. */
export function exitOf(checks: readonly Check[]): ExitCode {
  const failed = checks.find(({ verdict }) => verdict === "fail");
  return failed === undefined ? EXIT.done : (failed.exit ?? EXIT.failed);
}
