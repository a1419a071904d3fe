/** Waiting until an event needs no more of us: every delivery ended, or waits for a person. */
import { setTimeout as pause } from "node:timers/promises";
import { isTerminal, waitsForPerson } from "../delivery/event-state.ts";
import { CountersignError } from "../errors.ts";
import { conflictsIfKnown } from "./conflicts.ts";
import { type EventReport, readReport } from "./get-event.ts";
import type { Session } from "./session.ts";

const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 1000;

/** Throws `timeout` with the state it had, and `not_found`. */
export async function settled(session: Session, key: string, timeoutMs: number): Promise<EventReport> {
  const untilMs = Date.now() + timeoutMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 1.5)) {
    const state = await readReport(session, key);
    // What was read is what is told: a second look might find a person's message and the event on its way again.
    if (isSettled(state)) return { ...state, ...(await conflictsIfKnown(session, key)) };
    const leftMs = untilMs - Date.now();
    if (leftMs <= 0) {
      throw new CountersignError(
        "timeout",
        `Event ${JSON.stringify(key)} is still ${state.state} after ${timeoutMs / 1000} s`,
        {
          details: { key, state: state.state },
        },
      );
    }
    await pause(Math.min(pauseMs, leftMs));
  }
}

function isSettled(state: EventReport): boolean {
  if (state.endedOutside !== undefined) return true;
  return (
    state.deliveries.length > 0 &&
    state.deliveries.every((delivery) => isTerminal(delivery.state) || needsPerson(delivery))
  );
}

/** Held by a person it waits for one, too; held at the gate of its endpoint it goes on by itself. */
function needsPerson({ state, hold }: EventReport["deliveries"][number]): boolean {
  return waitsForPerson(state) || (state === "held" && hold !== undefined);
}
