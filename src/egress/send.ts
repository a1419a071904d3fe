/** The one function through which requests leave, and the connections it keeps. */
import type { TransportCode } from "../delivery/attempt.ts";
import { parseAddressRule, permitsFor } from "./address-rule.ts";
import type { Permits } from "./address-rule.ts";
import { createConnections } from "./connections.ts";
import type { Connections } from "./connections.ts";
import { createConnector, resolveBySystem, sharingLookups } from "./connector.ts";
import type { Resolve } from "./connector.ts";
import type { Exchange, OutgoingRequest, Send } from "./exchange.ts";
import { exchangeOnce } from "./exchange-once.ts";
import { watchRequests } from "./request-events.ts";

export interface SendOptions {
  /** Per origin and rule; requests beyond it wait within their own total deadline. Absent = no bound. */
  readonly maxConnectionsPerOrigin?: number;
  /** Default: the resolver of the system. */
  readonly resolve?: Resolve;
  /** PEM of the certificate authorities to trust instead of Node's. */
  readonly ca?: string;
}

export interface Sender {
  readonly send: Send;
  /** Waits for requests in flight; later ones are `canceled`, not sent. */
  readonly close: () => Promise<void>;
}

/**
 * What bounds requests in flight are the bulkheads, per endpoint. A bound per origin would let an
 * endpoint that hangs starve another one on the same host.
 */
const DEFAULT_CONNECTIONS = Number.POSITIVE_INFINITY;

/**
 * A sender with its own connections.
 *
 * They are ours alone: proxy variables and a global dispatcher have no
 * effect on them. Create one per process and close it at shutdown.
 */
export function createSend(options: SendOptions = {}): Sender {
  const { maxConnectionsPerOrigin = DEFAULT_CONNECTIONS, ca } = options;
  const resolve = sharingLookups(options.resolve ?? resolveBySystem);
  const events = watchRequests();
  const kept = new Map<string, Connections>();
  const inFlight = new Set<Promise<Exchange>>();
  let isClosed = false;

  const connectionsTo = (url: URL, request: OutgoingRequest, permits: Permits): Connections => {
    const connect = createConnector({ connectMs: request.timeouts.connectMs, permits, resolve, ca });
    return createConnections({ origin: url.origin, max: maxConnectionsPerOrigin, connect });
  };
  const keptConnections = (url: URL, request: OutgoingRequest, permits: Permits): Connections => {
    const key = connectionsKey(url, request);
    const connections = kept.get(key) ?? connectionsTo(url, request, permits);
    kept.set(key, connections);
    return connections;
  };
  const sendVetted = (url: URL, request: OutgoingRequest, permits: Permits): Promise<Exchange> => {
    const connections =
      request.freshConnection === true ? connectionsTo(url, request, permits) : keptConnections(url, request, permits);
    return exchangeOnce({ connections, url, events }, request);
  };

  return {
    send: async (request) => {
      if (isClosed) return notSent("canceled");
      if (!URL.canParse(request.url) || request.method === "CONNECT" || hasHostHeader(request))
        return notSent("request_invalid");
      const url = new URL(request.url);
      const permits = permitsFor(url, parseAddressRule(request));
      if (permits === null) return notSent("blocked_address");
      const exchange = sendVetted(url, request, permits).catch(broken);
      inFlight.add(exchange);
      return exchange.finally(() => inFlight.delete(exchange));
    },
    close: async () => {
      isClosed = true;
      await Promise.all(inFlight);
      await Promise.all([...kept.values()].map((connections) => connections.close()));
      events.stop();
    },
  };
}

/** Connections are shared only under the same rule, so one endpoint's permission never serves another. */
function connectionsKey(url: URL, { allowPrivate, ports, timeouts }: OutgoingRequest): string {
  return JSON.stringify([url.origin, timeouts.connectMs, allowPrivate.toSorted(), ports.toSorted((a, b) => a - b)]);
}

/** undici would take the name to verify the certificate against from it. */
function hasHostHeader(request: OutgoingRequest): boolean {
  return Object.keys(request.headers).some((name) => name.toLowerCase() === "host");
}

function notSent(code: TransportCode): Exchange {
  return { kind: "failure", code, certainty: "not-sent", elapsedMs: 0 };
}

/** A mistake of ours, of unknown consequence: still an outcome, never a rejection. */
function broken(): Exchange {
  return { kind: "failure", code: "transport_failed", certainty: "unknown", elapsedMs: 0 };
}
