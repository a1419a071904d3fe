import { describe, expect, test } from "vitest";
import {
  aDeliveredAttempt,
  aPlan,
  anAttempt,
  anIdentity,
  at,
  NOON_MS,
  someSettings,
} from "../../test/support/deliveries.ts";
import { advance, begin } from "./advance.ts";
import type { AttemptRecord, Way } from "./attempt.ts";
import type { AttemptResult, Fact } from "./facts.ts";
import type { Delivery, EventProgress } from "./progress.ts";

type Later = Exclude<Fact, { fact: "accepted" }>;
type Settings = Parameters<typeof someSettings>[0];

function start(endpoints: readonly string[] = ["crm"], settings: Settings = {}, synthetic = false): EventProgress {
  return begin({ fact: "accepted", atMs: NOON_MS, event: anIdentity({ synthetic }), plan: aPlan(endpoints, settings) });
}

const live = (progress: EventProgress, ...facts: readonly Later[]): EventProgress => facts.reduce(advance, progress);

function of(progress: EventProgress, endpoint = "crm"): Delivery {
  const delivery = progress.deliveries.find((one) => one.endpoint === endpoint);
  if (delivery === undefined) throw new TypeError(`There is no delivery to ${endpoint}`);
  return delivery;
}

const begun = (number = 1, via: Way = "local", endpoint = "crm"): Later => ({
  fact: "attempt-begun",
  endpoint,
  number,
  via,
  atMs: NOON_MS + number * 100_000,
});
const came = (result: AttemptResult, via: Way = "local"): Later => ({
  fact: "attempt-reported",
  via,
  result,
  atMs: NOON_MS + 300,
});
const answered = (changes: Partial<AttemptRecord> = {}, endpoint = "crm"): Later =>
  came({ kind: "attempted", endpoint, record: anAttempt(changes) });
const delivered = (endpoint = "crm"): Later => came({ kind: "attempted", endpoint, record: aDeliveredAttempt() });
const refused = (endpoint = "crm"): Later => answered({ outcome: "refused", status: 400, code: "http_400" }, endpoint);
const told = (name: string, argument: unknown = {}): Later => ({
  fact: "message",
  message: { name, argument: { actor: "ana", reason: "why not", ...(argument as object) } },
  atMs: NOON_MS + 500,
});
const cancel: Later = { fact: "cancel-requested", atMs: NOON_MS + 600 };
const yes = { counted: true, refusedBecause: null, at: at(500) };
const no = (refusedBecause: string) => ({ counted: false, refusedBecause, at: at(500) });

