/** Where words go: results to standard output, everything else to standard error; colors only on a terminal. */
import type { Writable } from "node:stream";
import picocolors from "picocolors";

export type Colors = ReturnType<typeof picocolors.createColors>;

export interface OutputStream extends Writable {
  readonly isTTY?: boolean;
}

export interface InputStream extends AsyncIterable<unknown> {
  readonly isTTY?: boolean;
}

export interface Terminal {
  /** One line, or several, of the result. */
  out(text: string): void;
  /** The result as JSON, indented for people who look, on one line for pipes. */
  json(value: unknown): void;
  /** A note beside the result. */
  note(text: string): void;
  /** For `out`. */
  readonly colors: Colors;
  /** For `note`. */
  readonly noteColors: Colors;
  /** A person can be asked. */
  readonly canAsk: boolean;
  readonly stderr: OutputStream;
}

export interface TerminalParts {
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export function createTerminal({ stdin, stdout, stderr, environment }: TerminalParts): Terminal {
  return {
    out: (text) => void stdout.write(`${text}\n`),
    json: (value) => void stdout.write(`${JSON.stringify(value, null, stdout.isTTY === true ? 2 : undefined)}\n`),
    note: (text) => void stderr.write(`${text}\n`),
    colors: picocolors.createColors(wantsColors(stdout, environment)),
    noteColors: picocolors.createColors(wantsColors(stderr, environment)),
    canAsk: stdin.isTTY === true && stderr.isTTY === true,
    stderr,
  };
}

/** https://no-color.org: any value but the empty one turns colors off. */
function wantsColors(stream: OutputStream, environment: TerminalParts["environment"]): boolean {
  return stream.isTTY === true && (environment["NO_COLOR"] ?? "") === "" && environment["TERM"] !== "dumb";
}
