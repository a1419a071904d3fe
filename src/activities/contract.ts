/** What a workflow may have done, as types only: the workflows import nothing else of this folder. */
import type {
  AttemptInput,
  Examination,
  ExamineInput,
  LaneAnswer,
  LookupResult,
  PlanInput,
  PlannedDelivery,
  ReconcileInput,
  ResolvedEvent,
  ResolveInput,
} from "../delivery/activity-shapes.ts";
import type { ListedPage, ListOrder, ReplayBatch } from "../delivery/bulk-replay/activity-shapes.ts";
import type { ItemResult } from "../delivery/bulk-replay/item.ts";
import type { AttemptResult } from "../delivery/facts.ts";
import type { GateApplied, GateOrder } from "../delivery/gates/gate-entry.ts";
import type { Notice } from "../delivery/notice.ts";

/** Those of an endpoint's workflow. */
export interface EndpointActivities {
  /** Sets the lane's rate on the server, then the entry in the registry. */
  applyGate(order: GateOrder): Promise<GateApplied>;
  /** How many attempts wait on the lane, as the server counts; null = it does not say. */
  lookAtLane(input: { readonly endpoint: string }): Promise<{ readonly held: number | null }>;
}

export interface EventActivities {
  /** One attempt of one delivery. */
  attemptDelivery(input: AttemptInput): Promise<AttemptResult>;
  /** Routes and fingerprint of a run that a plain Temporal client started. */
  resolveRoutes(input: ResolveInput): Promise<ResolvedEvent>;
  /** Opens the endpoint's lane in this process and enters it in the registry; no lane for a name nobody configured. */
  ensureLane(input: { readonly endpoint: string }): Promise<LaneAnswer>;
  /** What is due for a delivery under this worker's configuration: settings, and a proposal where a person must approve. */
  planDelivery(input: PlanInput): Promise<PlannedDelivery>;
  /** Who the authors of these decisions are, and whether the proposal still is what would be sent. */
  examineBallots(input: ExamineInput): Promise<Examination>;
  /** What became of an attempt whose outcome is uncertain, by the lookup of this worker's configuration. */
  reconcileDelivery(input: ReconcileInput): Promise<LookupResult>;
  /** Hands a notice over as an event of its own; the same one twice is one event. */
  notifyPeople(notice: Notice): Promise<void>;
}

/** What a bulk replay has done. */
export interface BulkActivities {
  /** The next parked events behind a position, newest first. */
  listParked(order: ListOrder): Promise<ListedPage>;
  /** Says `replay` to each of these events, one after the other at a pace; a second time it changes nothing. */
  replayParked(batch: ReplayBatch): Promise<readonly ItemResult[]>;
}
