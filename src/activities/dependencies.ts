/** What activities are given: everything that touches the world, so that tests can hand in small fakes. */
import type { Endpoint } from "../config/config.ts";
import type { ResolvedEndpoint } from "../config/resolve-endpoint.ts";
import type { BusinessEvent } from "../delivery/event.ts";
import type { SeenTaskEvent } from "../delivery/lost-attempt.ts";
import type { Amendment, ApprovalGrant, ApprovalRule, BallotRights, ProposalDraft } from "../delivery/approval.ts";
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
  /** The end of the history, newest first, as far as telling a lost task needs. */
  latestTaskEvents(run: RunReference): Promise<readonly SeenTaskEvent[]>;
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

export interface ActivityLog {
  attempted(line: AttemptLine): void;
  /** Our own trouble; the error stays in this log and goes nowhere else. */
  failed(line: { readonly activity: string; readonly code: string; readonly error: unknown }): void;
  handlerFailed(line: { readonly key: string; readonly handler: string; readonly error: unknown }): void;
}

export interface ActivityDependencies {
  readonly routing: Routing;
  readonly send: Send;
  /** By `name@version`. */
  readonly handlers: ReadonlyMap<string, Handler>;
  readonly admission: Admission;
  readonly memory: OutcomeMemory;
  readonly runs: RunReader;
  /** Accepts an event of our own; the same one twice is one event. */
  submit(event: BusinessEvent): Promise<void>;
  /** Opens the lane here if this process serves it, and enters it in the registry. */
  openLane(endpoint: string): Promise<void>;
  readonly log: ActivityLog;
  now(): number;
  /** Aborted when this process cannot wait any longer for requests in flight. */
  readonly stopping: AbortSignal;
  readonly userAgent: string;
}
