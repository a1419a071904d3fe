import { describe, expect, test } from "vitest";
import { aPlan, NOON_MS } from "../../test/support/deliveries.ts";
import { newRunTimers, timerStarted, waitEndedBy } from "./history-timers.ts";
import { type Delivery, freshDelivery, type RetryWait } from "./progress.ts";

const aWait = (): RetryWait => {
  return { untilMs: NOON_MS, delayMs: 1000, why: "retry", endsAtMs: NOON_MS, notBeforeMs: null };
};
const deliveries = (waits: readonly (RetryWait | null)[]): readonly Delivery[] =>
  aPlan(["crm", "ledger"])
    .deliveries.slice(0, waits.length)
    .map((plan, index) => ({ ...freshDelivery(plan), wait: waits[index] ?? null }));

describe("a timer that fires", () => {
  test("ends the wait that it was started for", () => {
    const waiting = deliveries([aWait()]);
    const timers = newRunTimers();
    timerStarted(timers, "1", waiting);
    expect(waitEndedBy(timers, "1", waiting)).toBe(waiting[0]);
  });

  test("does not end a later wait: somebody has ended or replaced its own", () => {
    const timers = newRunTimers();
    timerStarted(timers, "1", deliveries([aWait()]));
    expect(waitEndedBy(timers, "1", deliveries([aWait()]))).toBeNull();
    expect(waitEndedBy(timers, "1", deliveries([null]))).toBeNull();
  });

  test("ends no wait where it is a clock of a proposal", () => {
    const timers = newRunTimers();
    timerStarted(timers, "1", deliveries([null]));
    expect(waitEndedBy(timers, "1", deliveries([aWait()]))).toBeNull();
  });

  test("ends the only wait there is, where its start is not known", () => {
    expect(waitEndedBy(newRunTimers(), "", deliveries([aWait()]))?.endpoint).toBe("crm");
  });

  test("tells of no delivery where there are several, or none yet", () => {
    const timers = newRunTimers();
    timerStarted(timers, "1", deliveries([aWait(), aWait()]));
    expect(waitEndedBy(timers, "1", deliveries([aWait(), aWait()]))).toBeNull();
    expect(waitEndedBy(timers, "1", [])).toBeNull();
  });
});
