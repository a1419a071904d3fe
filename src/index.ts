/** The package `countersign`: what producers and operators import. */
export { connect, type ConnectedCountersign, type ConnectOptions } from "./client/connect.ts";
export type { Countersign, PersonsWord } from "./client/countersign.ts";
export type { EndpointOverview } from "./client/endpoint-overview.ts";
export type { EventReport } from "./client/get-event.ts";
export type { EventRow, ListFilter } from "./client/list-events.ts";
export type { ListedState } from "./client/listed-state.ts";
export type { Receipt, SubmitOptions } from "./client/submit.ts";
export { defineConfig, env } from "./config/define-config.ts";
export type {
  DurationText,
  RawConfig,
  RawEndpoint,
  RawRetry,
  RawRoute,
  RawSource,
  SizeText,
} from "./config/raw-config.ts";
export type { AttentionReason } from "./delivery/attention.ts";
export type { AttemptCode, AttemptRecord, Certainty, Outcome, Way } from "./delivery/attempt.ts";
export type { BusinessEvent, Evidence, JsonValue } from "./delivery/event.ts";
export type {
  Attention,
  ConflictRecord,
  DeliveryStateName,
  DeliveryStatus,
  EventState,
  Resolution,
  ResolutionAction,
  ResolutionRefusal,
  WaitingFor,
} from "./delivery/event-state.ts";
export type { Verdict } from "./delivery/progress.ts";
export { CountersignError, type ErrorCode, isCountersignError } from "./errors.ts";
