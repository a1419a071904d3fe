/** The package `countersign`: what producers and operators import. */
export { connect, type ConnectedCountersign, type ConnectOptions } from "./client/connect.ts";
export type { AmendmentWord, Countersign, DecisionWord, PersonsWord } from "./client/countersign.ts";
export type { EndpointOverview } from "./client/endpoint-overview.ts";
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
  Verdict,
  WaitingFor,
} from "./delivery/event-state.ts";
export { CountersignError, type ErrorCode, isCountersignError } from "./errors.ts";
