/** The frozen configuration every process works from: parsed once, trusted inside. */
import type { ApprovalRule, ApprovalTerms } from "../delivery/approval.ts";
import type { BusinessEvent, JsonValue } from "../delivery/event.ts";
import type { Outcome } from "../delivery/attempt.ts";
import type { RetryPolicy } from "../delivery/policy.ts";

/** A reference to an environment variable, resolved only in the process that needs it. */
export interface EnvReference {
  readonly env: string;
}

/** A literal, or a reference to one. */
export type Reference = string | EnvReference;

export interface Timeouts {
  readonly connectMs: number;
  /** To the status line; null = only `totalMs` bounds it. */
  readonly headersMs: number | null;
  readonly totalMs: number;
}

export interface SigningConfig {
  readonly scheme: "standard-webhooks";
  /** Every listed secret signs (rotation overlap); 1–10. */
  readonly secrets: readonly Reference[];
}

export interface Limits {
  readonly ratePerSecond: number | null;
  readonly concurrency: number | null;
}

export interface Endpoint {
  readonly name: string;
  /** Exactly one of `url` and `handler` is set; the other is null. */
  readonly url: Reference | null;
  /** `name@version`. */
  readonly handler: string | null;
  readonly method: string;
  readonly headers: Readonly<Record<string, Reference>>;
  readonly signing: SigningConfig | null;
  readonly retry: RetryPolicy;
  readonly timeouts: Timeouts;
  readonly limits: Limits | null;
  /** Overrides of the status table. */
  readonly classify: Readonly<Record<number, Extract<Outcome, "delivered" | "retry" | "refused">>>;
  readonly idempotent: boolean;
  readonly isolated: boolean;
  readonly format: "bytes" | "cloudevents";
  /** CIDR blocks this endpoint may reach although they are private. */
  readonly allowPrivate: readonly string[];
  /** Ports besides 443 and 8443. */
  readonly ports: readonly number[];
  readonly maxBodyBytes: number;
}

export interface Source {
  readonly name: string;
  readonly aliases: readonly string[];
}

/** Comparison operators of a declarative `when`; several = and. */
export type WhenOperators = Partial<Record<"eq" | "ne" | "gt" | "gte" | "lt" | "lte", JsonValue>> & {
  readonly in?: readonly JsonValue[];
  readonly exists?: boolean;
};

export type When = Readonly<Record<string, WhenOperators>> | ((event: BusinessEvent) => boolean);

export interface RouteMatch {
  readonly source?: string;
  /** With `*` for any run of characters. */
  readonly type?: string;
  readonly when?: When;
}

/** What a route demands before an event goes to its endpoints. */
export interface RouteApproval extends ApprovalRule, Omit<ApprovalTerms, "rules"> {
  /** Null = for every event of the route. */
  readonly when: When | null;
  /** An event for which the approval is due is refused without `requestedBy`. */
  readonly requireRequester: boolean;
}

export interface Route {
  readonly match: RouteMatch;
  readonly to: readonly string[];
  /** Null = nobody is asked. */
  readonly approval: RouteApproval | null;
}

/** Somebody who may decide; the name is the key in `people`. */
export interface Person {
  readonly groups: readonly string[];
  /** Ed25519, its 32 bytes in base64; null = cannot sign. */
  readonly publicKey: string | null;
}

export interface TemporalConfig {
  readonly namespace: string;
  readonly taskQueue: string;
}

export interface Deployment {
  readonly name: string;
  readonly build: string;
}

export interface Config {
  /** Where it was read from; null when it was handed in as an object. */
  readonly path: string | null;
  readonly temporal: TemporalConfig;
  readonly sources: Readonly<Record<string, Source>>;
  readonly endpoints: Readonly<Record<string, Endpoint>>;
  readonly routes: readonly Route[];
  readonly people: Readonly<Record<string, Person>>;
  /** Handler modules, absolute paths; loaded by workers only. */
  readonly handlers: readonly string[];
  readonly dedupeWindowMs: number;
  readonly deployment: Deployment | null;
}
