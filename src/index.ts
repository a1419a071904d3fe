/** The package `countersign`: what producers and operators import. */
export { connect, type ConnectedCountersign, type ConnectOptions } from "./client/connect.ts";
export type { BulkReplayOrder, BulkReplaySelection } from "./client/bulk-replay-order.ts";
export type { BulkReplayRow } from "./client/bulk-replay-list.ts";
export type { BulkReplayItems, BulkReplayStatus } from "./client/bulk-replay-show.ts";
export type { BulkReplayPreview, BulkReplayReceipt } from "./client/bulk-replay-start.ts";
export type { BulkReplayVerdict, BulkReplayWord } from "./client/bulk-replay-steer.ts";
export type { BulkReplays } from "./client/bulk-replays.ts";
export type { AmendmentWord, Countersign, DecisionWord, PersonsWord } from "./client/countersign.ts";
export type { PauseReport, ResumeReport } from "./client/endpoint-control.ts";
export type { ReplacedPause } from "./client/replaced-pause.ts";
export type { EndpointDetail } from "./client/endpoint-detail.ts";
export type { EndpointOverview, GateStatus } from "./client/endpoint-overview.ts";
export type { PauseOrder, ResumeOrder } from "./client/endpoint-words.ts";
export type { EndpointLedger } from "./client/read-ledger.ts";
export type { EventReport } from "./client/get-event.ts";
export type { EventRow, ListFilter } from "./client/list-events.ts";
export type { ListedApproval } from "./client/listed-approval.ts";
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
export type {
  ApprovalRule,
  DecisionAction,
  DecisionRecord,
  DecisionRefusal,
  ProposedAction,
} from "./delivery/approval.ts";
export type { AttentionReason } from "./delivery/attention.ts";
export type { AttemptCode, AttemptRecord, Certainty, Outcome, Way } from "./delivery/attempt.ts";
/**
 * For programs that sign decisions with a person's Ed25519 key.
 *
 * @example
 * const [delivery] = (await countersign.get(key)).deliveries
 * const { digest, revision, action } = delivery.proposal
 * const bytes = decisionBytes({ key, endpoint: action.endpoint, revision, digest, action: 'approve' })
 * const signature = crypto.sign(null, bytes, privateKeyPem).toString('base64')
 * await countersign.approve(key, { actor: 'ana@example.com', digest, signature })
 */
export { decisionBytes, type SignedDecision } from "./delivery/decision-bytes.ts";
export type { BusinessEvent, Evidence, JsonValue } from "./delivery/event.ts";
export type {
  Attention,
  ConflictRecord,
  DeliveryStateName,
  DeliveryStatus,
  EventState,
  PendingWord,
  Proposal,
  ProposalPolicy,
  Resolution,
  ResolutionAction,
  ResolutionRefusal,
  ShownBody,
  ShownHold,
  Verdict,
  WaitingFor,
} from "./delivery/event-state.ts";
export type { LedgerEntry, LedgerEvent } from "./delivery/gates/ledger.ts";
export type { LookupFinding, LookupRecord } from "./delivery/lookup.ts";
export { CountersignError, type ErrorCode, isCountersignError } from "./errors.ts";
