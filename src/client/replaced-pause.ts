/** The pause that a new one takes the place of. */
import type { EndpointControl } from "../delivery/gates/control.ts";
import { type LedgerEvent, textOrNull } from "../delivery/gates/ledger.ts";

export interface ReplacedPause {
  readonly who: string;
  readonly why: string;
  /** RFC 3339; null = it would have lasted until somebody resumed. */
  readonly until: string | null;
}

/** What begins and ends a pause. */
const PAUSE_EVENTS: readonly LedgerEvent[] = ["paused", "resumed", "pause-ended"];

/** `control` as it is shown once `word` was said, whether or not that has been taken in yet. */
export function replacedPause(
  control: Pick<EndpointControl, "pause" | "ledger"> | null,
  word: { readonly actor: string; readonly reason: string },
): ReplacedPause | null {
  const { pause = null, ledger = [] } = control ?? {};
  if (pause === null) return null;
  const { actor: who, reason: why, untilMs } = pause;
  if (who !== word.actor || why !== word.reason) return { who, why, until: textOrNull(untilMs) };
  const before = ledger.filter(({ what }) => PAUSE_EVENTS.includes(what)).at(-2);
  return before?.what === "paused" ? { who: before.who, why: before.why, until: before.until } : null;
}
