/** A question to the person at the terminal. */
import { once } from "node:events";
import { createInterface } from "node:readline/promises";
import type { CliContext } from "./context.ts";

/** Anything but a yes is a no, Ctrl-C and Ctrl-D included. Ask only where `terminal.canAsk`. */
export async function agrees({ stdin, terminal }: CliContext, question: string): Promise<boolean> {
  const asking = createInterface({ input: stdin as NodeJS.ReadableStream, output: terminal.stderr }); // a terminal is a stream
  const closed = once(asking, "close").then(() => "");
  // Ctrl-C rejects the question, Ctrl-D leaves it open for ever.
  const asked = asking.question(question).catch(() => "");
  const answer = await Promise.race([asked, closed]);
  asking.close();
  return /^y(?:es)?$/i.test(answer.trim());
}
