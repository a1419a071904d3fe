/** What a key may do: one table, and for events the scope of an ingest key. */
import type { ApiKey, KeyRole } from "../config/config.ts";
import { matchesTypePattern } from "../config/event-type-pattern.ts";
import type { DecisionAction } from "../delivery/approval.ts";
import type { ResolutionAction } from "../delivery/event-state.ts";

/** Everything one can be asked to do over HTTP that needs a key. */
export type AccessVerb =
  | "submit"
  /** Events, lists, endpoints, bulk replays. */
  | "read"
  | DecisionAction
  | ResolutionAction
  /** The gate of an endpoint. */
  | "pause"
  | "resume"
  /** A synthetic event to an endpoint. */
  | "test"
  /** To start, pause, resume and cancel one. */
  | "bulk-replay";

export type AccessAction =
  | {
      readonly do: "submit";
      /** The configured name, never an alias. */
      readonly source: string;
      readonly type: string;
    }
  | { readonly do: Exclude<AccessVerb, "submit"> };

/**
 * Producers only send, and cannot even read back what became of it. Who operates does not decide,
 * and who decides does not operate: somebody who does both has two keys.
 */
const RIGHTS: Readonly<Record<KeyRole, readonly AccessVerb[]>> = {
  ingest: ["submit"],
  viewer: ["read"],
  approver: ["read", "approve", "reject", "withdraw"],
  operator: [
    "read",
    "replay",
    "discard",
    "mark-delivered",
    "amend",
    "hurry",
    "hold",
    "release",
    "pause",
    "resume",
    "test",
    "bulk-replay",
  ],
};

/** Whether the role has the verb at all: what can be refused before a body is read. */
export function roleAllows(role: KeyRole, verb: AccessVerb): boolean {
  return RIGHTS[role].includes(verb);
}

/** Whether the key may do exactly this. */
export function allows(key: Pick<ApiKey, "role" | "sources" | "types">, action: AccessAction): boolean {
  if (!roleAllows(key.role, action.do)) return false;
  return action.do !== "submit" || isInScope(key, action);
}

function isInScope(
  { sources, types }: Pick<ApiKey, "sources" | "types">,
  { source, type }: Extract<AccessAction, { readonly do: "submit" }>,
): boolean {
  return sources.includes(source) && (types === null || types.some((pattern) => matchesTypePattern(pattern, type)));
}
