/** The messages of the workflow types, as plain definitions: the one workflow file others import by value. */
import { defineQuery, defineSignal, defineUpdate } from "@temporalio/workflow";
import type { EventState } from "../delivery/event-state.ts";
import type { Verdict } from "../delivery/progress.ts";

/** Argument of the resolution signals; `resolve` adds the action. Untrusted when it arrives. */
export interface ResolutionArgument {
  readonly v?: 1;
  readonly actor: string;
  readonly reason: string;
  /** Endpoint name; only needed when several deliveries are concerned. */
  readonly delivery?: string;
}

export interface ResolveArgument extends ResolutionArgument {
  readonly action: string;
}

export const replaySignal = defineSignal<[ResolutionArgument]>("replay");
export const discardSignal = defineSignal<[ResolutionArgument]>("discard");
export const markDeliveredSignal = defineSignal<[ResolutionArgument]>("mark-delivered");
export const resolveUpdate = defineUpdate<Verdict, [ResolveArgument]>("resolve");
export const stateQuery = defineQuery<EventState>("state");

/** What the registry knows of an endpoint that is not plain open, or whose lane is in use. */
export interface GateEntry {
  readonly state: "open" | "paused" | "tripped" | "throttled";
  /** RFC 3339; null = until somebody acts. */
  readonly until: string | null;
  readonly version: number;
  readonly laneInUse: boolean;
}

/** Memo key under which the registry keeps its map, endpoint → entry. */
export const GATES_MEMO = "countersign.gates";

export const laneInUseSignal = defineSignal<[{ readonly endpoint: string }]>("lane-in-use");
export const laneIdleSignal = defineSignal<[{ readonly endpoint: string; readonly version: number }]>("lane-idle");

/** Memo key of the fingerprint on event runs our client starts. */
export const FINGERPRINT_MEMO = "countersign.fingerprint";
/** Memo key of what a conflict run records. */
export const CONFLICT_MEMO = "countersign.conflict";
