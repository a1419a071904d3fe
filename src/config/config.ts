/** The frozen configuration every process works from: parsed once, trusted inside. */
import type { ApprovalRule, ApprovalTerms } from "../delivery/approval.ts";
import type { BusinessEvent, JsonValue } from "../delivery/event.ts";
import type { Outcome } from "../delivery/attempt.ts";
import type { CircuitSettings } from "../delivery/gates/circuit.ts";
import type { LookupRules } from "../delivery/lookup.ts";
import type { RetryPolicy } from "../delivery/policy.ts";
import type { VerifySettings } from "../signing/verify/settings.ts";
import type { KEY_ROLES } from "./key-entry.ts";

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

/** How to find out what became of an attempt whose outcome is uncertain. */
export type Reconcile =
  | {
      readonly kind: "url";
      /** May hold `{idempotencyKey}`, `{source}` and `{id}`. */
      readonly url: Reference;
      /** By lower-case name; null = those of the endpoint, where the lookup goes to the same origin. */
      readonly headers: Readonly<Record<string, Reference>> | null;
      readonly rules: LookupRules;
    }
  /** `name@version`. */
  | { readonly kind: "handler"; readonly handler: string };

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
  /** Null = off: nothing but a person and a Retry-After ever holds it. */
  readonly circuit: CircuitSettings | null;
  /** Whom a 429 or 503 with Retry-After holds back: all deliveries to it, or the one that got it. */
  readonly retryAfterScope: "endpoint" | "delivery";
  /** Overrides of the status table. */
  readonly classify: Readonly<Record<number, Extract<Outcome, "delivered" | "retry" | "refused">>>;
  readonly idempotent: boolean;
  readonly isolated: boolean;
  /** Only where `idempotent` is false; null = a person must look. */
  readonly reconcile: Reconcile | null;
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
  /** How its provider signs; null = nobody may post to its hook. */
  readonly verify: VerifySettings<Reference> | null;
  /**
   * Paths of members that make the id, joined by `:`: of the provider's body, or without `verify` of an event that
   * comes without an id. Null = the id is the provider's own, or the event's.
   */
  readonly idFrom: readonly string[] | null;
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

export type KeyRole = (typeof KEY_ROLES)[number];

/** What the server knows of an API key: enough to recognize it, not enough to make it. */
export interface ApiKey {
  readonly id: string;
  readonly role: KeyRole;
  /** A name of `people`, in whose name everything with this key is done; null = the request says who. */
  readonly person: string | null;
  /** Configured names of the sources it may send for; empty with every role but `ingest`. */
  readonly sources: readonly string[];
  /** Patterns of event types it may send; null = every type. */
  readonly types: readonly string[] | null;
  /** `sha256:` and 64 hex digits, over the secret part of the key. */
  readonly hash: string;
  /** From this moment on it is refused; null = never. */
  readonly expiresAtMs: number | null;
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
  /** Those that have expired are among them. */
  readonly keys: readonly ApiKey[];
  /** Handler modules, absolute paths; loaded by workers only. */
  readonly handlers: readonly string[];
  readonly dedupeWindowMs: number;
  readonly deployment: Deployment | null;
}
