/** A stage for activities without a server: real routing over a configuration, small fakes for the world. */
import { MockActivityEnvironment } from "@temporalio/testing";
import { createAdmission, limitsFor } from "../../src/activities/admission.ts";
import type { EventActivities } from "../../src/activities/contract.ts";
import { createActivities } from "../../src/activities/create-activities.ts";
import type {
  ActivityDependencies,
  AttemptLine,
  LookupLine,
  Routing,
  RunReader,
} from "../../src/activities/dependencies.ts";
import { createOutcomeMemory } from "../../src/activities/outcome-memory.ts";
import type { Config } from "../../src/config/config.ts";
import { resolveSource } from "../../src/config/match-routes.ts";
import { parseConfig } from "../../src/config/parse-config.ts";
import { judgeGrant } from "../../src/config/grant.ts";
import { planDelivery } from "../../src/config/plan-delivery.ts";
import { canonicalEvent, planEvent } from "../../src/config/plan-event.ts";
import type { RawConfig, RawEndpoint } from "../../src/config/raw-config.ts";
import { rightsOf } from "../../src/config/rights.ts";
import { resolveEndpoint } from "../../src/config/resolve-endpoint.ts";
import type { AttemptInput, LocalClues } from "../../src/delivery/activity-shapes.ts";
import type { ApprovalGrant } from "../../src/delivery/approval.ts";
import { HOUR_MS } from "../../src/delivery/durations.ts";
import type { BusinessEvent } from "../../src/delivery/event.ts";
import type { Answer, Exchange, OutgoingRequest } from "../../src/egress/exchange.ts";
import { NOON_MS, someSettings } from "./deliveries.ts";

export const anEvent = (changes: Partial<BusinessEvent> = {}): BusinessEvent => ({
  source: "shop",
  id: "evt_1",
  type: "order.created",
  data: { total: 42 },
  ...changes,
});

export const anAnswer = (changes: Partial<Answer> = {}): Answer => ({
  kind: "answer",
  status: 200,
  retryAfter: [],
  date: null,
  location: null,
  elapsedMs: 5,
  ...changes,
});

/** Sources `shop` (with an alias) and `billing`; everything goes to every endpoint unless `rest` says otherwise. */
export function stageConfig(endpoints: Readonly<Record<string, RawEndpoint>>, rest: Partial<RawConfig> = {}): Config {
  const to = Object.keys(endpoints);
  const sources = { shop: { aliases: ["https://shop.example/orders"] }, billing: {} };
  return parseConfig({ sources, endpoints, routes: [{ match: {}, to }], ...rest }, { path: null });
}

const NOTHING_TOLD: RunReader = {
  startEvent: () => Promise.resolve(anEvent()),
  latestTaskEvents: () => Promise.resolve([]),
  presentTask: () => Promise.resolve(null),
};

/** Identity of the stage's worker. */
export const STAGE_WORKER = "1@stage-0a1b2c3d";

export interface Stage {
  readonly deps: ActivityDependencies;
  readonly sent: OutgoingRequest[];
  readonly lines: AttemptLine[];
  readonly lookups: LookupLine[];
  readonly failures: { readonly activity: string; readonly code: string; readonly error: unknown }[];
  readonly handlerErrors: unknown[];
  readonly clockLines: { readonly endpoint: string; readonly differenceMs: number }[];
  readonly lanes: string[];
  /** Events of our own that were handed over. */
  readonly submitted: BusinessEvent[];
  /** Moves the stage's clock. */
  readonly clock: { nowMs: number };
}

export interface StageOptions extends Partial<Omit<ActivityDependencies, "send" | "runs">> {
  /** What the server tells of the run; absent = the event `anEvent`, and nothing of its tasks. */
  readonly runs?: Partial<RunReader>;
  /** What each request meets, in turn; the last one stays. A function is asked. */
  readonly answers?: readonly (Exchange | ((request: OutgoingRequest) => Promise<Exchange>))[];
}

