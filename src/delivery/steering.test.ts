import { describe, expect, test } from "vitest";
import { approved, asked, EXPIRES_MS, only, passed, said, live as livedOn } from "../../test/support/approvals.ts";
import { anAttempt, anIdentity, aPlan, at, NOON_MS, someSettings } from "../../test/support/deliveries.ts";
import { advance, begin } from "./advance.ts";
import type { AttemptRecord } from "./attempt.ts";
import type { Fact } from "./facts.ts";
import { nextAction, wantsRecall } from "./next-action.ts";
import type { Delivery, EventProgress } from "./progress.ts";
import { project } from "./project.ts";
import { steer } from "./steering.ts";

type Later = Exclude<Fact, { fact: "accepted" }>;
const ANSWERED_MS = 1000;

const start = (endpoints: readonly string[] = ["crm"], retry = someSettings().retry): EventProgress =>
  begin({ fact: "accepted", atMs: NOON_MS, event: anIdentity(), plan: aPlan(endpoints, { retry }) });
const live = (progress: EventProgress, ...facts: readonly Later[]): EventProgress => facts.reduce(advance, progress);
const of = (progress: EventProgress, endpoint = "crm"): Delivery => {
  const delivery = progress.deliveries.find((one) => one.endpoint === endpoint);
  if (delivery === undefined) throw new TypeError(`There is no delivery to ${endpoint}`);
  return delivery;
};
const begun = (number = 1, afterMs = 0, via: "direct" | "lane" = "direct"): Later => {
  return { fact: "attempt-begun", endpoint: "crm", number, via, atMs: NOON_MS + afterMs };
};
const came = (changes: Partial<AttemptRecord> = {}, afterMs = ANSWERED_MS): Later => ({
  fact: "attempt-reported",
  via: "direct",
  result: { kind: "attempted", endpoint: "crm", record: anAttempt({ at: at(afterMs - 10), ...changes }) },
  atMs: NOON_MS + afterMs,
});
const told = (name: string, afterMs: number, delivery?: string): Later => ({
  fact: "message",
  message: { name, argument: { actor: "ana", reason: "why not", delivery } },
  atMs: NOON_MS + afterMs,
});
const waitOver = (afterMs: number): Later => ({ fact: "wait-over", endpoint: "crm", atMs: NOON_MS + afterMs });
const refused = (progress: EventProgress, message = 0) => progress.verdicts[message]?.refusedBecause;

/** Answered with 503: tries again 1 s after its answer. */
const waiting = live(start(), begun(), came());
/** Asked for 2 s of a wait that would be 5 s by the policy. */
const patient = { ...someSettings().retry, scheduleMs: [5000, 5000] };
const asksForTime = live(start(["crm"], patient), begun(), came({ status: 429, code: "http_429", retryAfterMs: 2000 }));

describe("hurry", () => {
  test("ends a retry wait at once", () => {
    const hurried = live(waiting, told("hurry", 1200));
    expect(of(hurried)).toMatchObject({ state: "delivering", wait: null, inFlight: null });
    expect(of(hurried).resolutions).toMatchObject([
      { action: "hurry", actor: "ana", reason: "why not", counted: true },
    ]);
    expect(nextAction(of(hurried))).toBe("attempt");
  });

  test("shortens a wait to the time that the endpoint asked for, and not under it", () => {
    const hurried = live(asksForTime, told("hurry", 1500));
    expect(of(hurried).wait).toEqual({
      untilMs: NOON_MS + ANSWERED_MS + 2000,
      endsAtMs: NOON_MS + ANSWERED_MS + 2000,
      notBeforeMs: NOON_MS + ANSWERED_MS + 2000,
      delayMs: 1500,
      why: "retry-after",
    });
    expect(project(hurried).deliveries[0]).toMatchObject({ state: "waiting-retry", nextAt: at(3000) });
    expect(hurried.verdicts[0]).toMatchObject({ counted: true });
  });

  test("is refused where the wait ends no later than that anyway", () => {
    const twice = live(asksForTime, told("hurry", 1500), told("hurry", 1600));
    expect(refused(twice, 1)).toBe("retry-after");
    expect(of(twice).wait).toEqual(of(live(asksForTime, told("hurry", 1500))).wait);
  });

  test("ends a wait whose Retry-After is over, to the millisecond", () => {
    expect(of(live(asksForTime, told("hurry", 2999))).wait).not.toBeNull();
    expect(of(live(asksForTime, told("hurry", 3000))).wait).toBeNull();
  });

  test.each<[string, EventProgress, string]>([
    ["nothing waits", start(), "not-waiting"],
    ["an attempt is in flight", live(start(), begun()), "attempt-in-flight"],
    ["it is held", live(waiting, told("hold", 1100)), "held"],
    ["it is parked", live(start(), begun(), came({ outcome: "refused", status: 400 })), "not-waiting"],
    ["it has ended", live(waiting, told("discard", 1100)), "already-ended"],
  ])("is refused where %s", (_, progress, because) => {
    expect(refused(live(progress, told("hurry", 1200)), progress.messages)).toBe(because);
  });
});

