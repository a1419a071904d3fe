/** What happens to an endpoint, one fact at a time: a person's word, what workers report, and time. */
import type { CircuitSettings, Results } from "./circuit.ts";
import type { TripReason } from "./control.ts";

interface ReportHead {
  /** Which process says so. */
  readonly worker: string;
  /** Digest of what the endpoint is in that process. */
  readonly configVersion: string;
  /** Null = off. */
  readonly circuit: CircuitSettings | null;
  /** Of the last attempt it tells of, such as `http_503`. */
  readonly lastCode: string;
}

/** What one process says about one endpoint: aggregates, never one attempt each. */
export type TroubleReport = ReportHead &
  (
    | ({ readonly kind: "failures" } & Results)
    | { readonly kind: Exclude<TripReason, "failures"> }
    /** From the moment it is said: the clocks of two machines differ. */
    | {
        readonly kind: "throttled";
        readonly retryAfterMs: number;
        /** It is said twice, by a signal that outlives its worker and by an update that is answered. Absent = once. */
        readonly id?: string;
      }
    | ({ readonly kind: "probe" } & ProbeCounts)
    /** Attempts that have begun and not ended while the gate is closed; 0 = none any more. */
    | { readonly kind: "in-flight"; readonly count: number }
  );

export interface ProbeCounts {
  readonly round: number;
  readonly begun: number;
  readonly succeeded: number;
  readonly failed: number;
  /** Ended without a verdict on the endpoint, such as a 429. */
  readonly others: number;
}

export type ReportKind = TroubleReport["kind"];

export interface PauseWord {
  readonly actor: string;
  readonly reason: string;
  /** Neither = until somebody resumes. Both = for so long from its arrival, which its author puts so that it ends then. */
  readonly untilMs: number | null;
  readonly forMs: number | null;
  /** It may have waited for a worker since then. */
  readonly earliestMs: number;
}

export interface ResumeWord {
  readonly actor: string;
  readonly reason: string;
  /** Where the probe fails, the pause comes back. */
  readonly strict: boolean;
  readonly rampMs: number;
}

export type ControlFact = { readonly atMs: number } & (
  | { readonly fact: "pause"; readonly word: PauseWord }
  | { readonly fact: "resume"; readonly word: ResumeWord }
  | { readonly fact: "reported"; readonly report: TroubleReport }
  /** A worker has the endpoint in this configuration. */
  | { readonly fact: "configured"; readonly configVersion: string }
  /** So many attempts wait on the lane, as the server says; null = it does not say. */
  | { readonly fact: "lane-seen"; readonly held: number | null }
  | { readonly fact: "time-passed" }
);

/** Why a resume changed nothing. */
export type ResumeRefusal = "not-held" | "throttled" | "already-resuming";
