/** What is due for one delivery: its settings, and what people must approve first. */
import type { PlannedDelivery } from "../delivery/activity-shapes.ts";
import type { Config } from "./config.ts";
import { type DeliveryTarget, settleRouted } from "./delivery-settings.ts";
import { proposalDraft } from "./propose.ts";

export interface DeliveryToPlan extends DeliveryTarget {
  /** Null = this process does not know it. Not used for an isolated endpoint, which shows the same everywhere. */
  readonly resolvedUrl: string | null;
  /** Of the proposal. */
  readonly revision: number;
}

/** Answers why it is withheld instead of throwing; throws `config_invalid` like `matchRoutes`. */
export function planDelivery(config: Config, delivery: DeliveryToPlan): PlannedDelivery {
  const { amendment, revision } = delivery;
  const settled = settleRouted(config, delivery);
  if (typeof settled === "string") return { kind: "withheld", endpoint: delivery.endpoint, reason: settled };
  const { endpoint, settings, event, terms, requestedBy } = settled;
  if (terms === null) return { kind: "planned", endpoint: endpoint.name, settings, draft: null };
  const draft = proposalDraft({
    endpoint,
    resolvedUrl: endpoint.isolated ? null : delivery.resolvedUrl,
    event,
    revision,
    requestedBy,
    editedBy: amendment?.actor ?? null,
    terms,
  });
  return { kind: "planned", endpoint: endpoint.name, settings, draft };
}
