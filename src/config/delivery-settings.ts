/** What the configuration settles for one delivery, amended or not. */
import { amendedEvent } from "../delivery/amendment.ts";
import type { Amendment, ApprovalTerms } from "../delivery/approval.ts";
import { bodyOf, parseJsonBody } from "../delivery/body.ts";
import { isJsonContentType } from "../delivery/content-type.ts";
import type { BusinessEvent } from "../delivery/event.ts";
import type { WithheldReason } from "../delivery/facts.ts";
import { findDuplicateMember } from "../delivery/json-text.ts";
import { eventKey } from "../delivery/names.ts";
import type { DeliverySettings } from "../delivery/plan.ts";
import { dueApprovals, mergeApprovals } from "./approval-terms.ts";
import type { Config, Endpoint } from "./config.ts";
import { configVersionOf, idempotencyKeyFor } from "./digests.ts";
import { matchRoutes } from "./match-routes.ts";

export interface DeliveryTarget {
  /** As accepted, under its configured source name. */
  readonly event: BusinessEvent;
  readonly endpoint: string;
  /** Null = nobody amended it. */
  readonly amendment: Amendment | null;
}

export interface SettledDelivery {
  readonly endpoint: Endpoint;
  readonly settings: DeliverySettings;
  /** As it will be sent. */
  readonly event: BusinessEvent;
  /** Null = no approval is due. */
  readonly terms: ApprovalTerms | null;
  /** Null = the event does not say. */
  readonly requestedBy: string | null;
  /** An approval is due that wants to know who asked, and the event does not say. */
  readonly lacksRequester: boolean;
}

/**
 * The settings of a delivery, or why it may not be made.
 *
 * An amended one may go to any endpoint, as long as the event was routed where it
 * came from; that its new body fits is checked here, because nobody did before.
 */
export function settleRouted(config: Config, target: DeliveryTarget): SettledDelivery | WithheldReason {
  const { amendment } = target;
  const endpoint = Object.hasOwn(config.endpoints, target.endpoint) ? config.endpoints[target.endpoint] : undefined;
  if (endpoint === undefined) return "unknown-endpoint";
  if (!matchRoutes(config, target.event).includes(amendment?.from ?? endpoint.name)) return "not-routed";
  const settled = settle(config, endpoint, target);
  const complaint = amendment === null ? null : complaintAbout(settled.event, endpoint);
  return complaint ?? (settled.lacksRequester ? "no-requester" : settled);
}

/** Events are checked when they are accepted; what an amendment puts in their place is not. */
function complaintAbout(amended: BusinessEvent, { maxBodyBytes }: Endpoint): WithheldReason | null {
  const { contentType, bytes } = bodyOf(amended);
  if (bytes.length > maxBodyBytes) return "body-too-large";
  if (!isJsonContentType(contentType)) return null;
  // A member named twice is read one way by conditions and another way by some receivers.
  const isPlain = parseJsonBody(bytes) !== undefined && findDuplicateMember(new TextDecoder().decode(bytes)) === null;
  return isPlain ? null : "body-not-json";
}

/** The same where it is known that the event goes to that endpoint. */
export function settle(
  config: Config,
  endpoint: Endpoint,
  { event: original, amendment }: Omit<DeliveryTarget, "endpoint">,
): SettledDelivery {
  const event = amendedEvent(original, amendment);
  const due = dueApprovals(config, {
    event,
    endpoint: endpoint.name,
    amendment: amendment === null ? null : { from: amendment.from, original },
  });
  const terms = mergeApprovals(due);
  const requestedBy = requesterOf(event);
  return {
    endpoint,
    settings: settingsOf(endpoint, { event, amendment }, terms),
    event,
    terms,
    requestedBy,
    lacksRequester: requestedBy === null && due.some(({ requireRequester }) => requireRequester),
  };
}

function requesterOf({ requestedBy = "" }: BusinessEvent): string | null {
  return requestedBy.trim() === "" ? null : requestedBy;
}

function settingsOf(
  endpoint: Endpoint,
  { event, amendment }: Omit<DeliveryTarget, "endpoint">,
  terms: ApprovalTerms | null,
): DeliverySettings {
  return {
    idempotencyKey: idempotencyKeyFor(eventKey(event.source, event.id), endpoint.name, amendment?.revision ?? 1),
    configVersion: configVersionOf(endpoint),
    idempotent: endpoint.idempotent,
    isolated: endpoint.isolated,
    lane: endpoint.limits !== null,
    ...(terms === null ? {} : { approval: true }),
    ...(endpoint.reconcile === null ? {} : { reconcile: true }),
    retry: endpoint.retry,
    totalMs: endpoint.timeouts.totalMs,
  };
}
