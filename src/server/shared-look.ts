/** One look at something slow, shared by everybody who asks meanwhile: nobody waits long, and a crowd costs one look. */

import { MINUTE_MS } from "../delivery/durations.ts";

export interface LookOptions<Found> {
  look(): Promise<Found>;
  now(): number;
  /** A finding is good for so long, counted from the begin of its look. */
  readonly everyMs: number;
  /** Whoever asks waits no longer; the look goes on, and the next to ask gets what it finds. */
  readonly waitMs: number;
}

/** `late`: not known within `waitMs`. */
export type SharedLook<Found> = () => Promise<{ readonly found: Found } | "late">;

interface Look<Found> {
  readonly beganMs: number;
  readonly done: Promise<{ readonly found: Found }>;
  ended: boolean;
}

/** Looks settle by themselves, because each call to the server has a deadline; one that does not is given up. */
const GIVE_UP_MS = 2 * MINUTE_MS;

/** Has one look on its way at most, but for one that was given up. Throws what the look throws. */
export function shareLook<Found>({ look, now, everyMs, waitMs }: LookOptions<Found>): SharedLook<Found> {
  let latest: Look<Found> | null = null;
  const begin = (): Look<Found> => {
    const begun: Look<Found> = {
      beganMs: now(),
      ended: false,
      done: look()
        .then((found) => ({ found }))
        .finally(() => (begun.ended = true)),
    };
    return begun;
  };
  return async () => {
    if (latest === null || now() - latest.beganMs >= (latest.ended ? everyMs : GIVE_UP_MS)) latest = begin();
    return await within(waitMs, latest.done);
  };
}

async function within<T>(durationMs: number, promise: Promise<T>): Promise<T | "late"> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), durationMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
