/** Routes and fingerprint of a run that a plain Temporal client started, and the first attempt where it may be local. */
import type { ResolvedEvent, ResolveInput } from "../delivery/activity-shapes.ts";
import { chooseWay } from "../delivery/choose-way.ts";
import type { BusinessEvent } from "../delivery/event.ts";
import type { AttemptResult } from "../delivery/facts.ts";
import type { EventPlan } from "../delivery/plan.ts";
import { attemptOnce } from "./attempt-delivery.ts";
import type { ActivityDependencies } from "./dependencies.ts";
import { currentRun } from "./own-event.ts";

/** The activity body. Reads the event from the history, because parsing may have changed its numbers. */
export async function resolveRoutes(deps: ActivityDependencies, input: ResolveInput): Promise<ResolvedEvent> {
  const asSent = await deps.runs.startEvent(currentRun());
  const source = deps.routing.source(asSent.source) ?? asSent.source;
  const event = { ...asSent, source };
  const plan = deps.routing.plan(event);
  const exactBody = changedBody(input.event, event);
  const first = await firstAttempt(deps, { input, event, plan });
  return { source, plan, ...(exactBody === null ? {} : { exactBody }), ...(first === null ? {} : { first }) };
}

/** The bytes to carry along when what the workflow parsed would not give them back. */
function changedBody(parsed: BusinessEvent, asSent: BusinessEvent): string | null {
  const { data_base64: bytes } = asSent;
  return bytes !== undefined && parsed.data_base64 === undefined ? bytes : null;
}

async function firstAttempt(
  deps: ActivityDependencies,
  facts: { readonly input: ResolveInput; readonly event: BusinessEvent; readonly plan: EventPlan },
): Promise<AttemptResult | null> {
  const { clues } = facts.input;
  const [only] = facts.plan.deliveries;
  if (clues === undefined || only === undefined) return null;
  const { endpoint, settings } = only;
  const { length: deliveries } = facts.plan.deliveries;
  const way = chooseWay({ settings, deliveries, messages: 0, leftLocal: false, sentToLane: false });
  if (way !== "local") return null;
  const due = { event: facts.event, endpoint, number: 1, via: way, settings, lastStatus: null, heldMs: 0 } as const;
  return await attemptOnce(deps, due, clues);
}
