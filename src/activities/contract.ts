/** What a workflow may have done, as types only: the workflows import nothing else of this folder. */
import type { AttemptInput, LaneAnswer, ResolvedEvent, ResolveInput } from "../delivery/activity-shapes.ts";
import type { AttemptResult } from "../delivery/facts.ts";

export interface EventActivities {
  /** One attempt of one delivery. */
  attemptDelivery(input: AttemptInput): Promise<AttemptResult>;
  /** Routes and fingerprint of a run that a plain Temporal client started. */
  resolveRoutes(input: ResolveInput): Promise<ResolvedEvent>;
  /** Opens the endpoint's lane in this process and enters it in the registry; no lane for a name nobody configured. */
  ensureLane(input: { readonly endpoint: string }): Promise<LaneAnswer>;
}
