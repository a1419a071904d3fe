/** What became of a test that nothing was heard of. */
import type { EndpointDetail } from "../client/endpoint-detail.ts";
import { heldError, isHeld } from "../client/held-endpoint.ts";
import { isCountersignError } from "../errors.ts";

interface TestEvent {
  readonly key: string;
  look(): Promise<Pick<EndpointDetail, "name" | "gate">>;
}

/** What to throw for a test that failed: a time-out at an endpoint that is seen held by now says so, anything else stays. */
export async function heldInstead(error: unknown, { key, look }: TestEvent): Promise<unknown> {
  if (!isCountersignError(error) || error.code !== "timeout") return error;
  const endpoint = await look().catch(() => null);
  return endpoint !== null && isHeld(endpoint.gate) ? heldError(endpoint, key) : error;
}
