/** What an audit says of one delivery; not in order yet. */
import type { DecisionRecord, EarlierProposal } from "../delivery/approval.ts";
import type { AttemptRecord } from "../delivery/attempt.ts";
import type { DeliveryStatus, EventState, PendingWord, Proposal, Resolution } from "../delivery/event-state.ts";
import type { LookupRecord } from "../delivery/lookup.ts";
import type { AuditRecord } from "./audit-record.ts";
import { endedAt } from "./ended-at.ts";
import { plainRecord } from "./plain-record.ts";

/** The event a delivery belongs to. */
type Whole = Pick<EventState, "key" | "acceptedAt">;

interface Place {
  readonly key: string;
  readonly endpoint: string;
}

export function deliveryRecords(event: Whole, delivery: DeliveryStatus): readonly AuditRecord[] {
  const {
    endpoint,
    proposal,
    earlierProposals = [],
    decisions,
    resolutions,
    attempts,
    pending = [],
    lookups = [],
  } = delivery;
  const place = { key: event.key, endpoint };
  return [
    ...earlierProposals.flatMap((earlier) => earlierRecords(event.key, earlier)),
    ...(proposal === null ? [] : proposalRecords(place, proposal)),
    ...decisions.map((decision) => decisionRecord(placeAt(place, earlierProposals, decision), decision)),
    ...resolutions.map((resolution) => resolutionRecord(placeAt(place, earlierProposals, resolution), resolution)),
    ...pending.map((word) => pendingRecord(place, word)),
    ...attempts.map((attempt) => attemptRecord(placeAt(place, earlierProposals, attempt), attempt, proposal)),
    ...lookups.map((lookup) => lookupRecord(placeAt(place, earlierProposals, lookup), lookup)),
    ...fateRecords(place, event, delivery),
  ];
}

function proposalRecords(place: Place, proposal: Proposal): readonly AuditRecord[] {
  const { revision, digest, createdAt, executedAt, requestedBy, expiresAt, action, policy } = proposal;
  const asked: AuditRecord = {
    ...plainRecord({ ...place, at: createdAt, action: "proposed", revision, digest }),
    requestedBy,
    expiresAt,
    configVersion: action.configVersion,
    policyVersion: policy.version === null ? null : String(policy.version),
  };
  if (executedAt === null) return [asked];
  return [asked, plainRecord({ ...place, at: executedAt, action: "executed", revision, digest })];
}

/** Under the endpoint it was made for, which an amendment may have changed since. */
function earlierRecords(key: string, earlier: EarlierProposal): readonly AuditRecord[] {
  const { endpoint, revision, digest, createdAt, executedAt, requestedBy, expiresAt, standing } = earlier;
  const place = { key, endpoint, revision, digest };
  const asked = { ...plainRecord({ ...place, at: createdAt, action: "proposed" }), requestedBy, expiresAt };
  const replaced = plainRecord({ ...place, at: earlier.replacedAt, action: "replaced" });
  return [
    asked,
    ...(executedAt === null ? [] : [plainRecord({ ...place, at: executedAt, action: "executed" })]),
    ...(standing === "expired" ? [plainRecord({ ...place, at: expiresAt, action: "lapsed" })] : []),
    { ...replaced, reason: earlier.replacedBecause },
  ];
}

/** Where the delivery went at that time: an amendment may have moved it since. A word that moves it belongs to the old place. */
function placeAt(place: Place, earlier: readonly EarlierProposal[], { at }: { readonly at: string }): Place {
  const then = earlier.find(({ replacedAt }) => Date.parse(at) <= Date.parse(replacedAt));
  return then === undefined ? place : { ...place, endpoint: then.endpoint };
}

function decisionRecord(place: Place, decision: DecisionRecord): AuditRecord {
  const { at, action, actor, revision, digest, counted, refusedBecause, note, signed } = decision;
  return { ...place, at, action, actor, revision, digest, counted, refusedBecause, note: noteOf(note), signed };
}

function resolutionRecord(place: Place, resolution: Resolution): AuditRecord {
  const { at, action, actor, counted, refusedBecause, reason } = resolution;
  return plainRecord({ ...place, at, action, actor, counted, refusedBecause, note: noteOf(reason) });
}

function pendingRecord(place: Place, { at, action, actor }: PendingWord): AuditRecord {
  return plainRecord({ ...place, at, action, actor });
}

function noteOf(text: string): string | null {
  return text === "" ? null : text;
}

function attemptRecord(place: Place, attempt: AttemptRecord, proposal: Proposal | null): AuditRecord {
  const { at, number, outcome, certainty, code, status, durationMs, via, reference } = attempt;
  return {
    ...plainRecord({ ...place, at, action: "attempt", ...approvedBy(proposal, at) }),
    number,
    outcome,
    certainty,
    code,
    ...(status === undefined ? {} : { status }),
    durationMs: Math.round(durationMs),
    via,
    ...(reference === undefined ? {} : { reference }),
  };
}

function lookupRecord(place: Place, lookup: LookupRecord): AuditRecord {
  const { at, attempt: number, found, code, status, durationMs, reference } = lookup;
  return {
    ...plainRecord({ ...place, at, action: "lookup" }),
    number,
    found,
    code,
    ...(status === undefined ? {} : { status }),
    durationMs: Math.round(durationMs),
    ...(reference === undefined ? {} : { reference }),
  };
}

/** From its first attempt on a proposal stays in force; what was sent before went out under another, or none. */
function approvedBy(proposal: Proposal | null, at: string): Partial<Pick<AuditRecord, "revision" | "digest">> {
  if (proposal === null || proposal.executedAt === null) return {};
  const { revision, digest, executedAt } = proposal;
  return Date.parse(at) >= Date.parse(executedAt) ? { revision, digest } : {};
}

/** That it waits for a person, or that it has ended. */
function fateRecords(place: Place, { acceptedAt }: Whole, delivery: DeliveryStatus): readonly AuditRecord[] {
  const { attention, state } = delivery;
  if (attention !== null) {
    return [{ ...plainRecord({ ...place, at: attention.since, action: "parked" }), reason: attention.reason }];
  }
  switch (state) {
    case "delivered":
    case "rejected":
    case "expired":
    case "discarded":
      return [{ ...plainRecord({ ...place, at: endedAt(acceptedAt, delivery, state), action: "ended" }), state }];
    case "accepted":
    case "awaiting-approval":
    case "delivering":
    case "waiting-retry":
    case "held":
    case "reconciling":
    case "needs-attention":
      return [];
  }
}