describe("an attempt", () => {
  test("is in flight from its begin to its report", () => {
    const flying = live(start(), begun());
    expect(of(flying)).toMatchObject({
      state: "delivering",
      inFlight: { number: 1, via: "local", sinceMs: NOON_MS + 100_000 },
    });
    expect(of(live(flying, delivered()))).toMatchObject({
      state: "delivered",
      inFlight: null,
      attempts: [aDeliveredAttempt()],
    });
  });

  test("leaves the local way for good once it went by another", () => {
    expect(of(live(start(), begun(1, "local"))).leftLocal).toBe(false);
    expect(of(live(start(), begun(1, "direct"))).leftLocal).toBe(true);
    expect(of(live(start(), begun(1, "direct"), answered(), begun(2, "local"))).leftLocal).toBe(true);
  });

  test("that is to be repeated starts a wait, measured from its end", () => {
    const waiting = of(live(start(), begun(), answered()));
    expect(waiting).toMatchObject({
      state: "waiting-retry",
      wait: { untilMs: NOON_MS + 10 + 1000, delayMs: 1000, why: "retry" },
      attempts: [{ number: 1, nextAt: at(1010) }],
      inFlight: null,
    });
    expect(of(live(start(), begun(), answered(), { fact: "wait-over", endpoint: "crm", atMs: NOON_MS }))).toMatchObject(
      {
        state: "delivering",
        wait: null,
      },
    );
  });

  test("is not begun again by a timer that fires after a person ended its wait", () => {
    const fires: Later = { fact: "wait-over", endpoint: "crm", atMs: NOON_MS + 1010 };
    const waiting = live(start(), begun(), answered());
    expect(of(live(waiting, cancel, fires)).state).toBe("discarded");
    expect(of(live(waiting, told("mark-delivered"), fires)).state).toBe("delivered");
    expect(of(live(start(), begun(), fires)).inFlight?.number).toBe(1);
  });

  test("that is refused parks the delivery, with advice, since its end", () => {
    expect(of(live(start(), begun(), refused())).attention).toEqual({
      reason: "refused",
      since: at(10),
      advice: expect.stringContaining("crm answered 400"),
    });
  });

  test("tells the settings in force where they differ from the plan", () => {
    const settings = someSettings({ idempotencyKey: "cs1_true", retry: { ...someSettings().retry, scheduleMs: [] } });
    const after = live(start(), begun(), came({ kind: "attempted", endpoint: "crm", record: anAttempt(), settings }));
    expect(of(after)).toMatchObject({
      settings,
      state: "needs-attention",
      attention: { reason: "attempts-exhausted" },
    });
  });

  test("that was lost shows when it began, not when its loss was noticed", () => {
    const lost = came({ kind: "lost", endpoint: "crm", number: 1, sinceMs: NOON_MS - 9000 });
    const record = { number: 1, at: at(-9000), durationMs: 9300, code: "worker_lost", via: "local" };
    expect(of(live(live(start(), { ...begun(), atMs: NOON_MS + 100 }), lost))).toMatchObject({ attempts: [record] });
    expect(of(live(start(), lost))).toMatchObject({ attempts: [record] });
  });

  test("that was lost is on record, counts, and the delivery leaves the local way", () => {
    const lost = came({ kind: "lost", endpoint: "crm", number: 1 });
    const flying = live(start(), { ...begun(), atMs: NOON_MS + 100 });
    expect(of(live(flying, lost))).toMatchObject({
      state: "waiting-retry",
      leftLocal: true,
      attempts: [
        {
          number: 1,
          at: at(100),
          durationMs: 200,
          outcome: "uncertain",
          certainty: "unknown",
          code: "worker_lost",
          via: "local",
        },
      ],
    });
    // A history can tell of a loss whose begin it does not show.
    expect(of(live(start(), lost)).attempts).toMatchObject([{ number: 1, at: at(300), durationMs: 0, via: "local" }]);
  });

  test("whose worker vanished on another way leaves the same record", () => {
    const gone: Later = { fact: "attempt-lost", endpoint: "crm", atMs: NOON_MS + 130_000 };
    expect(of(live(start(), begun(1, "lane"), gone)).attempts).toMatchObject([
      { number: 1, at: at(100_000), durationMs: 30_000, code: "worker_lost", via: "lane" },
    ]);
    const careful = live(start(["crm"], { idempotent: false }), begun(1, "direct"), gone);
    expect(of(careful)).toMatchObject({ state: "needs-attention", attention: { reason: "outcome-uncertain" } });
    // Its end may have been written by another clock.
    expect(of(live(start(), begun(1, "lane"), { ...gone, atMs: NOON_MS })).attempts[0]?.durationMs).toBe(0);
  });

  test.each<[string, Later, Partial<Delivery>]>([
    ["is sent to the lane", came({ kind: "to-lane", endpoint: "crm" }), { leftLocal: true, sentToLane: true }],
    ["was not begun", came({ kind: "set-aside", endpoint: "crm" }), { leftLocal: true, sentToLane: false }],
    ["failed on our side", { fact: "attempt-set-aside", endpoint: "crm", atMs: NOON_MS }, { leftLocal: true }],
  ])("that %s uses nothing of the budget and goes on by another way", (_, fact, expected) => {
    const after = of(live(start(), begun(), fact));
    expect(after).toMatchObject({ ...expected, state: "delivering", attempts: [], inFlight: null, attention: null });
  });

  test.each<[string, Later, string]>([
    ["not routed here", came({ kind: "withheld", endpoint: "crm", reason: "not-routed" }), "does not route"],
    [
      "to an unknown endpoint",
      came({ kind: "withheld", endpoint: "crm", reason: "unknown-endpoint" }),
      "has no endpoint crm",
    ],
    [
      "with an amended body that is too large",
      came({ kind: "withheld", endpoint: "crm", reason: "body-too-large" }),
      "larger than endpoint crm takes",
    ],
    ["broken by us", { fact: "attempt-broken", endpoint: "crm", atMs: NOON_MS + 300 }, "failed on our side"],
  ])("%s parks as misconfigured, since nothing was sent", (_, fact, words) => {
    const parked = of(live(start(), begun(), fact));
    expect(parked).toMatchObject({ state: "needs-attention", attempts: [], wait: null, inFlight: null });
    expect(parked.attention).toMatchObject({ reason: "misconfigured", since: at(300) });
    expect(parked.attention?.advice).toContain(words);
    expect(parked.attention?.advice).toContain("Nothing was sent.");
  });

  test.each<[string, Later]>([
    ["a failure", answered()],
    ["a refusal", refused()],
    ["a loss", came({ kind: "lost", endpoint: "crm", number: 1 })],
    ["a worker that vanished", { fact: "attempt-lost", endpoint: "crm", atMs: NOON_MS }],
    ["a missing route", came({ kind: "withheld", endpoint: "crm", reason: "not-routed" })],
    ["our own fault", { fact: "attempt-broken", endpoint: "crm", atMs: NOON_MS }],
  ])("of a synthetic event ends without a person after %s", (_, fact) => {
    const after = of(live(start(["crm"], { idempotent: false }, true), begun(), fact));
    expect(after).toMatchObject({ state: "discarded", attention: null, wait: null, inFlight: null });
  });

  test("concerns its own delivery alone", () => {
    const before = start(["crm", "ledger"]);
    const after = live(before, begun(1, "direct", "ledger"), refused("ledger"));
    expect(of(after, "crm")).toBe(of(before, "crm"));
    expect(of(after, "ledger").state).toBe("needs-attention");
  });

  test("of an unknown delivery changes nothing", () => {
    const before = start();
    const stranger = { endpoint: "mail", atMs: NOON_MS };
    for (const fact of [
      begun(1, "local", "mail"),
      delivered("mail"),
      { fact: "attempt-lost", ...stranger },
      { fact: "attempt-broken", ...stranger },
      { fact: "attempt-set-aside", ...stranger },
      { fact: "wait-over", ...stranger },
    ] as const) {
      expect(live(before, fact)).toEqual(before);
    }
  });
});

