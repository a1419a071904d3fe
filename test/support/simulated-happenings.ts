/** What the outside does between two workflow tasks of a simulated run: timers, ends of activities, a cancel request. */
import type { Way } from "../../src/delivery/attempt.ts";
import { accept, live, someResult, type World, write } from "./simulated-world.ts";

/** Folds the end in once a task has read it. */
type End = (atMs: number) => void;

export interface Happenings {
  readonly ends: readonly End[];
  readonly timer: boolean;
  readonly cancel: boolean;
}

export function happen(world: World, task: number): Happenings {
  const timers = task === 0 ? [] : timersFired(world);
  const ends = [...timers];
  for (const [scheduledId, open] of world.open) {
    if (world.pick(3) === 0) continue;
    world.open.delete(scheduledId);
    ends.push(open === "resolveRoutes" ? routesCame(world, scheduledId) : attemptCame(world, scheduledId, open));
  }
  const cancel = !world.canceled && world.pick(10) === 0;
  if (cancel) {
    world.canceled = true;
    write(world, { entry: "cancel-requested" });
  }
  return { ends, timer: timers.length > 0, cancel };
}

function timersFired(world: World): readonly End[] {
  return (world.progress?.deliveries ?? []).flatMap(({ endpoint, wait }) => {
    if (wait === null || world.pick(2) === 0) return [];
    write(world, { entry: "timer-fired" });
    return [(atMs: number) => live(world, { fact: "wait-over", endpoint }, atMs)];
  });
}

function routesCame(world: World, scheduledId: number): End {
  write(world, { entry: "activity-completed", scheduledId, result: { source: "shop", plan: world.plan } });
  return (atMs) => accept(world, atMs);
}

function attemptCame(world: World, scheduledId: number, open: { endpoint: string; number: number; via: Way }): End {
  const { endpoint, number, via } = open;
  const fate = world.pick(8);
  if (fate > 1) {
    const result = someResult(world, { endpoint, number, via });
    write(world, { entry: "activity-completed", scheduledId, result });
    return (atMs) => live(world, { fact: "attempt-reported", via, result }, atMs);
  }
  write(world, { entry: "activity-failed", scheduledId, timedOut: fate === 0 });
  return (atMs) => live(world, { fact: fate === 0 ? "attempt-lost" : "attempt-broken", endpoint }, atMs);
}
