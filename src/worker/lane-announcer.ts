/**
 * Enters lanes in the registry: one call at a time for each, however many attempts ask at once. The registry is one
 * workflow, and the server works through the calls to one workflow one after the other.
 */
import { SECOND_MS } from "../delivery/durations.ts";

/** Two readings of the registry, and no longer than a copy of it is trusted: by then it shows what was entered. */
const ENTERED_FOR_MS = 2 * SECOND_MS;

export interface LaneAnnouncerParts {
  /** As this process's copy of the registry shows it. */
  isShown(endpoint: string): boolean;
  enter(endpoint: string): Promise<void>;
  /** Monotonic, milliseconds. */
  now(): number;
}

/** Resolves once the server knows that the lane is in use; rejects as `enter` does, for everybody who waits for it. */
export function createLaneAnnouncer({ isShown, enter, now }: LaneAnnouncerParts): (endpoint: string) => Promise<void> {
  const underWay = new Map<string, Promise<void>>();
  const enteredAtMs = new Map<string, number>();
  const isKnown = (endpoint: string): boolean =>
    isShown(endpoint) || now() - (enteredAtMs.get(endpoint) ?? Number.NEGATIVE_INFINITY) < ENTERED_FOR_MS;
  const begin = (endpoint: string): Promise<void> => {
    const entering = enter(endpoint)
      .then(() => void enteredAtMs.set(endpoint, now()))
      .finally(() => underWay.delete(endpoint));
    underWay.set(endpoint, entering);
    return entering;
  };
  return async (endpoint) => {
    if (!isKnown(endpoint)) await (underWay.get(endpoint) ?? begin(endpoint));
  };
}
