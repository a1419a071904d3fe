/** What a run shows outside its history: search attributes for lists, current details for the Temporal UI. */
import { patched, setCurrentDetails, upsertMemo, upsertSearchAttributes, workflowInfo } from "@temporalio/workflow";
import { defineSearchAttributeKey } from "@temporalio/common";
import type { DeliveryStateName, EventState } from "../delivery/event-state.ts";
import { isEqualJson } from "../delivery/equal-json.ts";
import { listedEndpoints } from "../delivery/listed-endpoints.ts";
import type { Delivery, EventProgress } from "../delivery/progress.ts";
import { detailsOf } from "../delivery/details.ts";
import { APPROVAL_MEMO, type ApprovalMemo } from "./messages.ts";

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
  /** Digest of the proposal the memo tells of. */
  proposed: string | null;
}

export function newSignboard(): Signboard {
  return { state: null, reason: null, proposed: null };
}

/** Shows the state; an upsert (one event, no state transition of its own) only when a listed value changed. */
export function show(signboard: Signboard, state: EventState, { deliveries }: Pick<EventProgress, "deliveries">): void {
  setCurrentDetails(detailsOf(state));
  const listed = LISTED.includes(state.state) ? state.state : null;
  const parked = state.deliveries.find((delivery) => delivery.attention !== null);
  const reason = parked?.attention?.reason ?? null;
  const moved = movedEndpoints(deliveries);
  if (listed !== signboard.state || reason !== signboard.reason || moved.length > 0) {
    signboard.state = listed;
    signboard.reason = reason;
    upsertSearchAttributes([{ key: STATE, value: listed }, { key: REASON, value: reason }, ...moved]);
  }
  noteProposal(signboard, state);
}

/** An amended delivery is found under the endpoint it goes to now. Empty = lists have that already. */
function movedEndpoints(deliveries: readonly Delivery[]) {
  if (deliveries.every(({ formerEndpoints }) => formerEndpoints.length === 0)) return [];
  const value = [...listedEndpoints(deliveries.map(({ endpoint }) => endpoint))];
  const isListed = isEqualJson(workflowInfo().typedSearchAttributes.get(ENDPOINTS), value);
  // Runs of before stay listed under the endpoints of their start until something happens to them.
  return isListed || !patched(MOVED) ? [] : [{ key: ENDPOINTS, value }];
}

const MOVED = "moved-endpoints-listed";

/** Since when and until when people are asked: lists show it without asking each run. */
function noteProposal(signboard: Signboard, { deliveries }: EventState): void {
  const waiting = deliveries.find((delivery) => delivery.state === "awaiting-approval");
  const proposal = waiting?.proposal ?? null;
  if (waiting === undefined || proposal === null || proposal.digest === signboard.proposed) return;
  const { digest, createdAt: since, expiresAt: until } = proposal;
  signboard.proposed = digest;
  const memo: ApprovalMemo = { endpoint: waiting.endpoint, digest, since, until };
  upsertMemo({ [APPROVAL_MEMO]: memo });
}

/** Type and endpoints of a run that was started without our client. */
export function label({ event, deliveries }: EventProgress): void {
  const { searchAttributes } = workflowInfo();
  if ("CountersignEndpoints" in searchAttributes) return;
  upsertSearchAttributes([
    { key: TYPE, value: event.type.slice(0, MAX_KEYWORD) },
    { key: ENDPOINTS, value: [...listedEndpoints(deliveries.map((delivery) => delivery.endpoint))] },
  ]);
}
