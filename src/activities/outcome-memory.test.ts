import { describe, expect, test } from "vitest";
import { anAttempt } from "../../test/support/deliveries.ts";
import type { AttemptResult } from "../delivery/facts.ts";
import { createOutcomeMemory, type OutcomeMemory } from "./outcome-memory.ts";
import { TryAgain } from "./try-again.ts";

const first = { runId: "run-1", idempotencyKey: "cs1_a", number: 1 };
const done = (number = 1): AttemptResult => ({ kind: "attempted", endpoint: "crm", record: anAttempt({ number }) });

function aMemory(): { readonly memory: OutcomeMemory; readonly clock: { nowMs: number } } {
  const clock = { nowMs: 0 };
  return { memory: createOutcomeMemory(() => clock.nowMs), clock };
}

/** An attempt that ends when it is told to, and counts how often it was begun. */
function anOpenAttempt() {
  let begun = 0;
  const end = { resolve(_: AttemptResult): void {}, reject(_: Error): void {} };
  const promise = new Promise<AttemptResult>((resolve, reject) => Object.assign(end, { resolve, reject }));
  const make = (): Promise<AttemptResult> => {
    begun += 1;
    return promise;
  };
  return { make, end, begun: () => begun };
}

describe("outcome memory", () => {
  test("knows nothing of an attempt it has not seen", () => {
    expect(aMemory().memory.recall(first)).toBeNull();
  });

  test("lets a re-run join an attempt in flight, however long that takes", async () => {
    const { memory, clock } = aMemory();
    const { make, end, begun } = anOpenAttempt();
    const original = memory.remember(first, make);
    clock.nowMs += 3_600_000;
    const joined = memory.recall(first);
    const alsoJoined = memory.remember(first, make);
    end.resolve(done());
    expect(await joined).toBe(await original);
    expect(await alsoJoined).toEqual(done());
    expect(begun()).toBe(1);
  });

  test("answers a re-run for 60 s after the end, and then no more", async () => {
    const { memory, clock } = aMemory();
    await memory.remember(first, () => Promise.resolve(done()));
    clock.nowMs += 59_999;
    expect(await memory.recall(first)).toEqual(done());
    clock.nowMs += 1;
    expect(memory.recall(first)).toBeNull();
    expect(await memory.remember(first, () => Promise.resolve(done(9)))).toEqual(done(9));
  });

  test("tells attempts apart by run, key and number", async () => {
    const { memory } = aMemory();
    await memory.remember(first, () => Promise.resolve(done()));
    expect(memory.recall({ ...first, runId: "run-2" })).toBeNull();
    expect(memory.recall({ ...first, number: 2 })).toBeNull();
    expect(memory.recall({ ...first, idempotencyKey: "cs1_b" })).toBeNull();
  });

  test("has no outcome of an attempt that threw, because nothing is known of it", async () => {
    const { memory } = aMemory();
    const { make, end } = anOpenAttempt();
    const failing = memory.remember(first, make);
    const joined = memory.recall(first);
    end.reject(new Error("our own fault"));
    await expect(failing).rejects.toThrow("our own fault");
    await expect(joined).rejects.toThrow("our own fault");
    expect(memory.recall(first)).toBeNull();
  });

  test("keeps a bounded number of finished attempts, the latest", async () => {
    const { memory } = aMemory();
    const { make, end } = anOpenAttempt();
    const inFlight = memory.remember({ ...first, number: 0 }, make);
    for (let number = 1; number <= 20_010; number += 1)
      await memory.remember({ ...first, number }, () => Promise.resolve(done(number)));
    expect(memory.recall({ ...first, number: 1 })).toBeNull();
    expect(await memory.recall({ ...first, number: 20_010 })).toEqual(done(20_010));
    expect(await memory.recall({ ...first, number: 100 })).toEqual(done(100));
    expect(memory.recall({ ...first, number: 0 })).not.toBeNull();
    end.resolve(done(0));
    expect(await inFlight).toEqual(done(0));
  });

  test("drops what has become stale when the next attempt begins", async () => {
    const { memory, clock } = aMemory();
    await memory.remember(first, () => Promise.resolve(done()));
    clock.nowMs += 30_000;
    await memory.remember({ ...first, number: 2 }, () => Promise.resolve(done(2)));
    clock.nowMs += 30_000;
    await memory.remember({ ...first, number: 3 }, () => Promise.resolve(done(3)));
    expect(memory.recall(first)).toBeNull();
    expect(await memory.recall({ ...first, number: 2 })).toEqual(done(2));
  });
});

