/** The clocks of a proposal in a simulated run, kept as `workflows/approval-timers.ts` keeps them. */
import { openApproval } from "../../src/delivery/next-action.ts";
import {
  type Command,
  deliveryAt,
  followerAt,
  live,
  schedule,
  startTimer,
  stopTimers,
  type Timer,
  type World,
} from "./simulated-world.ts";

export type Clock = Extract<Timer, { readonly dueMs: number }>;

/** At the top of each turn: starts the clocks of a new proposal, stops those of one that is over. */
export function keepClocks(
  world: World,
  index: number,
  facts: { readonly atMs: number; readonly commands: Command[] },
): void {
  const follower = followerAt(world, index);
  const open = openApproval(deliveryAt(world, index));
  const revision = open?.draft.revision ?? null;
  if (revision === follower.clocksOf) return;
  stopTimers(world, (timer) => timer.index === index && "dueMs" in timer);
  if (follower.clocksOf !== null) notify(world, index, facts.commands);
  follower.clocksOf = revision;
  follower.approval = open;
  if (open === null) return;
  notify(world, index, facts.commands);
  const { draft, createdAtMs, expiresAtMs } = open;
  sleepUntil(world, { index, of: "expiry", dueMs: expiresAtMs, position: 0 }, facts);
  remind(world, { index, position: 0 }, facts);
  const ages = draft.terms.rules.flatMap(({ escalate }) => (escalate === null ? [] : [escalate.afterMs]));
  if (ages.length > 0 && draft.terms.notify !== null)
    sleepUntil(world, { index, of: "escalation", dueMs: createdAtMs + Math.min(...ages), position: 0 }, facts);
}

function remind(
  world: World,
  { index, position }: { readonly index: number; readonly position: number },
  facts: { readonly atMs: number; readonly commands: Command[] },
): void {
  const { approval } = followerAt(world, index);
  const ageMs = approval?.draft.terms.remindMs[position];
  if (approval === null || ageMs === undefined) return;
  sleepUntil(world, { index, of: "reminder", dueMs: approval.createdAtMs + ageMs, position }, facts);
}

/** A clock that was set back a little must not let a timer end before its time: then it sleeps once more. */
export function sleepUntil(
  world: World,
  clock: Clock,
  { atMs, commands }: { readonly atMs: number; readonly commands: Command[] },
): void {
  if (clock.dueMs > atMs) return startTimer(world, clock, commands);
  rings(world, clock, { atMs, commands });
}

function rings(
  world: World,
  { index, of, position }: Clock,
  facts: { readonly atMs: number; readonly commands: Command[] },
): void {
  live(world, { fact: "time-passed" }, facts.atMs);
  if (of === "expiry") return;
  if (deliveryAt(world, index).approval?.standing === "asking") notify(world, index, facts.commands);
  if (of === "reminder") remind(world, { index, position: position + 1 }, facts);
}

function notify(world: World, index: number, commands: Command[]): void {
  if ((deliveryAt(world, index).approval?.draft.terms.notify ?? null) === null) return;
  schedule(world, { type: "notifyPeople", input: { v: 1 }, open: "notifyPeople" }, commands);
}
