/** The activities of one process, put together from its configuration, connection and lanes. */
import type {
  ActivityDependencies,
  ActivityLog,
  AttemptGates,
  AttemptLine,
  LookupLine,
  Routing,
} from "../activities/dependencies.ts";
import { createAdmission, limitsFor } from "../activities/admission.ts";
import type { Handler } from "../activities/handler.ts";
import { createOutcomeMemory } from "../activities/outcome-memory.ts";
import { createParkedEvents } from "../client/parked-events.ts";
import type { Session } from "../client/session.ts";
import { submitOwn } from "../client/submit.ts";
import type { Config } from "../config/config.ts";
import { resolveSource } from "../config/match-routes.ts";
import { judgeGrant } from "../config/grant.ts";
import { planDelivery } from "../config/plan-delivery.ts";
import { canonicalEvent, planEvent } from "../config/plan-event.ts";
import { rightsOf } from "../config/rights.ts";
import { type Environment, type ResolvedEndpoint, resolveEndpoint } from "../config/resolve-endpoint.ts";
import type { Send } from "../egress/exchange.ts";
import { CountersignError } from "../errors.ts";
import { parseSigningSecret } from "../signing/secret.ts";
import type { Logger } from "../telemetry/logger.ts";
import { createClockAlarm } from "./clock-alarm.ts";
import { createRunReader } from "./run-reader.ts";

/** What of an attempt may stand on a counter. */
export type CountedAttempt = Pick<AttemptLine, "endpoint" | "outcome" | "durationMs">;

/** What of a lookup may. */
export type CountedLookup = Pick<LookupLine, "endpoint" | "found">;

export interface ComposeParts {
  readonly session: Session;
  readonly resolved: ReadonlyMap<string, ResolvedEndpoint>;
  readonly handlers: ReadonlyMap<string, Handler>;
  readonly send: Send;
  readonly slots: number;
  readonly stopping: AbortSignal;
  readonly log: Logger;
  /** Told of each attempt, for counters; absent = nobody counts. */
  readonly onAttempt?: ((attempt: CountedAttempt) => void) | undefined;
  /** Told each time a lookup has asked. */
  readonly onLookup?: ((lookup: CountedLookup) => void) | undefined;
  readonly userAgent: string;
  readonly gates: AttemptGates;
  gateOpen(endpoint: string): boolean;
  openLane(endpoint: string): Promise<void>;
}

export function composeActivities(parts: ComposeParts): ActivityDependencies {
  const now = (): number => Date.now();
  /** For ages: a clock that is set anew must not make an attempt forgotten, or slow. */
  const elapsed = (): number => performance.now();
  return {
    routing: routingOf(parts.session.config, parts.resolved),
    send: parts.send,
    handlers: parts.handlers,
    admission: createAdmission({ limits: limitsFor(parts.slots), now: elapsed, gateOpen: parts.gateOpen }),
    gates: parts.gates,
    memory: createOutcomeMemory(elapsed),
    runs: createRunReader(parts.session),
    worker: parts.session.client.options.identity,
    async submit(event) {
      await submitOwn(parts.session, event);
    },
    parked: createParkedEvents(parts.session),
    openLane: parts.openLane,
    log: activityLog(parts),
    now,
    stopping: parts.stopping,
    userAgent: parts.userAgent,
  };
}

/** References are replaced once, at start, for the endpoints this process delivers to; nothing else is resolved here. */
export function resolveServed(
  config: Config,
  served: readonly string[],
  environment: Environment,
): ReadonlyMap<string, ResolvedEndpoint> {
  const endpoints = served.flatMap((name) => config.endpoints[name] ?? []);
  return new Map(
    endpoints.map((endpoint) => [endpoint.name, requireUsableSecrets(resolveEndpoint(endpoint, environment))]),
  );
}

/** A secret that cannot sign ends the start, not the first delivery. */
function requireUsableSecrets(endpoint: ResolvedEndpoint): ResolvedEndpoint {
  for (const secret of endpoint.signing?.secrets ?? []) parseSigningSecret(secret);
  return endpoint;
}

function routingOf(config: Config, resolved: ReadonlyMap<string, ResolvedEndpoint>): Routing {
  return {
    source: (sourceOrAlias) => resolveSource(config, sourceOrAlias)?.name ?? null,
    plan: (event) => planEvent(config, canonicalEvent(config, event)),
    delivery: (order) => planDelivery(config, { ...order, resolvedUrl: resolved.get(order.endpoint)?.url ?? null }),
    rights: (facts) => rightsOf(config, facts),
    gate: (facts) => judgeGrant(config, facts),
    endpoint: (name) => (Object.hasOwn(config.endpoints, name) ? (config.endpoints[name] ?? null) : null),
    resolved(name) {
      const endpoint = resolved.get(name);
      if (endpoint !== undefined) return endpoint;
      throw new CountersignError("unknown_endpoint", `This worker does not deliver to endpoint ${name}`);
    },
  };
}

export function activityLog({
  log,
  onAttempt,
  onLookup,
}: Pick<ComposeParts, "log" | "onAttempt" | "onLookup">): ActivityLog {
  return {
    clockDiffers: createClockAlarm(log, () => performance.now()),
    attempted(line) {
      log.info(line, "delivery.attempted");
      onAttempt?.({ endpoint: line.endpoint, outcome: line.outcome, durationMs: line.durationMs });
    },
    lookedUp(line) {
      log.info(line, "delivery.looked_up");
      onLookup?.({ endpoint: line.endpoint, found: line.found });
    },
    failed: ({ activity, code, error }) => log.error({ activity, code, err: error }, "activity.failed"),
    handlerFailed: ({ key, handler, error }) => log.warn({ key, handler, err: error }, "handler.failed"),
  };
}
