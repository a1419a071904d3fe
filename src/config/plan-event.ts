/** Where an event goes and under which settings: the configuration's answer, with the digests that need a hash. */
import { createHash } from "node:crypto";
import { bodyOf } from "../delivery/body.ts";
import type { BusinessEvent } from "../delivery/event.ts";
import { fingerprintInput, idempotencyKeyInput } from "../delivery/fingerprint.ts";
import { eventKey } from "../delivery/names.ts";
import type { DeliverySettings, EventPlan } from "../delivery/plan.ts";
import { CountersignError } from "../errors.ts";
import type { Config, Endpoint } from "./config.ts";
import { matchRoutes, resolveSource } from "./match-routes.ts";
import { displayUrl } from "./resolve-endpoint.ts";

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
 * to takes less.
 */
export function planEvent(config: Config, event: BusinessEvent): EventPlan {
  const names = matchRoutes(config, event);
  if (names.length === 0) throw noRoute(event);
  const { bytes } = bodyOf(event);
  const deliveries = names.map((endpoint) => {
    requireBodyFits(config, endpoint, bytes.length);
    return { endpoint, settings: settingsOf(config, event, endpoint) };
  });
  return { fingerprint: fingerprintOf(event), deliveries };
}

/** The settings in force for one delivery; null when the event is not routed to that endpoint. */
export function settingsFor(config: Config, event: BusinessEvent, endpoint: string): DeliverySettings | null {
  return matchRoutes(config, event).includes(endpoint) ? settingsOf(config, event, endpoint) : null;
}

/** `sha256:` + hex over what makes two events the same. */
export function fingerprintOf(event: BusinessEvent): string {
  const { contentType, bytes: body } = bodyOf(event);
  const { source, id, type, subject = "" } = event;
  return `sha256:${sha256(fingerprintInput({ source, id, type, subject, contentType, body })).toString("hex")}`;
}

/** `cs1_` + base64url: the same for every attempt and replay of one delivery. */
function idempotencyKeyOf(key: string, endpoint: string, revision = 1): string {
  return `cs1_${sha256(idempotencyKeyInput({ key, endpoint, revision })).toString("base64url")}`;
}

/** Digest of what an endpoint is; secrets, retry, time-outs and limits are not part of it. */
function configVersionOf(endpoint: Endpoint): string {
  const { name, method, headers, signing, format } = endpoint;
  const parts = [name, method, displayUrl(endpoint), Object.keys(headers).toSorted(), signing?.scheme ?? null, format];
  return `sha256:${sha256(Buffer.from(JSON.stringify(parts))).toString("hex")}`;
}

function settingsOf(config: Config, event: BusinessEvent, name: string): DeliverySettings {
  const endpoint = config.endpoints[name];
  if (endpoint === undefined)
    throw new CountersignError("unknown_endpoint", `There is no endpoint ${JSON.stringify(name)}`);
  return {
    idempotencyKey: idempotencyKeyOf(eventKey(event.source, event.id), name),
    configVersion: configVersionOf(endpoint),
    idempotent: endpoint.idempotent,
    isolated: endpoint.isolated,
    lane: endpoint.limits !== null,
    retry: endpoint.retry,
    totalMs: endpoint.timeouts.totalMs,
  };
}

function requireBodyFits(config: Config, endpoint: string, bytes: number): void {
  const maxBodyBytes = config.endpoints[endpoint]?.maxBodyBytes ?? 0;
  if (bytes <= maxBodyBytes) return;
  throw new CountersignError(
    "body_too_large",
    `The body has ${bytes} bytes, endpoint ${endpoint} takes at most ${maxBodyBytes} (maxBodyBytes)`,
  );
}

function noRoute(event: BusinessEvent): CountersignError {
  const { source, type } = event;
  return new CountersignError(
    "no_route",
    `No route matches an event of type ${JSON.stringify(type)} from source ${JSON.stringify(source)}; nothing was started`,
  );
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash("sha256").update(bytes).digest();
}