describe("a replay", () => {
  const exhausted = live(
    start(["crm"], { retry: { ...someSettings().retry, scheduleMs: [1000] } }),
    answered(),
    answered({ number: 2 }),
  );

  test("gives a fresh budget under the same key, the attempts counting on", () => {
    expect(of(exhausted)).toMatchObject({ state: "needs-attention", attention: { reason: "attempts-exhausted" } });
    const replayed = live(exhausted, told("replay"));
    expect(of(replayed)).toMatchObject({ state: "delivering", attention: null, spentAttempts: 2, attempts: [{}, {}] });
    expect(of(replayed).settings).toEqual(of(exhausted).settings);
    const third = of(live(replayed, begun(3, "direct"), answered({ number: 3 })));
    expect(third).toMatchObject({ state: "waiting-retry", attempts: [{}, {}, { number: 3 }] });
    const fourth = of(live(replayed, answered({ number: 3 }), answered({ number: 4 })));
    expect(fourth).toMatchObject({ state: "needs-attention", attention: { reason: "attempts-exhausted" } });
  });

  test("starts its window anew", () => {
    const retry = { ...someSettings().retry, windowMs: 60_000 };
    const late = live(start(["crm"], { retry }), answered(), answered({ number: 2, at: at(3_600_000) }));
    expect(of(late).attention?.reason).toBe("window-exceeded");
    expect(of(live(late, told("replay"), answered({ number: 3, at: at(7_200_000) }))).state).toBe("waiting-retry");
  });

  test("pressed twice counts once", () => {
    const after = live(exhausted, told("replay"), told("replay"));
    expect(after.verdicts).toEqual({ 0: yes, 1: no("not-parked") });
    expect(of(after).resolutions.map(({ counted }) => counted)).toEqual([true, false]);
    const whileFlying = live(exhausted, told("replay"), begun(3, "direct"), told("replay"));
    expect(whileFlying.verdicts[1]).toEqual(no("attempt-in-flight"));
    expect(of(whileFlying).inFlight?.number).toBe(3);
  });

  test("frees a delivery that was withheld", () => {
    const withheld = live(start(), begun(), came({ kind: "withheld", endpoint: "crm", reason: "not-routed" }));
    expect(of(live(withheld, told("replay")))).toMatchObject({
      state: "delivering",
      attention: null,
      spentAttempts: 0,
    });
  });
});