describe("hold", () => {
  test("stops a delivery that waits, and shows who did and why", () => {
    const held = live(waiting, told("hold", 1200));
    expect(nextAction(of(held))).toBe("await-release");
    const [shown] = project(held).deliveries;
    expect(shown).toMatchObject({ state: "held", waitingFor: "gate", nextAt: null });
    expect(shown?.hold).toEqual({ since: at(1200), actor: "ana", reason: "why not" });
  });

  test("of one delivery leaves the other alone", () => {
    const held = live(start(["crm", "ledger"]), told("hold", 100, "ledger"));
    expect(held.deliveries.map(nextAction)).toEqual(["attempt", "await-release"]);
    expect(project(held)).toMatchObject({ state: "held", deliveries: [{ state: "accepted" }, { state: "held" }] });
  });

  test("lets an attempt in flight finish, and takes back one that nobody has begun", () => {
    const flying = live(start(), begun(1, 0, "lane"), told("hold", 500));
    expect(wantsRecall(of(flying))).toBe(true);
    expect(project(flying).deliveries[0]).toMatchObject({ state: "delivering", pending: [{ action: "hold" }] });
    expect(of(live(flying, { fact: "attempt-set-aside", endpoint: "crm", atMs: NOON_MS + 600 }))).toMatchObject({
      hold: { sinceMs: NOON_MS + 500 },
      attempts: [],
    });
    const failed = live(flying, came());
    expect(of(failed)).toMatchObject({ wait: null, attempts: [{ number: 1, status: 503 }] });
    expect(of(failed).hold?.wait).toMatchObject({ delayMs: 1000 });
    const succeeded = live(flying, came({ outcome: "delivered", status: 200, code: "http_200" }));
    expect(of(succeeded)).toMatchObject({ state: "delivered", hold: null });
    expect(refused(succeeded)).toBe("already-ended");
  });

  test("counts once: a second one is refused, and after a release it counts again", () => {
    const held = live(waiting, told("hold", 1100), told("hold", 1150), told("release", 1200), told("hold", 1250));
    expect(Object.values(held.verdicts).map(({ refusedBecause }) => refusedBecause)).toEqual([
      null,
      "held",
      null,
      null,
    ]);
  });

  test("said before a release during one attempt is undone by it", () => {
    const both = live(start(), begun(), told("hold", 100), told("release", 200), came());
    expect(of(both)).toMatchObject({ state: "waiting-retry", hold: null });
    expect(Object.values(both.verdicts)).toMatchObject([{ counted: true }, { counted: true }]);
  });

  test("of a parked delivery keeps a replay from sending until it is released", () => {
    const parked = live(start(), begun(), came({ outcome: "refused", status: 400 }), told("hold", 1100));
    expect(project(parked).deliveries[0]).toMatchObject({ state: "needs-attention", hold: { actor: "ana" } });
    expect(refused(live(parked, told("replay", 1200)), 1)).toBe("held");
    const released = live(parked, told("release", 1200), told("replay", 1300));
    expect(nextAction(of(released))).toBe("attempt");
  });

  test.each(["discard", "mark-delivered"])("does not stand in the way of %s", (action) => {
    const ended = live(waiting, told("hold", 1100), told(action, 1200));
    expect(nextAction(of(ended))).toBe("nothing");
    expect(project(ended).deliveries[0]).not.toHaveProperty("hold");
  });

  test("while people are asked lets them decide; what they approve is sent once it is released", () => {
    const held = livedOn(asked(), told("hold", 10));
    expect(project(held).deliveries[0]).toMatchObject({ state: "awaiting-approval", hold: { actor: "ana" } });
    expect(nextAction(only(livedOn(held, said("approve"))))).toBe("examine");
    const agreed = livedOn(approved(), told("hold", 10));
    expect(project(agreed).deliveries[0]).toMatchObject({ state: "held", waitingFor: "gate" });
    expect(nextAction(only(livedOn(agreed, told("release", 20))))).toBe("attempt");
  });

  test("does not keep an approval from lapsing", () => {
    const lapsed = livedOn(approved(), told("hold", 10), passed(EXPIRES_MS));
    expect(only(lapsed)).toMatchObject({ state: "expired", attempts: [] });
    const parked = livedOn(asked({ terms: { onExpire: "park" } }), told("hold", 10), passed(EXPIRES_MS));
    expect(project(parked).deliveries[0]).toMatchObject({ state: "needs-attention", hold: { actor: "ana" } });
  });
});

