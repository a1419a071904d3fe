/** Endpoints that are held, as commands meet them that would send something there. */
import type { EndpointDetail } from "../client/endpoint-detail.ts";
import { heldError, isHeld } from "../client/held-endpoint.ts";
import { isCountersignError } from "../errors.ts";
import { gateSentence } from "./gate-text.ts";

type Look = () => Promise<Pick<EndpointDetail, "name" | "gate">>;

interface TestEvent {
  readonly key: string;
  readonly look: Look;
}

/** A sentence for whoever starts a mass replay; null = it is open, or whoever asks may not look. Throws `temporal_unreachable`. */
export async function heldWarning(look: Look, nowMs: number): Promise<string | null> {
  const endpoint = await look().catch((error: unknown) => {
    if (isCountersignError(error) && error.code === "temporal_unreachable") throw error;
    return null;
  });
  if (endpoint === null || !isHeld(endpoint.gate)) return null;
  return `${endpoint.name} is held, so what is replayed waits there: ${gateSentence(endpoint, nowMs)}.`;
}

/** What to throw for a test that failed: a time-out at an endpoint that is seen held by now says so, anything else stays. */
export async function heldInstead(error: unknown, { key, look }: TestEvent): Promise<unknown> {
  if (!isCountersignError(error) || error.code !== "timeout") return error;
  const endpoint = await look().catch(() => null);
  return endpoint !== null && isHeld(endpoint.gate) ? heldError(endpoint, key) : error;
}
