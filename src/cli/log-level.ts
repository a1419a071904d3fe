/** How much a process logs. */
import { CountersignError } from "../errors.ts";
import type { LogLevel } from "../telemetry/logger.ts";
import type { Environment } from "./context.ts";

const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error", "silent"];

/** COUNTERSIGN_LOG, else `fallback`; throws `bad_argument` for a word that is no level. */
export function logLevelOf(environment: Environment, fallback: LogLevel = "info"): LogLevel {
  const named = environment["COUNTERSIGN_LOG"] ?? "";
  if (named === "") return fallback;
  const level = LEVELS.find((candidate) => candidate === named);
  if (level !== undefined) return level;
  throw new CountersignError(
    "bad_argument",
    `COUNTERSIGN_LOG takes ${LEVELS.join(", ")}; not ${JSON.stringify(named)}.`,
  );
}
