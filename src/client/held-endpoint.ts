/** Why nothing comes of an attempt at an endpoint that is held: who holds it, why, until when, and what to type. */
import { CountersignError } from "../errors.ts";
import { type EndpointDetail, heldGate } from "./endpoint-detail.ts";
import { gateStatus } from "./endpoint-overview.ts";
import { readEndpointRun } from "./endpoint-run.ts";
import { readRegistry } from "./gate-registry.ts";
import type { Session } from "./session.ts";

type Held = Pick<EndpointDetail, "name" | "gate">;

/** Throws `endpoint_held`. Looks at two workflows at most: lists and the lane, slow or forbidden, are not needed. */
export async function requireUnheld(session: Session, name: string): Promise<void> {
  const { gates } = await readRegistry(session);
  const status = gateStatus(gates, name);
  if (!isHeld(status)) return;
  const { control, isRunning } = await readEndpointRun(session, name);
  throw heldError({ name, gate: heldGate(status, isRunning ? control : null) }, null);
}

/** While a few attempts try the endpoint, one more may be one of them. */
export function isHeld({ state, probing }: Pick<Held["gate"], "state" | "probing">): boolean {
  return state !== "open" && !probing;
}

/** `key` is that of an event that was accepted before the gate closed; null = nothing was sent. */
export function heldError({ name, gate }: Held, key: string | null): CountersignError {
  const { state, who, why, since, until } = gate;
  const by = who === null ? "" : ` by ${who}`;
  const because = why === null ? "" : `: ${why}`;
  const then = until === null ? "until somebody resumes it" : `until ${until}`;
  const event = key === null ? "Nothing was sent" : `The event ${key} was accepted, and goes out once the gate lets it`;
  // A Retry-After is never cut short.
  const advice = state === "throttled" ? "" : `; \`countersign resume ${name} --probe\` lets a few attempts try it`;
  return new CountersignError(
    "endpoint_held",
    `${name} is ${state}${by}${because}; ${then}. ${event}. See \`countersign endpoints ${name}\`${advice}`,
    { details: { endpoint: name, gate: state, who, why, since, until, key } },
  );
}
