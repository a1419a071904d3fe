/** What a workflow may have done, as types only: the workflows import nothing else of this folder. */
import type {
  AttemptInput,
  Examination,
  ExamineInput,
  LaneAnswer,
  PlanInput,
  PlannedDelivery,
  ResolvedEvent,
  ResolveInput,
} from "../delivery/activity-shapes.ts";
import type { AttemptResult } from "../delivery/facts.ts";
import type { Notice } from "../delivery/notice.ts";

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
  /** Hands a notice over as an event of its own; the same one twice is one event. */
  notifyPeople(notice: Notice): Promise<void>;
}
