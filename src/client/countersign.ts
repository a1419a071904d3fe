/** The facade: every verb a producer, operator or program needs, bound to one configuration and one connection. */
import { randomUUID } from "node:crypto";
import type { Client } from "@temporalio/client";
import type { Config } from "../config/config.ts";
import { parseDurationMs } from "../config/duration.ts";
import { TEST_DATA, TEST_EVENT_TYPE } from "../config/own-events.ts";
import { RESERVED_SOURCE } from "../config/names.ts";
import type { BusinessEvent, JsonValue } from "../delivery/event.ts";
import type { Verdict } from "../delivery/event-state.ts";
import { CountersignError } from "../errors.ts";
import { type BulkReplays, createBulkReplays } from "./bulk-replays.ts";
import { decideDelivery } from "./decide-delivery.ts";
import { pauseEndpoint, type PauseReport, resumeEndpoint, type ResumeReport } from "./endpoint-control.ts";
import { endpointDetail, type EndpointDetail } from "./endpoint-detail.ts";
import { type EndpointOverview, endpointOverviews } from "./endpoint-overview.ts";
import { type PauseOrder, requireEndpoint, type ResumeOrder } from "./endpoint-words.ts";
import { describeRun, type EventReport, getEvent } from "./get-event.ts";
import { type Health, readHealth } from "./health.ts";
import { requireUnheld } from "./held-endpoint.ts";
import { countEvents, type EventRow, listEvents, type ListFilter } from "./list-events.ts";
import { type EventPage, listPage, type PageRequest } from "./list-page.ts";
import { type EndpointLedger, readLedger } from "./read-ledger.ts";
import { resolveDelivery } from "./resolve-delivery.ts";
import { createReadiness } from "./readiness.ts";
import type { Session } from "./session.ts";
import { settled } from "./settled.ts";
import { storedEvent } from "./stored-event.ts";
import { type Receipt, submit, submitOwn, type SubmitOptions } from "./submit.ts";

/** Who decides on which proposal. */
export interface DecisionWord {
  readonly actor: string;
  /** The whole `sha256:…` of the proposal the person saw; another one does not count. */
  readonly digest: string;
  /** `reject` needs one. */
  readonly note?: string;
  /** Endpoint name; only needed when several deliveries wait. */
  readonly delivery?: string;
  /** Base64, Ed25519 over `decisionBytes`; needed where decisions must be signed. */
  readonly signature?: string;
}

/** Who says what about a delivery, and why. */
export interface PersonsWord {
  readonly actor: string;
  readonly reason: string;
  /** Endpoint name; only needed when several deliveries are concerned. */
  readonly delivery?: string;
}

/** What replaces the body, the endpoint or both; at most one of `data` and `data_base64`. */
export interface AmendmentWord extends PersonsWord {
  readonly data?: JsonValue;
  readonly data_base64?: string;
  readonly endpoint?: string;
}

