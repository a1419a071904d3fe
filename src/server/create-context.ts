/** What handlers work with, from a configuration and a connection. */
import { setTimeout as pause } from "node:timers/promises";
import { createSlowDown } from "../access/slow-down.ts";
import type { Countersign } from "../client/countersign.ts";
import type { Config } from "../config/config.ts";
import { resolveVerify } from "../config/resolve-verify.ts";
import type { VerifyScheme } from "../signing/verify/settings.ts";
import type { Logger } from "../telemetry/logger.ts";
import { createMetrics, type Metrics } from "../telemetry/metrics.ts";
import { createCapacity } from "./capacity.ts";
import { DEFAULT_LIMITS, type ServerLimits } from "./limits.ts";
import type { ServerContext } from "./server-context.ts";

export interface ContextParts {
  readonly countersign: Countersign;
  readonly config: Config;
  /** By source name, as `schemesOf` resolves them. */
  readonly schemes: ReadonlyMap<string, VerifyScheme>;
  readonly log: Logger;
  /** Absent = counters of its own. */
  readonly metrics?: Metrics;
  /** Absent = those of the product. */
  readonly limits?: Partial<ServerLimits>;
  readonly stopping: () => boolean;
}

export function createContext(parts: ContextParts): ServerContext {
  const { countersign, config, schemes, log, stopping } = parts;
  const limits = { ...DEFAULT_LIMITS, ...parts.limits };
  return {
    countersign,
    config,
    schemes,
    limits,
    capacity: createCapacity(limits),
    slowDown: createSlowDown(),
    metrics: parts.metrics ?? createMetrics(),
    log,
    now: () => Date.now(),
    pause: async (durationMs) => await pause(durationMs),
    stopping,
  };
}

/** Throws `missing_env` and `config_invalid` for what providers sign with. */
export function schemesOf(
  config: Config,
  environment: Readonly<Record<string, string | undefined>>,
): ReadonlyMap<string, VerifyScheme> {
  return new Map(
    Object.values(config.sources).flatMap((source) => {
      const scheme = resolveVerify(source, environment);
      return scheme === null ? [] : [[source.name, scheme] as const];
    }),
  );
}
