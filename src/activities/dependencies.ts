/** What activities are given: everything that touches the world, so that tests can hand in small fakes. */
import type { Endpoint } from "../config/config.ts";
import type { ResolvedEndpoint } from "../config/resolve-endpoint.ts";
import type { AttemptRecord } from "../delivery/attempt.ts";
import type { BusinessEvent } from "../delivery/event.ts";
import type { LookupRecord } from "../delivery/lookup.ts";
import type { SeenTaskEvent } from "../delivery/lost-attempt.ts";
import type { PresentTask } from "../delivery/own-loss.ts";
import type { Amendment, ApprovalGrant, ApprovalRule, BallotRights, ProposalDraft } from "../delivery/approval.ts";
import type { ItemOrder, ListedPage, ListOrder } from "../delivery/bulk-replay/activity-shapes.ts";
import type { ItemResult } from "../delivery/bulk-replay/item.ts";
import type { ExamineInput, PlannedDelivery } from "../delivery/activity-shapes.ts";
import type { EventPlan } from "../delivery/plan.ts";
import type { Send } from "../egress/exchange.ts";
import type { Admission } from "./admission.ts";
import type { Handler } from "./handler.ts";
import type { OutcomeMemory } from "./outcome-memory.ts";

/** Where an event goes under this process's configuration. */
export interface Routing {
  /** The configured source name behind a name or alias; null = unknown. */
  source(sourceOrAlias: string): string | null;
  /** Throws `no_route`, `unknown_source`, `body_too_large`. */
  plan(event: BusinessEvent): EventPlan;
  /** What is due for one delivery: its settings, and the proposal of that revision where a person must approve. */
  delivery(order: DeliveryOrder): PlannedDelivery;
  /** Who the authors of these ballots are. */
  rights(facts: RightsFacts): readonly BallotRights[];
  /** Whether the approval that an attempt brings is enough for what would be sent. */
  gate(facts: GateFacts): GateAnswer;
  endpoint(name: string): Endpoint | null;
  /** With its references replaced; throws `missing_env`. */
  resolved(name: string): ResolvedEndpoint;
}

export interface DeliveryOrder {
  /** As accepted, under its configured source name. */
  readonly event: BusinessEvent;
  readonly endpoint: string;
  readonly revision: number;
  readonly amendment: Amendment | null;
}

export interface RightsFacts extends Pick<ExamineInput, "ballots" | "key" | "endpoint" | "revision"> {
  readonly rules: readonly ApprovalRule[];
}

export interface GateFacts {
  /** Of the revision the approval was given for. */
  readonly draft: ProposalDraft;
  readonly amendment: Amendment | null;
  /** The event key. */
  readonly key: string;
  /** Null = nobody approved anything. */
  readonly grant: ApprovalGrant | null;
  readonly nowMs: number;
}

export type GateAnswer = "granted" | "too-late" | "unapproved";

export interface RunReference {
  readonly workflowId: string;
  readonly runId: string;
}

/** What only the server knows of a run. */
export interface RunReader {
  /** The event as its producer sent it, its body byte for byte. Throws `bad_event` and its kin. */
  startEvent(run: RunReference): Promise<BusinessEvent>;
  /** The end of the history, newest first, as far as telling a lost task needs; `historyLength` as for `lostTask`. */
  latestTaskEvents(run: RunReference, historyLength: number): Promise<readonly SeenTaskEvent[]>;
  /** The workflow task that is being executed; null = none is. */
  presentTask(run: RunReference): Promise<PresentTask | null>;
}

export interface AttemptLine {
  readonly key: string;
  readonly endpoint: string;
  readonly idempotencyKey: string;
  readonly attempt: number;
  readonly via: string;
  readonly outcome: string;
  readonly certainty: string;
  readonly code: string;
  readonly status: number | null;
  readonly durationMs: number;
  readonly retryAfterRaw: string | null;
}

/** One time that somebody was asked; `unclear` may be asked again. */
export interface LookupLine extends Pick<LookupRecord, "attempt" | "tries" | "by" | "found" | "code" | "durationMs"> {
  readonly key: string;
  readonly endpoint: string;
  readonly status: number | null;
}

export interface ActivityLog {
  attempted(line: AttemptLine): void;
  lookedUp(line: LookupLine): void;
  /** Our own trouble; the error stays in this log and goes nowhere else. */
  failed(line: { readonly activity: string; readonly code: string; readonly error: unknown }): void;
  handlerFailed(line: { readonly key: string; readonly handler: string; readonly error: unknown }): void;
  /** By an answer of the endpoint; ahead of ours, milliseconds. */
  clockDiffers(line: { readonly endpoint: string; readonly differenceMs: number }): void;
}

/** What becomes of an attempt that came by its lane: the server handed it out, but this process may know better. */
export type LaneWord =
  | { readonly kind: "go" }
  /** One of a few that try the endpoint. */
  | { readonly kind: "probe"; readonly round: number }
  | { readonly kind: "held"; readonly afterMs: number };

export interface BegunAttempt {
  readonly endpoint: string;
  /** Of the probes it belongs to; null = none. */
  readonly round: number | null;
  /** False for replays and synthetic events: a person's try says nothing about the endpoint's health. */
  readonly counts: boolean;
  /** A longer Retry-After parks its delivery and holds nobody else. */
  readonly retryAfterMaxMs: number;
}

/** Hears of every attempt; what it makes of them must never fail one. */
export interface AttemptWatch {
  /** `end` must be called once; null = it was not made after all. */
  begin(attempt: BegunAttempt): { end(record: AttemptRecord | null): void };
}

export interface AttemptGates extends AttemptWatch {
  /** `tries` = how often the server has handed it out, from 1. */
  onLane(endpoint: string, tries: number): LaneWord;
}

/** What a bulk replay asks of lists and events. */
export interface ParkedEvents {
  list(order: ListOrder): Promise<ListedPage>;
  /** Throws `temporal_unreachable`; whatever else happens to one event is its result. */
  replay(key: string, order: ItemOrder): Promise<ItemResult>;
  /** What an earlier try has told the event; null = nothing. Tells it nothing. */
  look(key: string, order: ItemOrder): Promise<ItemResult | null>;
  /** Whether somebody has paused or canceled that bulk replay, also by a word it has not read yet. */
  isStopped(id: string): Promise<boolean>;
}

export interface ActivityDependencies {
  readonly routing: Routing;
  readonly send: Send;
  /** By `name@version`. */
  readonly handlers: ReadonlyMap<string, Handler>;
  readonly admission: Admission;
  readonly gates: AttemptGates;
  readonly memory: OutcomeMemory;
  readonly runs: RunReader;
  /** Identity under which the server hands out tasks to this worker, and to no other. */
  readonly worker: string;
  /** Accepts an event of our own; the same one twice is one event. */
  submit(event: BusinessEvent): Promise<void>;
  readonly parked: ParkedEvents;
  /** Opens the lane here if this process serves it, and enters it in the registry. */
  openLane(endpoint: string): Promise<void>;
  readonly log: ActivityLog;
  now(): number;
  /** Aborted when this process cannot wait any longer for requests in flight. */
  readonly stopping: AbortSignal;
  readonly userAgent: string;
}
