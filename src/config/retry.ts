/** Retry settings as people write them → one explicit schedule. */
import type { z } from "zod";
import { NO_RETRY, QUICK_RETRY, STANDARD_RETRY, type RetryPolicy } from "../delivery/policy.ts";
import { DAY_MS, HOUR_MS, SECOND_MS } from "../delivery/durations.ts";
import { accept, choose, isObject, listOf, strictShape } from "./accept.ts";
import { duration } from "./duration.ts";
import { number, whole } from "./scalars.ts";

const MAX_ATTEMPTS = 100;
const DEFAULTS = { attempts: 8, initialMs: 5 * SECOND_MS, factor: 2, maxMs: 10 * HOUR_MS } as const;

const wait = duration("a wait of at least 1 s, such as '5s', '3m', '2h'", { minMs: SECOND_MS });

const BOUNDS = {
  jitter: number("a share from 0 to 1", { min: 0, max: 1 }).optional(),
  window: duration("a duration of at least 1 s, such as '2d'", { minMs: SECOND_MS }).optional(),
  retryAfterMax: duration("a duration such as '24h'", { minMs: 0 }).optional(),
};

interface Bounds {
  readonly jitter?: number | undefined;
  readonly window?: number | undefined;
  readonly retryAfterMax?: number | undefined;
}

function withBounds(scheduleMs: readonly number[], bounds: Bounds): RetryPolicy {
  return {
    scheduleMs,
    jitter: bounds.jitter ?? STANDARD_RETRY.jitter,
    windowMs: bounds.window ?? STANDARD_RETRY.windowMs,
    retryAfterMaxMs: bounds.retryAfterMax ?? DAY_MS,
  };
}

const scheduled = strictShape("a retry object", {
  schedule: listOf("a list of at most 99 waits such as '5s'", wait, { min: 0, max: MAX_ATTEMPTS - 1 }),
  ...BOUNDS,
}).transform((retry): RetryPolicy => withBounds(retry.schedule, retry));

const exponential = strictShape("a retry object", {
  attempts: whole(1, MAX_ATTEMPTS).optional(),
  initial: wait.optional(),
  factor: number("a number from 1 to 100", { min: 1, max: 100 }).optional(),
  max: wait.optional(),
  ...BOUNDS,
}).transform((retry, context): RetryPolicy => {
  const maxMs = retry.max ?? Math.max(DEFAULTS.maxMs, retry.initial ?? 0);
  const initialMs = retry.initial ?? Math.min(DEFAULTS.initialMs, maxMs);
  if (initialMs > maxMs) {
    context.issues.push({ code: "custom", message: "a wait of at least initial", path: ["max"], input: maxMs });
  }
  return withBounds(
    growingWaits({
      attempts: retry.attempts ?? DEFAULTS.attempts,
      initialMs,
      factor: retry.factor ?? DEFAULTS.factor,
      maxMs,
    }),
    retry,
  );
});

/** Only bounds given: they apply to the standard schedule, the default that the object is merged with. */
const standardWithBounds = strictShape("a retry object", BOUNDS).transform((retry): RetryPolicy =>
  withBounds(STANDARD_RETRY.scheduleMs, retry),
);

interface Growth {
  readonly attempts: number;
  readonly initialMs: number;
  readonly factor: number;
  readonly maxMs: number;
}

/** The waits between `attempts` attempts: each `factor` times the one before, never above `maxMs`, whole milliseconds. */
export function growingWaits(growth: Growth): readonly number[] {
  return Array.from({ length: growth.attempts - 1 }, (_, index) =>
    Math.round(Math.min(growth.maxMs, growth.initialMs * growth.factor ** index)),
  );
}

const NAMED = new Map<unknown, RetryPolicy>([
  ["standard", STANDARD_RETRY],
  ["quick", QUICK_RETRY],
  ["none", NO_RETRY],
]);

const named = accept(
  "'standard', 'quick', 'none', or an object with attempts, initial, factor, max or with schedule",
  (value) => NAMED.get(value),
);

export const retry: z.ZodType<RetryPolicy> = choose<RetryPolicy>((value) => {
  if (!isObject(value)) return named;
  if ("schedule" in value) return scheduled;
  return ["attempts", "initial", "factor", "max"].some((key) => key in value) ? exponential : standardWithBounds;
});
