/** What a command works with; built once from the process, or by a test. */
import type { Config } from "../config/config.ts";
import type { StopRequest } from "./signals.ts";
import type { InputStream, OutputStream, Terminal } from "./terminal.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Everything a process has that a command may touch. */
export interface Invocation {
  /** Without the names of node and the script. */
  readonly argv: readonly string[];
  readonly environment: Environment;
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Absolute. */
  readonly cwd: string;
  /** Takes Ctrl-C and SIGTERM over; absent = those of the process. */
  readonly takeSignals?: () => StopRequest;
}

export interface CliContext {
  readonly environment: Environment;
  readonly cwd: string;
  readonly stdin: InputStream;
  readonly terminal: Terminal;
  /** `--json` was given. */
  readonly json: boolean;
  /** `--config`, relative to `cwd`. */
  readonly configPath: string | undefined;
  takeSignals(): StopRequest;
  /** Loads the configuration; `alsoAllowPrivate` as in `loadConfig`. */
  config(options?: { readonly alsoAllowPrivate?: readonly string[] }): Promise<Config>;
}
