/** The facade: every verb a producer, operator or program needs, bound to one configuration and one connection. */
import { randomUUID } from "node:crypto";
import type { Client } from "@temporalio/client";
import type { Config } from "../config/config.ts";
import { parseDurationMs } from "../config/duration.ts";
import { TEST_EVENT_TYPE } from "../config/match-routes.ts";
import { RESERVED_SOURCE } from "../config/names.ts";
import type { Verdict } from "../delivery/progress.ts";
import { CountersignError } from "../errors.ts";
import { type EndpointOverview, endpointOverviews } from "./endpoint-overview.ts";
import { type EventReport, getEvent } from "./get-event.ts";
import { type EventRow, listEvents, type ListFilter } from "./list-events.ts";
import { resolveDelivery } from "./resolve-delivery.ts";
import { createReadiness } from "./readiness.ts";
import type { Session } from "./session.ts";
import { settled } from "./settled.ts";
import { type Receipt, submit, type SubmitOptions } from "./submit.ts";

/** Who says what about a delivery, and why. */
export interface PersonsWord {
  readonly actor: string;
  readonly reason: string;
  /** Endpoint name; only needed when several deliveries are concerned. */
  readonly delivery?: string;
}

export interface Countersign {
  /** Accepts an event, see `submit` in `client/submit.ts`. */
  submit(event: unknown, options?: SubmitOptions): Promise<Receipt>;
  /** The whole state; throws `not_found`. Exact up to what the server has recorded. */
  get(key: string): Promise<EventReport>;
  /** Newest first; eventually consistent. */
  list(filter?: ListFilter): AsyncIterable<EventRow>;
  /** Resolves when each delivery has ended or waits for a person; throws `timeout`. `timeout` is a duration, `'30s'` by default. */
  settled(key: string, options?: { readonly timeout?: string }): Promise<EventReport>;
  /** Tries a parked delivery again with the same key and a fresh budget. */
  replay(key: string, word: PersonsWord): Promise<Verdict>;
  /** Ends a delivery without sending it. */
  discard(key: string, word: PersonsWord): Promise<Verdict>;
  /** Records that the endpoint has it; `reason` is the evidence. */
  markDelivered(key: string, word: PersonsWord): Promise<Verdict>;
  /** Sends one synthetic event to one endpoint, whatever the routes say; throws `unknown_endpoint`. */
  test(endpoint: string): Promise<Receipt>;
  endpoints(name?: string): Promise<readonly EndpointOverview[]>;
}

export interface CountersignParts {
  readonly client: Client;
  readonly config: Config;
  /** True only where a worker of this process shares the connection. */
  readonly eager: boolean;
}

export function createCountersign({ client, config, eager }: CountersignParts): Countersign {
  const session: Session = { client, config, eager, ...createReadiness({ client, config, eager }) };
  return {
    submit: async (event, options) => await submit(session, event, options),
    get: async (key) => await getEvent(session, key),
    list: (filter = {}) => listEvents(session, filter),
    settled: async (key, options = {}) => await settled(session, key, timeoutMs(options.timeout)),
    replay: async (key, word) => await resolveDelivery(session, key, { action: "replay", ...word }),
    discard: async (key, word) => await resolveDelivery(session, key, { action: "discard", ...word }),
    markDelivered: async (key, word) => await resolveDelivery(session, key, { action: "mark-delivered", ...word }),
    test: async (endpoint) => await sendTest(session, endpoint),
    endpoints: async (name) => await endpointOverviews(session, name),
  };
}

async function sendTest(session: Session, endpoint: string): Promise<Receipt> {
  if (!Object.hasOwn(session.config.endpoints, endpoint)) {
    throw new CountersignError(
      "unknown_endpoint",
      `There is no endpoint ${JSON.stringify(endpoint)} in the configuration`,
    );
  }
  return await submit(session, {
    source: RESERVED_SOURCE,
    id: `test-${randomUUID()}`,
    type: TEST_EVENT_TYPE,
    subject: endpoint,
    synthetic: true,
    data: { test: true },
  });
}

function timeoutMs(timeout = "30s"): number {
  const durationMs = parseDurationMs(timeout);
  if (durationMs !== null) return durationMs;
  throw new CountersignError(
    "bad_argument",
    `The timeout must be a duration such as "30s", not ${JSON.stringify(timeout)}`,
  );
}
