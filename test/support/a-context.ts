/** A command's context whose words are kept. */
import { PassThrough, Readable } from "node:stream";
import picocolors from "picocolors";
import type { CliContext } from "../../src/cli/context.ts";

interface Changes {
  readonly json?: boolean;
  readonly cwd?: string;
  readonly environment?: CliContext["environment"];
  /** Standard error is a terminal. */
  readonly terminal?: boolean;
}

export interface KeptContext {
  readonly context: CliContext;
  readonly out: string[];
  readonly notes: string[];
}

export function aContext({ json = false, cwd = "/", environment = {}, terminal = false }: Changes = {}): KeptContext {
  const [out, notes]: [string[], string[]] = [[], []];
  const colors = picocolors.createColors(false);
  const context: CliContext = {
    environment,
    cwd,
    json,
    stdin: Readable.from([]),
    configPath: undefined,
    takeSignals: () => ({ signal: new AbortController().signal, release: () => undefined }),
    config: () => Promise.reject(new Error("no configuration here")),
    terminal: {
      out: (text) => void out.push(text),
      json: (value) => void out.push(JSON.stringify(value)),
      note: (text) => void notes.push(text),
      colors,
      noteColors: colors,
      canAsk: false,
      // A spinner moves the cursor there.
      stderr: Object.assign(new PassThrough().resume(), {
        isTTY: terminal,
        cursorTo: () => true,
        clearLine: () => true,
        moveCursor: () => true,
      }),
    },
  };
  return { context, out, notes };
}
