/** How a verb hands its work over to `main.ts`. */
import type { CliContext } from "./context.ts";

export interface WithJson {
  readonly json?: boolean;
}

/** Runs the body and keeps the exit code it answers with. */
export type Perform = (
  verb: string,
  options: WithJson,
  body: (context: CliContext) => Promise<number>,
) => Promise<void>;
