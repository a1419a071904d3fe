/** What a run shows outside its history: search attributes for lists, current details for the Temporal UI. */
import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from "@temporalio/workflow";
import { defineSearchAttributeKey } from "@temporalio/common";
import type { DeliveryStateName, EventState } from "../delivery/event-state.ts";
import { listedEndpoints } from "../delivery/listed-endpoints.ts";
import { detailsOf } from "../delivery/summaries.ts";

const STATE = defineSearchAttributeKey("CountersignState", "KEYWORD");
const REASON = defineSearchAttributeKey("CountersignReason", "KEYWORD");
const TYPE = defineSearchAttributeKey("CountersignType", "KEYWORD");
const ENDPOINTS = defineSearchAttributeKey("CountersignEndpoints", "KEYWORD_LIST");

/** Only these are written; running without one is listed `in-progress`, completed without one `delivered`. */
const LISTED: readonly DeliveryStateName[] = [
  "awaiting-approval",
  "needs-attention",
  "rejected",
  "expired",
  "discarded",
];

/** Keyword attributes of SQL visibility hold 255 characters. */
const MAX_KEYWORD = 255;

export interface Signboard {
  state: string | null;
  reason: string | null;
}

export function newSignboard(): Signboard {
  return { state: null, reason: null };
}

/** Shows the state; an upsert (one event, no state transition of its own) only when a listed value changed. */
export function show(signboard: Signboard, state: EventState): void {
  setCurrentDetails(detailsOf(state));
  const listed = LISTED.includes(state.state) ? state.state : null;
  const parked = state.deliveries.find((delivery) => delivery.attention !== null);
  const reason = parked?.attention?.reason ?? null;
  if (listed === signboard.state && reason === signboard.reason) return;
  signboard.state = listed;
  signboard.reason = reason;
  upsertSearchAttributes([
    { key: STATE, value: listed },
    { key: REASON, value: reason },
  ]);
}

/** Type and endpoints of a run that was started without our client. */
export function label(state: EventState): void {
  const { searchAttributes } = workflowInfo();
  if ("CountersignEndpoints" in searchAttributes) return;
  upsertSearchAttributes([
    { key: TYPE, value: state.type.slice(0, MAX_KEYWORD) },
    { key: ENDPOINTS, value: [...listedEndpoints(state.deliveries.map((delivery) => delivery.endpoint))] },
  ]);
}
