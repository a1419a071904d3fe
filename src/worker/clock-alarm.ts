/** Says that clocks differ: a line per endpoint now and then, however many answers show it. */
import type { ActivityLog } from "../activities/dependencies.ts";
import { MINUTE_MS } from "../delivery/durations.ts";
import type { Logger } from "../telemetry/logger.ts";

const AGAIN_AFTER_MS = 10 * MINUTE_MS;

/** `now` is monotonic: the clock that may be wrong does not pace its own alarm. */
export function createClockAlarm(log: Pick<Logger, "warn">, now: () => number): ActivityLog["clockDiffers"] {
  const saidAtMs = new Map<string, number>();
  return ({ endpoint, differenceMs }) => {
    const lastMs = saidAtMs.get(endpoint) ?? Number.NEGATIVE_INFINITY;
    if (now() - lastMs < AGAIN_AFTER_MS) return;
    saidAtMs.set(endpoint, now());
    log.warn({ endpoint, differenceMs }, "clock.differs");
  };
}
