/** The messages of the workflow types, as plain definitions: the one workflow file others import by value. */
import { defineQuery, defineSignal, defineUpdate } from "@temporalio/workflow";
import type { JsonValue } from "../delivery/event.ts";
import type { EventState, Verdict } from "../delivery/event-state.ts";
import type { EndpointControl } from "../delivery/gates/control.ts";
import type { ResumeRefusal, TroubleReport } from "../delivery/gates/control-facts.ts";
import type { Gate } from "../delivery/gates/gate-entry.ts";
import type { PauseArgument, ResumeArgument } from "../delivery/gates/read-words.ts";

/** Argument of the resolution signals; `resolve` adds the action. Untrusted when it arrives. */
export interface ResolutionArgument {
  readonly v?: 1;
  readonly actor: string;
  readonly reason: string;
  /** Endpoint name; only needed when several deliveries are concerned. */
  readonly delivery?: string;
}

export interface ResolveArgument extends AmendArgument {
  readonly action: string;
}

/** What `amend` takes besides: at most one body, an endpoint, or both. */
export interface AmendArgument extends ResolutionArgument {
  readonly data?: JsonValue;
  readonly data_base64?: string;
  readonly endpoint?: string;
}

/** Argument of the decision signals; `decide` adds the action. Untrusted when it arrives. */
export interface DecisionArgument {
  readonly v?: 1;
  readonly actor: string;
  /** Of the proposal the person saw. */
  readonly digest: string;
  /** `reject` needs one. */
  readonly note?: string;
  /** Endpoint name; only needed when several deliveries wait. */
  readonly delivery?: string;
  /** Base64, Ed25519 over `decisionBytes`; needed where decisions must be signed. */
  readonly signature?: string;
}

export interface DecideArgument extends DecisionArgument {
  readonly action: string;
}

export const approveSignal = defineSignal<[DecisionArgument]>("approve");
export const rejectSignal = defineSignal<[DecisionArgument]>("reject");
export const withdrawSignal = defineSignal<[DecisionArgument]>("withdraw");
export const decideUpdate = defineUpdate<Verdict, [DecideArgument]>("decide");
export const amendSignal = defineSignal<[AmendArgument]>("amend");

export const replaySignal = defineSignal<[ResolutionArgument]>("replay");
export const discardSignal = defineSignal<[ResolutionArgument]>("discard");
export const markDeliveredSignal = defineSignal<[ResolutionArgument]>("mark-delivered");
export const hurrySignal = defineSignal<[ResolutionArgument]>("hurry");
export const holdSignal = defineSignal<[ResolutionArgument]>("hold");
export const releaseSignal = defineSignal<[ResolutionArgument]>("release");
export const resolveUpdate = defineUpdate<Verdict, [ResolveArgument]>("resolve");
export const stateQuery = defineQuery<EventState>("state");

/** Memo key under which the registry keeps its map, endpoint → entry. */
export const GATES_MEMO = "countersign.gates";

export const laneInUseSignal = defineSignal<[{ readonly endpoint: string }]>("lane-in-use");
export const laneIdleSignal = defineSignal<[{ readonly endpoint: string; readonly version: number }]>("lane-idle");
/** What holds an endpoint, from its workflow; or from a person's tool, which then needs no worker. */
export const putGateSignal = defineSignal<[{ readonly endpoint: string; readonly gate: Gate }]>("put-gate");

/** To the workflow of an endpoint: from people. */
export const pauseSignal = defineSignal<[PauseArgument]>("pause");
export const resumeSignal = defineSignal<[ResumeArgument]>("resume");
/** The same as the signal, with a verdict. */
export const resumeUpdate = defineUpdate<ResumeVerdict, [ResumeArgument]>("resume");
/** To the workflow of an endpoint: from workers. */
export const reportUpdate = defineUpdate<ReportAnswer, [TroubleReport]>("report");
/** The same without an answer: the server keeps it also where no worker runs. */
export const reportSignal = defineSignal<[TroubleReport]>("report");
export const configuredSignal = defineSignal<[{ readonly configVersion: string }]>("configured");
/** Somebody saw the lane or the registry say otherwise: both are put right. */
export const applySignal = defineSignal("apply");

export interface ResumeVerdict {
  readonly counted: boolean;
  readonly refusedBecause: ResumeRefusal | "malformed" | null;
  /** RFC 3339. */
  readonly at: string;
}

/** How the endpoint stands after a report. */
export interface ReportAnswer {
  readonly gate: Gate;
}

/** Memo key under which an endpoint's workflow shows how it stands. */
export const ENDPOINT_MEMO = "countersign.endpoint";
/** Its value: the whole control but for counts. */
export type EndpointMemo = Omit<EndpointControl, "counts">;

/** Memo key of the fingerprint on event runs our client starts. */
export const FINGERPRINT_MEMO = "countersign.fingerprint";
/** Memo key of what a conflict run records. */
export const CONFLICT_MEMO = "countersign.conflict";
/** Memo key under which a run that waits for approval says since when, until when and for what. */
export const APPROVAL_MEMO = "countersign.approval";

/** What lists show of a wait for approval without asking each run. */
export interface ApprovalMemo {
  readonly endpoint: string;
  readonly digest: string;
  /** RFC 3339. */
  readonly since: string;
  readonly until: string;
}
