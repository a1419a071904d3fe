/** What an audit says: one fact of an event's history, flat, without a body and without a secret. */
import type { AttentionReason } from "../delivery/attention.ts";
import type { DecisionAction, DecisionRefusal, ReplacedBecause } from "../delivery/approval.ts";
import type { AttemptCode, Certainty, Outcome, Way } from "../delivery/attempt.ts";
import type { LookupRecord } from "../delivery/lookup.ts";
import type { ConflictRecord, ResolutionAction, ResolutionRefusal, TerminalState } from "../delivery/event-state.ts";

/**
 * `proposed`: people were asked. `lapsed`: nobody had decided, or sent, in time. `replaced`: people are asked
 * anew, or the action is another. `executed`: the first attempt under an approval began. `ended-outside`: in Temporal.
 */
export type AuditAction =
  | "accepted"
  | "proposed"
  | "lapsed"
  | "replaced"
  | DecisionAction
  | ResolutionAction
  | "executed"
  | "attempt"
  /** What became of an uncertain attempt was looked up. */
  | "lookup"
  | "parked"
  | "ended"
  | "conflict"
  | "ended-outside";

/** The first members are always there; those below stand where they apply. Every number is a safe integer. */
export interface AuditRecord {
  /** RFC 3339, as the history has it; the start of an attempt. */
  readonly at: string;
  readonly action: AuditAction;
  /** Null = nobody: Countersign and its workers. Empty = the message named nobody. */
  readonly actor: string | null;
  readonly key: string;
  /** Null = the event as a whole. */
  readonly endpoint: string | null;
  /** Of the proposal it is about; null = of none, or not known any more. */
  readonly revision: number | null;
  /** Of the proposal it is about, as given where a person gave it; null = none, or not known any more. */
  readonly digest: string | null;
  /** A person's word: it changed something; null = no such word, or not judged yet. */
  readonly counted: boolean | null;
  readonly refusedBecause: ResolutionRefusal | DecisionRefusal | null;
  /** What the person wrote; null = nothing. */
  readonly note: string | null;
  /** A decision: it came with a valid signature of that person; null = no decision, or not judged yet. */
  readonly signed: boolean | null;

  /** With `accepted`. */
  readonly type?: string;
  /** Of the content: with `accepted`, and of the other content with `conflict`. */
  readonly fingerprint?: string;
  /** How an attempt went, or how the other content of a conflict came. */
  readonly via?: Way | ConflictRecord["via"];

  /** With `proposed`; null = unknown. */
  readonly requestedBy?: string | null;
  readonly expiresAt?: string;
  readonly configVersion?: string;
  /** The configuration's own number or text; null = none. */
  readonly policyVersion?: string | null;

  /** Of an attempt, from 1 over the whole delivery; of a lookup, the attempt it is about. */
  readonly number?: number;
  readonly outcome?: Outcome;
  readonly certainty?: Certainty;
  readonly code?: AttemptCode | LookupRecord["code"];
  readonly status?: number;
  readonly durationMs?: number;
  /** With `lookup`. */
  readonly found?: LookupRecord["found"];
  /** Receipt reference of a handler. */
  readonly reference?: string;

  /** With `parked` and `replaced`. */
  readonly reason?: AttentionReason | ReplacedBecause;
  /** With `ended`. */
  readonly state?: TerminalState;
}
