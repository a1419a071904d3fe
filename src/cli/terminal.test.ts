import { Readable, Writable } from "node:stream";
import { describe, expect, test } from "vitest";
import { createTerminal, type OutputStream } from "./terminal.ts";

function aStream(isTTY: boolean): { readonly stream: OutputStream; text(): string } {
  let written = "";
  const stream = new Writable({
    write(chunk, _encoding, done) {
      written += String(chunk);
      done();
    },
  });
  return { stream: Object.assign(stream, { isTTY }), text: () => written };
}

interface TerminalParts {
  readonly tty: boolean;
  /** Absent = as `tty`. */
  readonly stdinTty?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
}

function aTerminal(parts: TerminalParts) {
  const [stdout, stderr] = [aStream(parts.tty), aStream(parts.tty)];
  const stdin = Object.assign(Readable.from([]), { isTTY: parts.stdinTty ?? parts.tty });
  const terminal = createTerminal({
    stdin,
    stdout: stdout.stream,
    stderr: stderr.stream,
    environment: parts.environment ?? {},
  });
  return { terminal, stdout, stderr };
}

describe("createTerminal", () => {
  test("colors a terminal only, and not against NO_COLOR or a dumb one", () => {
    const isColored = (parts: Parameters<typeof aTerminal>[0]): boolean =>
      aTerminal(parts).terminal.colors.red("x") !== "x";
    expect(isColored({ tty: true })).toBe(true);
    expect(isColored({ tty: false })).toBe(false);
    expect(isColored({ tty: true, environment: { NO_COLOR: "1" } })).toBe(false);
    expect(isColored({ tty: true, environment: { NO_COLOR: "" } })).toBe(true);
    expect(isColored({ tty: true, environment: { TERM: "dumb" } })).toBe(false);
  });

  test("asks only where somebody can answer", () => {
    expect(aTerminal({ tty: true }).terminal.canAsk).toBe(true);
    expect(aTerminal({ tty: true, stdinTty: false }).terminal.canAsk).toBe(false);
    expect(aTerminal({ tty: false, stdinTty: true }).terminal.canAsk).toBe(false);
  });

  test("keeps results and notes apart", () => {
    const { terminal, stdout, stderr } = aTerminal({ tty: false });
    terminal.out("result");
    terminal.note("note");
    expect([stdout.text(), stderr.text()]).toEqual(["result\n", "note\n"]);
  });

  test("prints JSON on one line for programs, indented for people", () => {
    const piped = aTerminal({ tty: false });
    piped.terminal.json({ a: 1 });
    expect(piped.stdout.text()).toBe('{"a":1}\n');
    const watched = aTerminal({ tty: true });
    watched.terminal.json({ a: 1 });
    expect(watched.stdout.text()).toBe('{\n  "a": 1\n}\n');
  });
});
