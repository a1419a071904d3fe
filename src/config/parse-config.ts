/** From an untrusted value to one frozen `Config`, or to every problem at once. */
import { dirname, resolve } from "node:path";
import { SECOND_MS } from "../delivery/durations.ts";
import { DEFAULT_CIRCUIT } from "../delivery/gates/circuit.ts";
import { STANDARD_RETRY } from "../delivery/policy.ts";
import { collectProblems } from "./accept.ts";
import { buildApproval, buildPerson } from "./build-approval.ts";
import { buildKeys } from "./build-keys.ts";
import type { Config, Endpoint, Limits, Reference, Route, Source, Timeouts } from "./config.ts";
import { crossCheck } from "./cross-checks.ts";
import { findKeysWithoutEffect } from "./no-effect.ts";
import { configError } from "./problem.ts";
import { buildReconcile } from "./reconcile.ts";
import {
  configSchema,
  type CheckedConfig,
  type CheckedEndpoint,
  type CheckedRoute,
  type CheckedSource,
} from "./schema.ts";

export interface ParseOptions {
  /** The file it was read from; null = handed in as an object. Handler paths are relative to its folder. */
  readonly path: string | null;
  /** Address blocks every endpoint may reach besides its own; absent = none. `dev` and `demo` name loopback. */
  readonly alsoAllowPrivate?: readonly string[];
}

/**
 * Checks a configuration and freezes it.
 *
 * Throws `config_invalid` with the path of each wrong value, what was found and
 * what is accepted; never a value that may be a secret.
 */
export function parseConfig(raw: unknown, options: ParseOptions): Config {
  const result = configSchema.safeParse(raw);
  if (!result.success) throw configError(collectProblems(result.error.issues, raw), options.path);
  const checked = widenAllowPrivate(result.data, options.alsoAllowPrivate ?? []);
  const problems = [...crossCheck(checked), ...findKeysWithoutEffect(checked)];
  if (problems.length > 0) throw configError(problems, options.path);
  return deepFreeze(buildConfig(checked, options.path));
}

function widenAllowPrivate(config: CheckedConfig, blocks: readonly string[]): CheckedConfig {
  if (blocks.length === 0) return config;
  const endpoints = byName(Object.entries(config.endpoints), (_, endpoint): CheckedEndpoint => {
    return { ...endpoint, allowPrivate: [...new Set([...endpoint.allowPrivate, ...blocks])] };
  });
  return { ...config, endpoints };
}

function buildConfig(checked: CheckedConfig, path: string | null): Config {
  const base = path === null ? "." : dirname(path);
  return {
    path,
    temporal: checked.temporal ?? { namespace: "default", taskQueue: "countersign" },
    sources: byName(Object.entries(checked.sources), buildSource),
    endpoints: byName(Object.entries(checked.endpoints), buildEndpoint),
    routes: checked.routes.map(buildRoute),
    people: byName(Object.entries(checked.people), (_, person) => buildPerson(person)),
    keys: buildKeys(checked),
    handlers: checked.handlers.map((handler) => resolve(base, handler)),
    dedupeWindowMs: checked.dedupeWindow,
    deployment: checked.deployment ?? null,
  };
}

function buildSource(name: string, { aliases, verify, idFrom }: CheckedSource): Source {
  return { name, aliases, verify: verify ?? null, idFrom: idFrom ?? null };
}

function buildEndpoint(name: string, endpoint: CheckedEndpoint): Endpoint {
  return {
    name,
    url: endpoint.url ?? null,
    handler: endpoint.handler ?? null,
    method: endpoint.method,
    headers: byName(
      Object.entries(endpoint.headers),
      (_, value): Reference => value,
      (key) => key.toLowerCase(),
    ),
    signing: endpoint.signing ?? null,
    retry: endpoint.retry ?? STANDARD_RETRY,
    timeouts: buildTimeouts(endpoint.timeouts),
    limits: buildLimits(endpoint.limits),
    circuit: endpoint.circuit === undefined ? DEFAULT_CIRCUIT : endpoint.circuit,
    retryAfterScope: endpoint.retryAfterScope ?? "endpoint",
    classify: byName(Object.entries(endpoint.classify), (_, outcome) => outcome),
    idempotent: endpoint.idempotent,
    isolated: endpoint.isolated,
    reconcile: endpoint.reconcile === undefined ? null : buildReconcile(endpoint.reconcile),
    format: endpoint.format,
    allowPrivate: endpoint.allowPrivate,
    ports: endpoint.ports,
    maxBodyBytes: endpoint.maxBodyBytes,
  };
}

function buildTimeouts(timeouts: CheckedEndpoint["timeouts"]): Timeouts {
  if (timeouts === undefined) return { connectMs: 5 * SECOND_MS, headersMs: null, totalMs: 20 * SECOND_MS };
  return { connectMs: timeouts.connect, headersMs: timeouts.headers ?? null, totalMs: timeouts.total };
}

function buildLimits(limits: CheckedEndpoint["limits"]): Limits | null {
  if (limits === undefined || (limits.rate === undefined && limits.concurrency === undefined)) return null;
  return { ratePerSecond: limits.rate?.perSecond ?? null, concurrency: limits.concurrency ?? null };
}

function buildRoute(route: CheckedRoute): Route {
  const { source, type, when } = route.match ?? {};
  return {
    match: {
      ...(source === undefined ? {} : { source }),
      ...(type === undefined ? {} : { type }),
      ...(when === undefined ? {} : { when }),
    },
    to: [...new Set(route.to)],
    approval: route.approval === undefined ? null : buildApproval(route.approval),
  };
}

/** Without a prototype, so that looking up `constructor` finds nothing. */
function byName<From, To>(
  entries: readonly (readonly [string, From])[],
  build: (name: string, value: From) => To,
  rename: (name: string) => string = (name) => name,
): Readonly<Record<string, To>> {
  const record: Record<string, To> = Object.create(null);
  for (const [name, value] of entries) record[rename(name)] = build(name, value);
  return record;
}

/** Freezes lists and objects all the way down; functions of the user stay as they are. */
function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) deepFreeze(member);
  return value;
}