export function aStage(config: Config, options: StageOptions = {}): Stage {
  const { answers = [anAnswer()], runs = {}, ...changes } = options;
  const clock = { nowMs: NOON_MS };
  const now = (): number => clock.nowMs;
  const stage: Omit<Stage, "deps"> = {
    sent: [],
    lines: [],
    lookups: [],
    failures: [],
    handlerErrors: [],
    clockLines: [],
    lanes: [],
    submitted: [],
    clock,
  };
  const deps: ActivityDependencies = {
    routing: stageRouting(config),
    async send(request) {
      stage.sent.push(request);
      const answer = answers[Math.min(stage.sent.length, answers.length) - 1] ?? anAnswer();
      return typeof answer === "function" ? await answer(request) : answer;
    },
    handlers: new Map(),
    admission: createAdmission({ limits: limitsFor(100), now, gateOpen: () => true }),
    gates: { onLane: () => ({ kind: "go" }), begin: () => ({ end: () => undefined }) },
    memory: createOutcomeMemory(now),
    parked: {
      list: () => Promise.resolve({ items: [], more: false, beyond: 0 }),
      replay: (key) => Promise.resolve({ key, replayed: 1, because: null }),
      look: () => Promise.resolve(null),
      isStopped: () => Promise.resolve(false),
    },
    runs: { ...NOTHING_TOLD, ...runs },
    worker: STAGE_WORKER,
    submit(event) {
      stage.submitted.push(event);
      return Promise.resolve();
    },
    openLane(endpoint) {
      stage.lanes.push(endpoint);
      return Promise.resolve();
    },
    log: {
      attempted: (line) => void stage.lines.push(line),
      lookedUp: (line) => void stage.lookups.push(line),
      failed: (line) => void stage.failures.push(line),
      handlerFailed: ({ error }) => void stage.handlerErrors.push(error),
      clockDiffers: (line) => void stage.clockLines.push(line),
    },
    now,
    stopping: new AbortController().signal,
    userAgent: "countersign/test",
    ...changes,
  };
  return { ...stage, deps };
}

function stageRouting(config: Config): Routing {
  return {
    source: (name) => resolveSource(config, name)?.name ?? null,
    plan: (event) => planEvent(config, canonicalEvent(config, event)),
    delivery: (order) => planDelivery(config, { ...order, resolvedUrl: null }),
    rights: (facts) => rightsOf(config, facts),
    gate: (facts) => judgeGrant(config, facts),
    endpoint: (name) => (Object.hasOwn(config.endpoints, name) ? (config.endpoints[name] ?? null) : null),
    resolved(name) {
      const endpoint = config.endpoints[name];
      if (endpoint === undefined) throw new TypeError(`There is no endpoint ${name}`);
      return resolveEndpoint(endpoint, {});
    },
  };
}

export interface Surroundings {
  /** Which try of the activity it is, from 1. */
  readonly tries?: number;
  readonly scheduledMs?: number;
  readonly runId?: string;
  /** Gets the environment before the activity starts, to cancel it or to hear its heartbeats. */
  readonly meet?: (environment: MockActivityEnvironment) => void;
}

const SILENT = { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} };

/** Runs one activity as a worker would, without a server; throws what would be reported. */
export async function perform<Name extends keyof EventActivities>(
  deps: ActivityDependencies,
  [name, input]: readonly [Name, Parameters<EventActivities[Name]>[0]],
  { tries = 1, scheduledMs = NOON_MS, runId = "run-1", meet }: Surroundings = {},
): Promise<Awaited<ReturnType<EventActivities[Name]>>> {
  const workflowExecution = { workflowId: "shop/evt_1", runId };
  const info = { attempt: tries, workflowExecution, scheduledTimestampMs: scheduledMs };
  const environment = new MockActivityEnvironment(info, { logger: SILENT });
  meet?.(environment);
  // The map of activities loses which input belongs to which name.
  const activity = createActivities(deps)[name] as (given: typeof input) => Promise<unknown>;
  return (await environment.run<[], unknown, () => Promise<unknown>>(() => activity(input))) as Awaited<
    ReturnType<EventActivities[Name]>
  >;
}

export const aClue = (changes: Partial<LocalClues> = {}): LocalClues => ({
  historyLength: 3,
  expectedLength: 3,
  scheduledAtMs: NOON_MS,
  recallOnly: false,
  ...changes,
});

export function anInput(changes: Partial<AttemptInput> = {}): AttemptInput {
  return {
    v: 1,
    endpoint: "crm",
    number: 1,
    via: "direct",
    settings: someSettings(),
    event: anEvent(),
    lastStatus: null,
    ...changes,
  };
}

/** For the event of this stage to `crm`, as its own configuration would propose it; nobody has voted. */
export function aGrant(deps: ActivityDependencies, changes: Partial<ApprovalGrant> = {}): ApprovalGrant {
  const { revision = 1 } = changes;
  const planned = deps.routing.delivery({ event: anEvent(), endpoint: "crm", revision, amendment: null });
  const draft = planned.kind === "planned" ? planned.draft : null;
  if (draft === null) throw new TypeError("No approval is due");
  const { digest } = draft;
  const times = { createdAtMs: NOON_MS, expiresAtMs: NOON_MS + HOUR_MS };
  return { revision, digest, ...times, executed: false, votes: [], ...changes };
}
