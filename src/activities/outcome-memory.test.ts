import { describe, expect, test } from "vitest";
import { anAttempt } from "../../test/support/deliveries.ts";
import type { AttemptResult } from "../delivery/facts.ts";
import { createOutcomeMemory, type OutcomeMemory } from "./outcome-memory.ts";

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

  test("forgets an attempt that threw, because nothing is known of it", async () => {
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
