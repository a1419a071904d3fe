/** A person's word on a delivery: which counts, and what it changes. */
import { type AmendedContent, amend, nothingWasExecuted, readAmendedContent } from "./amendment.ts";
import type { Resolution, ResolutionAction, ResolutionRefusal } from "./event-state.ts";
import { isTerminal, RESOLUTION_ACTIONS, waitsForPerson } from "./event-state.ts";
import type { Message } from "./facts.ts";
import { isKnownVersion, MAX_ACTOR, membersOf, textOf } from "./message-members.ts";
import { type Delivery, withoutProposal } from "./progress.ts";
import { isSteerable, judgeSteering, steer } from "./steering.ts";

/** A message understood as far as its shape goes. */
export interface Instruction {
  /** Position among the messages of the run, from 0: one verdict each. */
  readonly sequence: number;
  readonly action: ResolutionAction;
  readonly actor: string;
  readonly reason: string;
  readonly atMs: number;
  /** Endpoint name; null when the message names none. */
  readonly endpoint: string | null;
  /** The shape is wrong: recorded, never counted. */
  readonly malformed: boolean;
  /** Only with `amend`; null = it asks for nothing that can be done. */
  readonly content?: AmendedContent | null;
}

const MAX_REASON = 2000;

/** Reads a message; null when it is no resolution at all (a decision, or an unknown signal). */
export function readInstruction(message: Message, sequence: number, atMs: number): Instruction | null {
  const argument = membersOf(message.argument);
  const name = message.name === "resolve" ? argument["action"] : message.name;
  const action = RESOLUTION_ACTIONS.find((candidate) => candidate === name);
  if (action === undefined) return null;
  const actor = textOf(argument["actor"], MAX_ACTOR);
  const reason = textOf(argument["reason"], MAX_REASON);
  const endpoint = typeof argument["delivery"] === "string" ? argument["delivery"] : null;
  const content = action === "amend" ? { content: readAmendedContent(argument) } : {};
  const malformed = actor === "" || reason === "" || !isKnownVersion(argument);
  return { sequence, action, actor, reason, atMs, endpoint, malformed, ...content };
}

/** The delivery an instruction is about, or why it cannot be told. */
export function targetOf(
  instruction: Instruction,
  deliveries: readonly Delivery[],
): { readonly index: number } | { readonly refused: ResolutionRefusal } {
  if (instruction.endpoint !== null) {
    const index = deliveries.findIndex((delivery) => delivery.endpoint === instruction.endpoint);
    return index < 0 ? { refused: "unknown-delivery" } : { index };
  }
  if (deliveries.length === 1) return { index: 0 };
  const candidates = deliveries.flatMap((delivery, index) => (isCandidate(instruction, delivery) ? [index] : []));
  const [only, ...others] = candidates;
  if (only === undefined) return { index: 0 };
  return others.length === 0 ? { index: only } : { refused: "several-deliveries" };
}

function isCandidate(instruction: Instruction, delivery: Delivery): boolean {
  const { state } = delivery;
  switch (instruction.action) {
    case "discard":
      return !isTerminal(state);
    case "hurry":
    case "hold":
    case "release":
      return !isTerminal(state) && isSteerable(instruction.action, delivery);
    case "amend":
      return waitsForPerson(state);
    case "replay":
    case "mark-delivered":
      return state === "needs-attention";
  }
}

export type Judgement =
  | { readonly verdict: "counts" }
  | { readonly verdict: "wait" }
  | { readonly verdict: "refused"; readonly because: ResolutionRefusal };

/**
 * Whether an instruction counts for this delivery now. `discard`, `mark-delivered`,
 * `hold` and `release` wait for an attempt in flight, whose answer goes first;
 * `replay` and `hurry` do not: a second press must not become a second request.
 */
export function judge(instruction: Instruction, delivery: Delivery): Judgement {
  if (instruction.malformed) return { verdict: "refused", because: "malformed" };
  if (isTerminal(delivery.state)) return { verdict: "refused", because: "already-ended" };
  switch (instruction.action) {
    case "replay":
      if (delivery.inFlight !== null) return { verdict: "refused", because: "attempt-in-flight" };
      return delivery.hold === null ? whenParked(delivery) : { verdict: "refused", because: "held" };
    case "mark-delivered":
      if (delivery.inFlight !== null) return { verdict: "wait" };
      return delivery.attempts.length > 0 ? { verdict: "counts" } : whenParked(delivery);
    case "discard":
      return delivery.inFlight === null ? { verdict: "counts" } : { verdict: "wait" };
    case "amend":
      return judgeAmendment(instruction, delivery);
    case "hurry":
    case "hold":
    case "release":
      return judgeSteering(instruction.action, delivery, instruction.atMs);
  }
}

/** Each leaves a trace in the state, which must stay bounded. */
const MAX_REVISIONS = 200;

/** Only where nobody can have seen an effect of the old content: what was asked for, or parked. */
function judgeAmendment({ content = null }: Instruction, delivery: Delivery): Judgement {
  if (delivery.inFlight !== null) return { verdict: "refused", because: "attempt-in-flight" };
  if (delivery.state !== "awaiting-approval" && delivery.state !== "needs-attention")
    return { verdict: "refused", because: "not-parked" };
  if (!nothingWasExecuted(delivery)) return { verdict: "refused", because: "executed" };
  if (delivery.revision >= MAX_REVISIONS) return { verdict: "refused", because: "bad-amendment" };
  return content === null ? { verdict: "refused", because: "bad-amendment" } : { verdict: "counts" };
}

function whenParked(delivery: Delivery): Judgement {
  return delivery.state === "needs-attention" ? { verdict: "counts" } : { verdict: "refused", because: "not-parked" };
}

/** The entry of the record. */
export function resolutionOf(instruction: Instruction, refusedBecause: ResolutionRefusal | null): Resolution {
  const { action, actor, reason, atMs } = instruction;
  const at = new Date(atMs).toISOString();
  return { action, actor, at, reason, counted: refusedBecause === null, refusedBecause };
}

/** What a counted instruction makes of the delivery. */
export function applyInstruction(instruction: Instruction, delivery: Delivery): Delivery {
  const moved = { ...delivery, wait: null, attention: null };
  switch (instruction.action) {
    case "replay":
      return { ...askedAnew(moved, instruction.atMs), spentAttempts: delivery.attempts.length, heldMs: 0 };
    case "mark-delivered":
      return { ...moved, hold: null, state: "delivered" };
    case "discard":
      return { ...moved, hold: null, state: "discarded" };
    case "amend": {
      const { content = null } = instruction;
      return content === null ? delivery : amend(delivery, content, instruction);
    }
    case "hurry":
    case "hold":
    case "release":
      return steer(instruction.action, delivery, instruction);
  }
}

/** An approval that lapsed before anything was sent does not come back: people are asked again. */
function askedAnew(delivery: Delivery, atMs: number): Delivery {
  const { approval, settings, unplanned } = delivery;
  const lapsed = approval?.standing === "expired";
  const expectsProposal = lapsed || (approval === null && (settings.approval === true || unplanned));
  const asking = lapsed ? withoutProposal(delivery, { because: "expired", atMs }) : delivery;
  return { ...asking, state: expectsProposal ? "accepted" : "delivering" };
}