describe("a message while an attempt is in flight", () => {
  const flying = live(start(), begun());

  test.each(["discard", "mark-delivered"])("that says %s waits, and the answer goes first", (action) => {
    const waiting = live(flying, told(action));
    expect(waiting.verdicts).toEqual({});
    expect(of(waiting)).toMatchObject({ state: "delivering", pending: [{ action, sequence: 0 }], resolutions: [] });
    const answeredFirst = live(waiting, delivered());
    expect(of(answeredFirst)).toMatchObject({ state: "delivered", pending: [], resolutions: [{ counted: false }] });
    expect(answeredFirst.verdicts[0]).toEqual(no("already-ended"));
    const failedFirst = live(waiting, answered());
    expect(of(failedFirst)).toMatchObject({ state: action === "discard" ? "discarded" : "delivered", wait: null });
    expect(of(failedFirst).attempts).toHaveLength(1);
    expect(failedFirst.verdicts[0]).toEqual(yes);
  });

  test.each<[string, Later]>([
    ["its loss", came({ kind: "lost", endpoint: "crm", number: 1 })],
    ["its being set aside", came({ kind: "set-aside", endpoint: "crm" })],
    ["a missing route", came({ kind: "withheld", endpoint: "crm", reason: "not-routed" })],
    ["our own fault", { fact: "attempt-broken", endpoint: "crm", atMs: NOON_MS }],
    ["the way to the lane", came({ kind: "to-lane", endpoint: "crm" })],
  ])("that discards is carried out after %s", (_, fact) => {
    expect(of(live(flying, told("discard"), fact))).toMatchObject({ state: "discarded", attention: null, pending: [] });
  });

  test("is answered in the order of arrival", () => {
    const after = live(flying, told("mark-delivered"), told("discard"), told("replay"), answered());
    expect(of(after).state).toBe("delivered");
    expect(after.verdicts).toEqual({ 0: yes, 1: no("already-ended"), 2: no("attempt-in-flight") });
  });
});

