/** One JSON line per fact. */
import { destination, pino, type Logger } from "pino";

export type { Logger };

export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

/** Writes to standard error; `COUNTERSIGN_LOG` (read by the entry files) sets the level. */
export function createLogger(level: LogLevel = "info"): Logger {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination({ fd: 2, sync: true }));
}
