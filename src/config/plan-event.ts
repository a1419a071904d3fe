/** Where an event goes and under which settings: the configuration's answer. */
import { bodyOf } from "../delivery/body.ts";
import type { BusinessEvent } from "../delivery/event.ts";
import { fingerprintInput } from "../delivery/fingerprint.ts";
import type { EventPlan } from "../delivery/plan.ts";
import { CountersignError } from "../errors.ts";
import type { Config, Endpoint } from "./config.ts";
import { settle } from "./delivery-settings.ts";
import { sha256 } from "./digests.ts";
import { matchRoutes, resolveSource } from "./match-routes.ts";

/**
 * The event under its configured source name.
 *
 * Throws `unknown_source` naming the sources there are.
 */
export function canonicalEvent(config: Config, event: BusinessEvent): BusinessEvent {
  const source = resolveSource(config, event.source);
  if (source !== null) return source.name === event.source ? event : { ...event, source: source.name };
  const known = Object.keys(config.sources).join(", ") || "none";
  throw new CountersignError(
    "unknown_source",
    `Source ${JSON.stringify(event.source)} is not configured; the configured sources are: ${known}`,
  );
}

/**
 * The plan of an event that carries its configured source name.
 *
 * Throws `no_route` when nothing matches, `body_too_large` when an endpoint it goes
 * to takes less, `requester_required` when an approval that is due wants to know who
 * asked and the event does not say.
 */
export function planEvent(
  config: Config,
  event: BusinessEvent,
  { volatileMembers }: FingerprintOptions = {},
): EventPlan {
  const names = matchRoutes(config, event);
  if (names.length === 0) throw noRoute(event);
  const { bytes } = bodyOf(event);
  const deliveries = names
    .flatMap((name) => config.endpoints[name] ?? [])
    .map((endpoint) => {
      requireBodyFits(endpoint, bytes.length);
      const { settings, lacksRequester } = settle(config, endpoint, { event, amendment: null });
      if (lacksRequester) throw requesterRequired(endpoint);
      return { endpoint: endpoint.name, settings };
    });
  return { fingerprint: fingerprintOf(event, { volatileMembers }), deliveries };
}

export interface FingerprintOptions {
  /** Top-level members of the body that a provider may change between redeliveries; absent = none. */
  readonly volatileMembers?: readonly string[] | undefined;
}

/** `sha256:` + hex over what makes two events the same. */
export function fingerprintOf(event: BusinessEvent, { volatileMembers = [] }: FingerprintOptions = {}): string {
  const { contentType, bytes: body } = bodyOf(event);
  const { source, id, type, subject = "" } = event;
  const input = fingerprintInput({ source, id, type, subject, contentType, body, volatileMembers });
  return `sha256:${sha256(input).toString("hex")}`;
}

function requireBodyFits({ name, maxBodyBytes }: Endpoint, bytes: number): void {
  if (bytes <= maxBodyBytes) return;
  throw new CountersignError(
    "body_too_large",
    `The body has ${bytes} bytes, endpoint ${name} takes at most ${maxBodyBytes} (maxBodyBytes)`,
  );
}

function requesterRequired({ name }: Endpoint): CountersignError {
  return new CountersignError(
    "requester_required",
    `Endpoint ${name} gets this event only with an approval that must know who asked for it, and the event has no requestedBy`,
  );
}

function noRoute(event: BusinessEvent): CountersignError {
  const { source, type } = event;
  return new CountersignError(
    "no_route",
    `No route matches an event of type ${JSON.stringify(type)} from source ${JSON.stringify(source)}; nothing was started`,
  );
}
