/** What people write into `countersign.config.ts`; `parseConfig` turns it into a `Config`. */
import type { JsonValue } from "../delivery/event.ts";
import type { EnvReference, KeyRole, When } from "./config.ts";
import type { RawVerify } from "./raw-verify.ts";

/** `'500ms'`, `'5s'`, `'3m'`, `'2h'`, `'7d'`. */
export type DurationText = `${number}${"ms" | "s" | "m" | "h" | "d"}`;

/** `'512B'`, `'64KiB'`, `'1MiB'`. */
export type SizeText = `${number}${"B" | "KiB" | "MiB"}`;

/** A literal, or `env('NAME')`. */
export type RawReference = string | EnvReference;

interface RawRetryBounds {
  /** Share of each wait that may be added, 0 to 1; absent = 0.2. */
  readonly jitter?: number;
  /** From the first to the last attempt; absent = only the schedule bounds it. */
  readonly window?: DurationText;
  /** A Retry-After beyond this parks the delivery; absent = `'24h'`. */
  readonly retryAfterMax?: DurationText;
}

/** Exponential waits; absent members are `attempts 8, initial '5s', factor 2, max '10h'`. */
interface RawExponentialRetry extends RawRetryBounds {
  readonly attempts?: number;
  readonly initial?: DurationText;
  readonly factor?: number;
  readonly max?: DurationText;
}

/** The waits one by one; n waits make n + 1 attempts. */
interface RawScheduledRetry extends RawRetryBounds {
  readonly schedule: readonly DurationText[];
}

export type RawRetry = "standard" | "quick" | "none" | RawExponentialRetry | RawScheduledRetry;

interface RawTimeouts {
  readonly connect?: DurationText;
  /** To the status line; absent = only `total` bounds it. */
  readonly headers?: DurationText;
  readonly total?: DurationText;
}

interface RawCircuit {
  readonly failures?: number;
  readonly share?: number;
  readonly window?: DurationText;
  readonly minimum?: number;
  readonly open?: DurationText;
  readonly probes?: number;
}

interface RawReconcileByUrl {
  /** May hold `{idempotencyKey}`, `{source}` and `{id}`. */
  readonly url: RawReference;
  /** Absent = those of the endpoint, where the lookup goes to the same origin. */
  readonly headers?: Readonly<Record<string, RawReference>>;
  /** `json` = values that must stand at paths such as `$.status`. */
  readonly delivered: { readonly status: number; readonly json?: Readonly<Record<string, JsonValue>> };
  readonly absent: { readonly status: number; readonly json?: Readonly<Record<string, JsonValue>> };
}

/** A destination: exactly one of `url` and `handler`. */
export interface RawEndpoint {
  readonly url?: RawReference;
  /** `name@version` of a handler registered in a worker. */
  readonly handler?: string;
  readonly method?: "POST" | "PUT" | "PATCH";
  readonly headers?: Readonly<Record<string, RawReference>>;
  readonly signing?: { readonly scheme: "standard-webhooks"; readonly secrets: readonly RawReference[] };
  readonly retry?: RawRetry;
  readonly timeouts?: RawTimeouts;
  readonly limits?: { readonly rate?: { readonly perSecond: number }; readonly concurrency?: number };
  readonly circuit?: RawCircuit | false;
  readonly retryAfterScope?: "endpoint" | "delivery";
  /** Overrides of the status table, by status 100 to 599. */
  readonly classify?: Readonly<Record<number, "delivered" | "retry" | "refused">>;
  /** `false` = never repeated blindly. */
  readonly idempotent?: boolean;
  /** `true` = delivered only by workers started with `--only` for it. */
  readonly isolated?: boolean;
  /** How to find out what became of an uncertain attempt; only with `idempotent: false`. */
  readonly reconcile?: RawReconcileByUrl | { readonly handler: string };
  readonly order?: unknown;
  readonly format?: "bytes" | "cloudevents";
  /** CIDR blocks this endpoint may reach although they are private. */
  readonly allowPrivate?: readonly string[];
  /** Ports besides 443 and 8443. */
  readonly ports?: readonly number[];
  /** At most `'1MiB'`. */
  readonly maxBodyBytes?: SizeText;
}

