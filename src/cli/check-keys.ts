/** What `doctor` sees in the keys of a configuration. */
import { isExpired } from "../access/authenticate.ts";
import type { ApiKey, Config } from "../config/config.ts";
import { DAY_MS } from "../delivery/durations.ts";
import { type Check, ok, warn } from "./check.ts";
import { actsAsAnybody } from "./key-warnings.ts";
import { leftText } from "./time-text.ts";

/** Time enough to make another key and move its user over. */
const SOON_MS = 14 * DAY_MS;

export function checkKeys({ keys }: Pick<Config, "keys">, nowMs: number): readonly Check[] {
  if (keys.length === 0) return [];
  const count = keys.length === 1 ? "1 key" : `${keys.length} keys`;
  return [
    ok("keys", count),
    ...keys.flatMap((key) => complaints(key, nowMs).map((text) => warn(`key ${key.id}`, text))),
  ];
}

function complaints(key: ApiKey, nowMs: number): readonly string[] {
  const anybody = actsAsAnybody(key);
  if (key.expiresAtMs !== null && isExpired(key, nowMs))
    return [`${leftUntil(key.expiresAtMs, nowMs)} and is refused: remove its entry`];
  return [
    ...(key.expiresAtMs !== null && key.expiresAtMs - nowMs <= SOON_MS
      ? [`expires in ${leftUntil(key.expiresAtMs, nowMs)}: create another, and move its user over while both are good`]
      : []),
    ...(anybody === null ? [] : [`${anybody}: create one with --person`]),
    ...(key.role === "ingest" && key.sources.length === 0
      ? ["may send for no source: add one without verify to sources, or name one in its entry"]
      : []),
  ];
}

function leftUntil(expiresAtMs: number, nowMs: number): string {
  return leftText(new Date(expiresAtMs).toISOString(), nowMs);
}
