/** The pause that a new one takes the place of, and the end of the new one, as the endpoint's record has them. */
import type { Pause } from "../delivery/gates/control.ts";
import { textOrNull } from "../delivery/gates/ledger.ts";
import type { EndpointSeen } from "./endpoint-run.ts";

export interface ReplacedPause {
  readonly who: string;
  readonly why: string;
  /** RFC 3339; null = it would have lasted until somebody resumed. */
  readonly until: string | null;
}

/** `before` was seen before the new word was said; one whose time is over stands no more, also where no worker ran. */
export function replacedPause(before: EndpointSeen | null, nowMs: number): ReplacedPause | null {
  const pause = pauseOf(before);
  if (pause === null || (pause.untilMs !== null && pause.untilMs <= nowMs)) return null;
  const { actor: who, reason: why, untilMs } = pause;
  return { who, why, until: textOrNull(untilMs) };
}

/** By the server's clock; null = it has none, it has not been taken in yet, or another one has replaced it already. */
export function endTaken(
  { before, after }: { readonly before: EndpointSeen | null; readonly after: EndpointSeen | null },
  { actor, reason }: Pick<Pause, "actor" | "reason">,
): string | null {
  const pause = pauseOf(after);
  if (pause === null || pause.atMs === pauseOf(before)?.atMs) return null;
  const isOwn = pause.actor === actor.trim() && pause.reason === reason.trim();
  return isOwn ? textOrNull(pause.untilMs) : null;
}

function pauseOf(run: EndpointSeen | null): Pause | null {
  return run?.isRunning === true ? (run.control?.pause ?? null) : null;
}