describe("a message", () => {
  test("counts as one, whatever it says", () => {
    const after = live(start(), told("approve"), told("replay"), told("frobnicate"));
    expect(after.messages).toBe(3);
    expect(after.verdicts).toEqual({ 0: no("nothing-waits"), 1: no("not-parked"), 2: no("not-supported") });
    expect(of(after).resolutions).toMatchObject([{ action: "replay", refusedBecause: "not-parked" }]);
    expect(of(after).decisions).toMatchObject([{ action: "approve", refusedBecause: "nothing-waits" }]);
  });

  test("that is malformed is on record and changes nothing", () => {
    const parked = live(start(), begun(), refused());
    const after = live(parked, told("replay", { actor: "" }), told("discard", { reason: 7 }));
    expect(of(after)).toMatchObject({
      state: "needs-attention",
      resolutions: [
        { action: "replay", counted: false, refusedBecause: "malformed" },
        { action: "discard", counted: false, refusedBecause: "malformed" },
      ],
    });
  });

  test("needs a name where several deliveries are concerned", () => {
    const both = live(start(["crm", "ledger"]), refused("crm"), refused("ledger"));
    const unnamed = live(both, told("replay"));
    expect(unnamed.verdicts[0]).toEqual(no("several-deliveries"));
    expect(of(unnamed, "crm").resolutions).toMatchObject([{ refusedBecause: "several-deliveries" }]);
    expect(unnamed.deliveries.map(({ state }) => state)).toEqual(["needs-attention", "needs-attention"]);
    const named = live(unnamed, told("replay", { delivery: "ledger" }));
    expect(named.verdicts[1]).toEqual(yes);
    expect(named.deliveries.map(({ state }) => state)).toEqual(["needs-attention", "delivering"]);
    // One is left, so the next needs no name.
    expect(live(named, told("replay")).deliveries.map(({ state }) => state)).toEqual(["delivering", "delivering"]);
  });

  test("that names an unknown delivery is refused, on record with the first", () => {
    const after = live(start(["crm", "ledger"]), told("discard", { delivery: "mail" }));
    expect(after.verdicts[0]).toEqual(no("unknown-delivery"));
    expect(of(after, "crm").resolutions).toMatchObject([{ counted: false, refusedBecause: "unknown-delivery" }]);
  });

  test.each(["replay", "discard", "mark-delivered"])("that says %s comes too late for an ended delivery", (action) => {
    const after = live(start(), begun(), delivered(), told(action));
    expect(after.verdicts[0]).toEqual(no("already-ended"));
    expect(of(after).state).toBe("delivered");
  });

  test("before the event has any delivery is counted and answered", () => {
    const empty = { ...start(), deliveries: [] };
    const after = live(empty, told("frobnicate"), told("discard", { delivery: "crm" }), told("discard"));
    expect(after.messages).toBe(3);
    expect(after.verdicts[1]).toEqual(no("unknown-delivery"));
    expect(after.verdicts[2]).toEqual(no("unknown-delivery"));
  });

  test("ends a wait", () => {
    const waiting = live(start(), begun(), answered());
    expect(of(live(waiting, told("mark-delivered")))).toMatchObject({ state: "delivered", wait: null });
    expect(of(live(waiting, told("discard")))).toMatchObject({ state: "discarded", wait: null });
  });
});

describe("a cancel request", () => {
  test("discards what has not ended, in the name of whoever may cancel", () => {
    const after = live(start(["crm", "ledger"]), refused("ledger"), cancel);
    expect(after.deliveries.map(({ state }) => state)).toEqual(["discarded", "discarded"]);
    expect(of(after).resolutions).toEqual([
      {
        action: "discard",
        actor: "temporal:cancel",
        reason: "cancel requested in Temporal",
        at: at(600),
        counted: true,
        refusedBecause: null,
      },
    ]);
  });

  test("leaves the answer of an attempt in flight its say", () => {
    const canceled = live(start(), begun(), cancel);
    expect(of(canceled).state).toBe("delivering");
    expect(of(live(canceled, delivered())).state).toBe("delivered");
    const failed = of(live(canceled, answered()));
    expect(failed).toMatchObject({ state: "discarded", attempts: [{ code: "http_503" }] });
  });

  test("takes nobody's verdict: the next word still gets its own", () => {
    const after = live(start(["crm", "ledger"]), cancel, told("replay", { delivery: "crm" }));
    expect(after.verdicts[0]).toEqual(no("already-ended"));
  });

  test("does not change what has ended", () => {
    const after = live(start(["crm", "ledger"]), delivered("crm"), cancel);
    expect(after.deliveries.map(({ state }) => state)).toEqual(["delivered", "discarded"]);
  });
});

describe("a flood of words that do not count", () => {
  test("is cut off, so that the result of the run stays small; what counts is always kept", () => {
    const flood = Array.from({ length: 300 }, () => told("replay", { reason: "x".repeat(2000) }));
    const after = of(live(start(), begun(), ...flood, refused(), told("discard")));
    expect(after.resolutions).toHaveLength(101);
    expect(after.resolutions[0]?.reason).toHaveLength(200);
    expect(after).toMatchObject({ state: "discarded" });
    expect(after.resolutions.at(-1)).toMatchObject({ action: "discard", counted: true });
  });
});
