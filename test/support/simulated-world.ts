/**
 * The world of a simulated run: its clock, what the server has written, what the workflow
 * has lived, and what may happen in it, all by a tape of choices.
 */
import { advance, begin } from "../../src/delivery/advance.ts";
import type { AttemptRecord, Way } from "../../src/delivery/attempt.ts";
import type { AttemptResult, Fact, Message } from "../../src/delivery/facts.ts";
import type { HistoryEntry } from "../../src/delivery/history.ts";
import type { EventPlan } from "../../src/delivery/plan.ts";
import type { EventProgress } from "../../src/delivery/progress.ts";
import { anIdentity, NOON_MS } from "./deliveries.ts";

type Later = Exclude<Fact, { fact: "accepted" }>;
type WithoutTime<F> = F extends unknown ? Omit<F, "atMs"> : never;

export interface World {
  /** A number from 0 up to, but not, `bound`: the next choice of the tape, 0 beyond its end. */
  pick(bound: number): number;
  nowMs: number;
  readonly plan: EventPlan;
  readonly entries: HistoryEntry[];
  progress: EventProgress | null;
  /** What has arrived but is not read yet: the event is not accepted, or an earlier attempt is looked for. */
  readonly held: Extract<Later, { fact: "message" | "cancel-requested" }>[];
  canceled: boolean;
  readonly open: Map<
    number,
    { readonly endpoint: string; readonly number: number; readonly via: Way } | "resolveRoutes"
  >;
}

/** What the workflow asks for in a task; written at its end, save where a time of its own is given. */
export type Command = WithoutTime<HistoryEntry> & { readonly atMs?: number };

export function write(world: World, entry: Command): void {
  world.nowMs += world.pick(400);
  world.entries.push({ atMs: world.nowMs, ...entry });
}

/** A local activity begun at `atMs` takes its time, and the workflow's clock goes on from its end. */
export function endOfLocal(world: World, atMs: number): number {
  world.nowMs = Math.max(world.nowMs, atMs + world.pick(300));
  return world.nowMs;
}

export function live(world: World, fact: WithoutTime<Later>, atMs: number): void {
  // Nothing but arrivals happens before the acceptance.
  if (world.progress === null) throw new TypeError(`${fact.fact} came before the event was accepted`);
  world.progress = advance(world.progress, { ...fact, atMs });
}

export function release(world: World): void {
  if (world.progress === null) return;
  for (const { atMs, ...fact } of world.held.splice(0)) live(world, fact, atMs);
}

export function accepted(plan: EventPlan): Extract<Fact, { fact: "accepted" }> {
  return { fact: "accepted", atMs: NOON_MS, event: anIdentity(), plan };
}

/** The event is accepted: with the first attempt, if one was made on the way, then with what was held. */
export function accept(world: World, atMs: number, first: AttemptResult | null = null): void {
  world.progress = begin(accepted(world.plan));
  if (first !== null) live(world, { fact: "attempt-reported", via: "local", result: first }, atMs);
  release(world);
}

export function someMessages(world: World): readonly Message[] {
  const count = Math.max(0, world.pick(12) - 9);
  return Array.from({ length: count }, () => {
    const names = ["replay", "discard", "mark-delivered", "replay", "approve", "resolve"];
    const delivery = [undefined, "crm", "ledger", "nobody"][world.pick(4)];
    const argument = { actor: "ana", reason: world.pick(5) === 0 ? "" : "why not", action: "replay", delivery };
    return { name: names[world.pick(names.length)] ?? "", argument };
  });
}

export function someResult(world: World, facts: { endpoint: string; number: number; via: Way }): AttemptResult {
  const { endpoint, number, via } = facts;
  const kind = world.pick(14);
  if (kind === 0) return { kind: "withheld", endpoint, reason: "not-routed" };
  if (kind === 1 && via !== "lane") return { kind: "to-lane", endpoint };
  if (kind === 2 && via === "local") return { kind: "lost", endpoint, number };
  if (kind === 3 && via === "local") return { kind: "set-aside", endpoint };
  return { kind: "attempted", endpoint, record: someRecord(world, number, via) };
}

export function someRecord(world: World, number: number, via: Way): AttemptRecord {
  const made = { number, at: new Date(world.nowMs).toISOString(), durationMs: world.pick(300), via } as const;
  switch (world.pick(6)) {
    case 0:
      return { ...made, outcome: "delivered", certainty: "answered", status: 200, code: "http_200" };
    case 1:
      return { ...made, outcome: "refused", certainty: "answered", status: 400, code: "http_400" };
    case 2:
      return { ...made, outcome: "uncertain", certainty: "unknown", code: "timeout_total" };
    case 3:
      return { ...made, outcome: "canceled", certainty: "not-sent", code: "canceled" };
    case 4:
      return { ...made, outcome: "retry", certainty: "answered", status: 429, code: "http_429", retryAfterMs: 5000 };
    default:
      return { ...made, outcome: "retry", certainty: "answered", status: 503, code: "http_503" };
  }
}