describe("what was never begun here", () => {
  test("is an attempt that it has not seen, but none under way, and none that has ended in the last 60 s", async () => {
    const { memory, clock } = aMemory();
    const { make, end } = anOpenAttempt();
    expect(memory.neverBegan(first)).toBe(true);
    const original = memory.remember(first, make);
    clock.nowMs += 3_600_000;
    expect(memory.neverBegan(first)).toBe(false);
    end.resolve(done());
    await original;
    clock.nowMs += 59_999;
    expect([memory.neverBegan(first), memory.neverBegan({ ...first, number: 2 })]).toEqual([false, true]);
    clock.nowMs += 1;
    expect(memory.neverBegan(first)).toBe(true);
  });

  test("is none that threw: it may have sent all the same", async () => {
    const { memory, clock } = aMemory();
    await expect(memory.remember(first, () => Promise.reject(new Error("our own fault")))).rejects.toThrow();
    clock.nowMs += 59_999;
    expect(memory.neverBegan(first)).toBe(false);
    clock.nowMs += 1;
    expect(memory.neverBegan(first)).toBe(true);
  });

  test("is one that went back to its lane, for nothing was sent", async () => {
    const { memory } = aMemory();
    const held = new TryAgain("crm is held; nothing was sent", { type: "held", afterMs: 1000 });
    await expect(memory.remember(first, () => Promise.reject(held))).rejects.toBe(held);
    expect(memory.neverBegan(first)).toBe(true);
  });

  test("cannot be told while something is forgotten before its time, for lack of room", async () => {
    const { memory, clock } = aMemory();
    for (let number = 1; number <= 20_000; number += 1)
      await memory.remember({ ...first, number }, () => Promise.resolve(done(number)));
    expect(memory.neverBegan({ ...first, number: 30_000 })).toBe(true);
    clock.nowMs += 1000;
    for (let number = 20_001; number <= 20_002; number += 1)
      await memory.remember({ ...first, number }, () => Promise.resolve(done(number)));
    expect(memory.neverBegan({ ...first, number: 30_000 })).toBe(false);
    clock.nowMs += 58_999;
    expect(memory.neverBegan({ ...first, number: 30_000 })).toBe(false);
    clock.nowMs += 1;
    expect(memory.neverBegan({ ...first, number: 30_000 })).toBe(true);
  });
});

describe("an execution that was overtaken", () => {
  const lost = { historyLength: 3, scheduledAtMs: 1000 };
  const rerun = { historyLength: 6, scheduledAtMs: 11_000 };

  test("stays so, also when it wakes much later and says it overtakes; the later ones are not", () => {
    const { memory, clock } = aMemory();
    expect(memory.isOvertaken(first, lost)).toBe(false);
    memory.overtake(first, rerun);
    clock.nowMs += 3_600_000;
    memory.overtake(first, lost);
    expect(
      [lost, rerun, { historyLength: 6, scheduledAtMs: 21_000 }].map((one) => memory.isOvertaken(first, one)),
    ).toEqual([true, false, false]);
    expect(memory.isOvertaken({ ...first, number: 2 }, lost)).toBe(false);
  });

  test("is known of a bounded number of attempts, the latest", () => {
    const { memory } = aMemory();
    for (let number = 1; number <= 20_001; number += 1) memory.overtake({ ...first, number }, rerun);
    expect([1, 2, 20_001].map((number) => memory.isOvertaken({ ...first, number }, lost))).toEqual([false, true, true]);
  });
});
