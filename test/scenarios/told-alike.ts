/** `get` reads a state from the history; the workflow has its own word: its result, or its query while it runs. */
import { isDeepStrictEqual } from "node:util";
import type { EventState } from "../../src/delivery/event-state.ts";
import type { ProcessStage } from "../support/process-stage.ts";
import type { Finding } from "./finding.ts";

/** For an event that has come to rest. */
export async function toldAlike(
  { client, temporal }: ProcessStage,
  about: Pick<Finding, "claim" | "subject">,
  key: string,
): Promise<Finding> {
  const run = temporal.workflow.getHandle<() => Promise<EventState>>(key);
  const { status } = await run.describe();
  const ownWord = status.name === "RUNNING" ? await run.query<EventState>("state") : await run.result();
  const told = await client.get(key);
  const [left, right] = [comparable(told), comparable(ownWord)];
  const holds = isDeepStrictEqual(left, right);
  return { ...about, holds, seen: holds ? "the same" : `${JSON.stringify(left)} and ${JSON.stringify(right)}` };
}

/** Conflicts are `get`'s alone. */
function comparable({ conflicts: _, ...state }: EventState): unknown {
  return state;
}