export interface RawSource {
  /** Other spellings of this source in events, such as a CloudEvents URI. */
  readonly aliases?: readonly string[];
  /** How a provider signs what it sends to `POST /v1/hooks/<source>`. */
  readonly verify?: RawVerify;
  /**
   * Paths of members that make the event's id: in the body a provider sends, or without `verify` in an event that
   * comes without an id (`'data.orderId'`). Absent = the id is the provider's own, or the event's.
   */
  readonly idFrom?: readonly string[];
}

export interface RawApproval {
  /** Absent = for every event of the route. */
  readonly when?: When;
  /** People, and groups as `group:<name>`. */
  readonly approvers: readonly string[];
  /** Distinct people who must approve; absent = 1. */
  readonly quorum?: number;
  /** Distinct people whose rejection ends it; absent = 1. */
  readonly rejections?: number;
  /** The requester and the last editor may not decide. */
  readonly fourEyes?: boolean;
  /** An event without `requestedBy` is refused. */
  readonly requireRequester?: boolean;
  /** Decisions count only with the person's Ed25519 signature. */
  readonly requireSignedDecisions?: boolean;
  /** Absent = `'72h'`. */
  readonly expires?: DurationText;
  /** Ages of the proposal, each below `expires`. */
  readonly remind?: readonly DurationText[];
  /** Absent = `'end'`; `'park'` = a person decides what becomes of it. */
  readonly onExpire?: "end" | "park";
  /** Further approvers from this age of the proposal on. */
  readonly escalate?: { readonly after: DurationText; readonly to: readonly string[] };
  /** Endpoint that is told of proposals. */
  readonly notify?: string;
  /** Yours to raise when a function of `when` changes: functions cannot be compared. */
  readonly version?: string | number;
}

export interface RawRoute {
  /** Absent or `{}` = every event. */
  readonly match?: {
    /** A configured source or one of its aliases. */
    readonly source?: string;
    /** With `*` for any run of characters. */
    readonly type?: string;
    /** Operators by dotted path (several = and), or a function of the event. */
    readonly when?: When;
  };
  readonly to: readonly string[];
  readonly approval?: RawApproval;
}

export interface RawPerson {
  readonly groups?: readonly string[];
  /** Ed25519, its 32 bytes in base64, as `countersign people keygen` prints it. */
  readonly publicKey?: string;
}

/** An entry printed by `countersign keys create`; holds only the key's hash. Without its entry a key is revoked. */
export interface RawKey {
  readonly id: string;
  readonly role: KeyRole;
  /** Acts and asks in this person's name, whatever a request says; absent = the request names somebody. */
  readonly person?: string;
  /** Of an ingest key; absent = every source without `verify`. */
  readonly sources?: readonly string[];
  /** Of an ingest key, with `*` for any run of characters; absent = every type. */
  readonly types?: readonly string[];
  readonly hash: string;
  /** RFC 3339; absent = never. */
  readonly expires?: string;
}

/** The whole configuration. Unknown keys are errors, also where the compiler cannot see them. */
export interface RawConfig {
  readonly temporal?: { readonly namespace?: string; readonly taskQueue?: string };
  readonly sources?: Readonly<Record<string, RawSource>>;
  readonly endpoints?: Readonly<Record<string, RawEndpoint>>;
  readonly routes?: readonly RawRoute[];
  /** Modules that register handlers, relative to the configuration file; loaded by workers only. */
  readonly handlers?: readonly string[];
  /** Who may approve, by the name that stands in their decisions. */
  readonly people?: Readonly<Record<string, RawPerson>>;
  readonly keys?: readonly RawKey[];
  /** How long one event id means one event; absent = `'7d'`. */
  readonly dedupeWindow?: DurationText;
  /** Worker versioning; absent = off. */
  readonly deployment?: { readonly name: string; readonly build: string };
}
