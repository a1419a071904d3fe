/** Events that wait for a person, on a stage: submitted, looked at, and what was sent for them. */
import type { EventReport } from "../../src/client/get-event.ts";
import type { Proposal } from "../../src/delivery/event-state.ts";
import type { DestinationRequest } from "./destination.ts";
import type { Stage } from "./stage.ts";
import { uniqueName } from "./temporal.ts";
import { until } from "./until.ts";

export interface WaitingEvent {
  readonly key: string;
  readonly proposal: Proposal;
}

/** Waits until `get` tells that state; where a revision is named, with a proposal of that revision. */
export async function inState(
  { far }: Pick<Stage, "far">,
  key: string,
  wanted: { readonly state: EventReport["state"]; readonly revision?: number },
): Promise<EventReport> {
  const { state, revision } = wanted;
  return await until(`${key} is ${state}`, async () => {
    const report = await far.get(key);
    const reached = report.deliveries.map(({ proposal }) => proposal?.revision);
    return report.state === state && (revision === undefined || reached.includes(revision)) && report;
  });
}

/** An event of source `shop`, once people are asked about it. */
export async function proposed(stage: Stage, type: string, more: object = {}): Promise<WaitingEvent> {
  const event = { source: "shop", id: uniqueName(type), type, data: { amount: 900 }, ...more };
  const { key } = await stage.far.submit(event);
  return { key, proposal: proposalOf(await inState(stage, key, { state: "awaiting-approval" })) };
}

/** Of the first delivery that has one. */
export function proposalOf({ deliveries }: EventReport): Proposal {
  const found = deliveries.find(({ proposal }) => proposal !== null)?.proposal ?? null;
  if (found === null) throw new TypeError("There is no proposal");
  return found;
}

export function requestsOf({ destination }: Pick<Stage, "destination">, key: string): readonly DestinationRequest[] {
  return destination.requests.filter(({ headers }) => `shop/${headers["ce-id"]}` === key);
}
