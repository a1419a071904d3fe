/** A sign of life during waits, on a terminal only. */
import type { Terminal } from "./terminal.ts";

/** Runs the work while saying what is waited for. */
export async function withSpinner<Result>(
  terminal: Terminal,
  text: string,
  work: () => Promise<Result>,
): Promise<Result> {
  if (terminal.stderr.isTTY !== true) return await work();
  const { default: yoctoSpinner } = await import("yocto-spinner");
  const spinner = yoctoSpinner({ text, stream: terminal.stderr }).start();
  try {
    return await work();
  } finally {
    spinner.stop();
  }
}