describe("release", () => {
  const held = live(waiting, told("hold", 1200));

  test("lets a retry wait go on for its rest", () => {
    const released = live(held, told("release", 1700));
    expect(of(released)).toMatchObject({ state: "waiting-retry", hold: null, heldMs: 0 });
    expect(of(released).wait).toMatchObject({ delayMs: 300, untilMs: NOON_MS + 2000, endsAtMs: NOON_MS + 2000 });
  });

  test.each([2000, 60_000])("sends at once where the wait has ended meanwhile: at %d ms", (afterMs) => {
    const released = live(held, told("release", afterMs));
    expect(of(released)).toMatchObject({ wait: null, hold: null, heldMs: afterMs - 2000 });
    expect(nextAction(of(released))).toBe("attempt");
  });

  test("never goes under Retry-After", () => {
    const released = live(asksForTime, told("hold", 1100), told("release", 1200), told("hurry", 1300));
    expect(of(released).wait?.endsAtMs).toBe(NOON_MS + ANSWERED_MS + 2000);
  });

  test("waits no longer than the whole wait, however far ahead the clock of the worker was", () => {
    const ahead = came({ at: at(600_000), status: 429, code: "http_429", retryAfterMs: 2000 });
    const slow = live(start(["crm"], patient), begun(), ahead);
    const released = live(slow, told("hold", 1100), told("release", 1200));
    expect(of(released).wait).toMatchObject({ delayMs: 5000, endsAtMs: NOON_MS + 6200, notBeforeMs: NOON_MS + 3200 });
    expect(of(live(released, told("hurry", 1300))).wait).toMatchObject({ delayMs: 1900, endsAtMs: NOON_MS + 3200 });
    expect(of(live(slow, told("hurry", 1300))).wait).toMatchObject({ delayMs: 2000, endsAtMs: NOON_MS + 3300 });
  });

  test("is no earlier than the answer allows, where the clock of the workflow lags behind it", () => {
    const lagging = came({ at: at(1700), durationMs: 100, status: 429, code: "http_429", retryAfterMs: 2000 });
    const wait = live(start(["crm"], patient), begun(), lagging);
    expect(of(live(wait, told("hurry", 2000))).wait).toMatchObject({ delayMs: 1800, endsAtMs: NOON_MS + 3800 });
    expect(of(live(wait, told("hold", 2000), told("release", 2500))).wait).toMatchObject({ endsAtMs: NOON_MS + 6800 });
  });

  test("is refused where nobody holds it", () => {
    expect(refused(live(waiting, told("release", 1200)))).toBe("not-held");
  });

  test("gives back the time it cost: the window for retries stood still", () => {
    const window = { ...someSettings().retry, scheduleMs: [1000, 1000, 1000], windowMs: 5000 };
    const again = (progress: EventProgress, afterMs: number) =>
      live(progress, begun(2, afterMs), came({ number: 2 }, afterMs + 10));
    const first = live(start(["crm"], window), begun(), came());
    const longHeld = live(first, told("hold", 1200), told("release", 20_000));
    expect(of(again(longHeld, 20_000))).toMatchObject({ state: "waiting-retry", heldMs: 18_000 });
    expect(of(again(live(first, waitOver(2000)), 20_000)).attention?.reason).toBe("window-exceeded");
    const untried = live(start(["crm"], window), told("hold", 100), told("release", 60_000));
    expect(of(untried).heldMs).toBe(0);
  });

  test("counts time held from the end of the wait on, not from its start", () => {
    expect(of(live(held, waitOver(1300), told("release", 2500))).heldMs).toBe(500);
    const idle = live(waiting, waitOver(2000), told("hold", 3000), told("release", 3400));
    expect(of(idle).heldMs).toBe(400);
  });
});

test.each(["hurry", "release"] as const)("%s changes nothing where there is nothing to end", (action) => {
  const idle = of(start());
  const instruction = { sequence: 0, actor: "ana", reason: "why not", atMs: NOON_MS, endpoint: null, malformed: false };
  expect(steer(action, idle, { ...instruction, action })).toBe(idle);
});

describe("a word that names no delivery", () => {
  const two = live(start(["crm", "ledger"]), begun(), came());

  test.each([
    ["hurry", "is about the one that waits", [null]],
    ["hold", "needs a name where several could be held", ["several-deliveries"]],
    ["release", "is refused where none is held", ["not-held"]],
  ])("%s %s", (action, _, because) => {
    expect(Object.values(live(two, told(action, 1100)).verdicts).map((one) => one.refusedBecause)).toEqual(because);
  });

  test("releases the one that is held", () => {
    const held = live(two, told("hold", 1100, "ledger"), told("release", 1200));
    expect(held.deliveries.map(({ hold }) => hold)).toEqual([null, null]);
    expect(of(held, "ledger").resolutions.map(({ action }) => action)).toEqual(["hold", "release"]);
  });
});