/** No verb that takes a person's word throws when it did not count: the verdict says so. */
export interface Countersign {
  /** Accepts an event, see `submit` in `client/submit.ts`. */
  submit(event: unknown, options?: SubmitOptions): Promise<Receipt>;
  /** The whole state; throws `not_found`. Exact up to what the server has recorded. */
  get(key: string): Promise<EventReport>;
  /** The event as it was accepted, its body included; throws `not_found`. */
  event(key: string): Promise<BusinessEvent>;
  /** Newest first; eventually consistent. */
  list(filter?: ListFilter): AsyncIterable<EventRow>;
  /** The same page by page, for callers that come back with a cursor. */
  listPage(filter: ListFilter, page: PageRequest): Promise<EventPage>;
  /** How many events the filter finds; eventually consistent. */
  count(filter?: ListFilter): Promise<number>;
  /** Resolves when each delivery has ended or waits for a person; throws `timeout`. `timeout` is a duration, `'30s'` by default. */
  settled(key: string, options?: { readonly timeout?: string }): Promise<EventReport>;
  /** Says yes to what the digest stands for. */
  approve(key: string, word: DecisionWord): Promise<Verdict>;
  /** Says no to it; `note` is needed. */
  reject(key: string, word: DecisionWord): Promise<Verdict>;
  /** Takes the actor's own decision back, as long as nothing was sent. */
  withdraw(key: string, word: DecisionWord): Promise<Verdict>;
  /** Tries a parked delivery again with the same key and a fresh budget. */
  replay(key: string, word: PersonsWord): Promise<Verdict>;
  /** Ends a delivery without sending it. */
  discard(key: string, word: PersonsWord): Promise<Verdict>;
  /** Records that the endpoint has it; `reason` is the evidence. */
  markDelivered(key: string, word: PersonsWord): Promise<Verdict>;
  /** Replaces what a parked or waiting delivery sends, or where; whatever was approved no longer counts. */
  amend(key: string, word: AmendmentWord): Promise<Verdict>;
  /** Ends a retry wait now, or at the time that the endpoint asked for: never before. */
  hurry(key: string, word: PersonsWord): Promise<Verdict>;
  /** Stops one delivery: nothing is sent until it is released. Waits for the answer of an attempt under way. */
  hold(key: string, word: PersonsWord): Promise<Verdict>;
  /** Lets a delivery that is held go on. */
  release(key: string, word: PersonsWord): Promise<Verdict>;
  /** Many parked events told to go on, at a pace. */
  readonly bulkReplays: BulkReplays;
  /** Sends one synthetic event to one endpoint, whatever the routes say; throws `unknown_endpoint`, and `endpoint_held` before anything is sent. */
  test(endpoint: string): Promise<Receipt>;
  endpoints(name?: string): Promise<readonly EndpointOverview[]>;
  /** One endpoint in detail: its gate, what waits on its lane, its ledger; throws `unknown_endpoint`. */
  endpoint(name: string): Promise<EndpointDetail>;
  /** Every change of its gate that the server still knows, not only the last ones; throws `unknown_endpoint`. */
  ledger(endpoint: string): Promise<EndpointLedger>;
  /** Stops every attempt to an endpoint, see `pauseEndpoint` in `client/endpoint-control.ts`. */
  pause(endpoint: string, order: PauseOrder): Promise<PauseReport>;
  /** Lets it go on: a burst of probes first. */
  resume(endpoint: string, order: ResumeOrder): Promise<ResumeReport>;
  /** Whether events would be taken and delivered now; never throws. */
  health(): Promise<Health>;
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
    event: async (key) => await storedEvent(session, await describeRun(session, key)),
    list: (filter = {}) => listEvents(session, filter),
    listPage: async (filter, page) => await listPage(session, filter, page),
    count: async (filter = {}) => await countEvents(session, filter),
    settled: async (key, options = {}) => await settled(session, key, timeoutMs(options.timeout)),
    approve: async (key, word) => await decideDelivery(session, key, { ...word, action: "approve" }),
    reject: async (key, word) => await decideDelivery(session, key, { ...word, action: "reject" }),
    withdraw: async (key, word) => await decideDelivery(session, key, { ...word, action: "withdraw" }),
    replay: async (key, word) => await resolveDelivery(session, key, { ...word, action: "replay" }),
    discard: async (key, word) => await resolveDelivery(session, key, { ...word, action: "discard" }),
    markDelivered: async (key, word) => await resolveDelivery(session, key, { ...word, action: "mark-delivered" }),
    amend: async (key, word) => await resolveDelivery(session, key, { ...word, action: "amend" }),
    hurry: async (key, word) => await resolveDelivery(session, key, { ...word, action: "hurry" }),
    hold: async (key, word) => await resolveDelivery(session, key, { ...word, action: "hold" }),
    release: async (key, word) => await resolveDelivery(session, key, { ...word, action: "release" }),
    bulkReplays: createBulkReplays(session),
    test: async (endpoint) => await sendTest(session, endpoint),
    endpoints: async (name) => await endpointOverviews(session, name),
    endpoint: async (name) => await endpointDetail(session, name),
    ledger: async (endpoint) => await readLedger(session, endpoint),
    pause: async (endpoint, order) => await pauseEndpoint(session, endpoint, order),
    resume: async (endpoint, order) => await resumeEndpoint(session, endpoint, order),
    health: async () => await readHealth(session),
  };
}

async function sendTest(session: Session, endpoint: string): Promise<Receipt> {
  requireEndpoint(session, endpoint);
  await requireUnheld(session, endpoint);
  return await submitOwn(session, {
    source: RESERVED_SOURCE,
    id: `test-${randomUUID()}`,
    type: TEST_EVENT_TYPE,
    subject: endpoint,
    synthetic: true,
    data: TEST_DATA,
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
