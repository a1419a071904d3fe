/** The last look before the first byte: is this very request approved, by this worker's own configuration? */
import type { AttemptInput, PlannedDelivery } from "../delivery/activity-shapes.ts";
import type { ApprovalGrant, ProposalDraft } from "../delivery/approval.ts";
import type { AttemptResult } from "../delivery/facts.ts";
import { eventKey } from "../delivery/names.ts";
import type { ActivityDependencies, DeliveryOrder } from "./dependencies.ts";

export type ClosedGate = Extract<AttemptResult, { kind: "unapproved" | "too-late" }>;

/** Null = nothing stands in the way; anything else says why nothing was sent. `draft` is that of `order`. */
export function approvalGate(
  deps: ActivityDependencies,
  { input, order, draft }: { readonly input: GatedInput; readonly order: DeliveryOrder; readonly draft: ProposalDraft },
): ClosedGate | null {
  const { endpoint, approval: grant = null, nextRevision = 1 } = input;
  const { amendment, event } = order;
  const key = eventKey(event.source, event.id);
  const answer = deps.routing.gate({ draft, amendment, key, grant, nowMs: deps.now() });
  if (answer === "granted") return null;
  if (answer === "too-late") return { kind: "too-late", endpoint };
  const anew = deps.routing.delivery({ event, endpoint, amendment, revision: nextRevision });
  return { kind: "unapproved", endpoint, draft: draftOf(anew) ?? draft, ...reasonOf(grant, draft) };
}

/** Only where something was approved before. */
function reasonOf(grant: ApprovalGrant | null, draft: ProposalDraft): Pick<Unapproved, "because"> {
  if (grant === null) return {};
  return { because: grant.digest === draft.digest ? "approval-lost" : "changed" };
}

type Unapproved = Extract<ClosedGate, { kind: "unapproved" }>;

type GatedInput = Pick<AttemptInput, "endpoint" | "approval" | "nextRevision">;

/** What this worker would send, as far as an approval can cover it. */
export function orderOf(
  event: DeliveryOrder["event"],
  { endpoint, amendment, approval, nextRevision = 1 }: GatedInput & Pick<AttemptInput, "amendment">,
): DeliveryOrder {
  return { event, endpoint, amendment: amendment ?? null, revision: approval?.revision ?? nextRevision };
}

function draftOf(planned: PlannedDelivery): ProposalDraft | null {
  return planned.kind === "planned" ? planned.draft : null;
}
