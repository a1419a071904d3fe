/** What people say to a running bulk replay: pause, resume, cancel. Each stays in its record. */
import { isKnownVersion, MAX_ACTOR, membersOf, textOf } from "../message-members.ts";
import { MAX_NOTE } from "./order.ts";

export const BULK_ACTIONS = ["pause", "resume", "cancel"] as const;
export type BulkAction = (typeof BULK_ACTIONS)[number];

export type BulkRefusal = "malformed" | "already-paused" | "not-paused" | "already-ended";

export interface BulkVerdict {
  readonly counted: boolean;
  readonly refusedBecause: BulkRefusal | null;
  /** RFC 3339. */
  readonly at: string;
}

export interface BulkWord extends BulkVerdict {
  readonly action: BulkAction;
  readonly actor: string;
  readonly note: string;
}

/** Who stopped it, and why. */
export type BulkStop = Pick<BulkWord, "actor" | "note" | "at">;

/** Where words find it. */
export interface Standing {
  readonly paused: BulkStop | null;
  readonly canceled: BulkStop | null;
  readonly ended: boolean;
}

/** A message as it arrived: `steer` names its action as a member, a signal by its name. Null = none of ours. */
export function readWord(
  message: { readonly name: string; readonly argument: unknown },
  standing: Standing,
  atMs: number,
): BulkWord | null {
  const argument = membersOf(message.argument);
  const name = message.name === "steer" ? argument["action"] : message.name;
  const action = BULK_ACTIONS.find((candidate) => candidate === name);
  if (action === undefined) return null;
  const actor = textOf(argument["actor"], MAX_ACTOR);
  const note = textOf(argument["note"], MAX_NOTE);
  const isReadable = actor !== "" && isKnownVersion(argument);
  const refusedBecause = isReadable ? refusalOf(action, standing) : "malformed";
  return { action, actor, note, at: new Date(atMs).toISOString(), counted: refusedBecause === null, refusedBecause };
}

function refusalOf(action: BulkAction, { paused, canceled, ended }: Standing): BulkRefusal | null {
  if (ended || canceled !== null) return "already-ended";
  switch (action) {
    case "pause":
      return paused === null ? null : "already-paused";
    case "resume":
      return paused === null ? "not-paused" : null;
    case "cancel":
      return null;
  }
}
