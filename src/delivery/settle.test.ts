/** After an uncertain outcome where nothing may be repeated blindly: looked up, then finished, tried again or parked. */
import { describe, expect, test } from "vitest";
import {
  aDeliveredAttempt,
  anAttempt,
  anIdentity,
  aPlan,
  at,
  NOON_MS,
  someSettings,
} from "../../test/support/deliveries.ts";
import { advance, begin } from "./advance.ts";
import type { AttemptRecord } from "./attempt.ts";
import type { Fact } from "./facts.ts";
import type { LookupFinding, LookupRecord } from "./lookup.ts";
import { nextAction } from "./next-action.ts";
import type { DeliverySettings } from "./plan.ts";
import type { Delivery, EventProgress } from "./progress.ts";
import { project } from "./project.ts";
import { giveUpLookup } from "./settle.ts";

type Later = Exclude<Fact, { fact: "accepted" }>;
const CAREFUL = { idempotent: false, reconcile: true } as const;

const start = (settings: Partial<DeliverySettings> = CAREFUL, synthetic = false): EventProgress =>
  begin({ fact: "accepted", atMs: NOON_MS, event: anIdentity({ synthetic }), plan: aPlan(["crm"], settings) });
const live = (progress: EventProgress, ...facts: readonly Later[]): EventProgress => facts.reduce(advance, progress);
const only = ({ deliveries: [delivery] }: EventProgress): Delivery => {
  if (delivery === undefined) throw new TypeError("There is one delivery");
  return delivery;
};
const begun = (number = 1): Later => ({ fact: "attempt-begun", endpoint: "crm", number, via: "direct", atMs: NOON_MS });
const came = (record: AttemptRecord, settings?: DeliverySettings): Later => ({
  fact: "attempt-reported",
  via: "direct",
  result: { kind: "attempted", endpoint: "crm", record, ...(settings === undefined ? {} : { settings }) },
  atMs: NOON_MS + 100,
});
const uncertain = (number = 1): AttemptRecord => {
  const { status: _, ...rest } = anAttempt({
    number,
    outcome: "uncertain",
    certainty: "unknown",
    code: "closed_after_send",
  });
  return rest;
};
const lookup = (found: LookupFinding, changes: Partial<LookupRecord> = {}): LookupRecord => {
  const asked = { attempt: 1, at: at(150), durationMs: 5, tries: 1, by: "url" } as const;
  return { ...asked, found, code: "http_200", status: 200, ...changes };
};
const looked = (found: LookupFinding, changes: Partial<LookupRecord> = {}, afterMs = 200): Later => ({
  fact: "looked-up",
  result: { endpoint: "crm", record: lookup(found, changes) },
  atMs: NOON_MS + afterMs,
});
const told = (name: string): Later => ({
  fact: "message",
  message: { name, argument: { actor: "ana", reason: "saw it there" } },
  atMs: NOON_MS + 190,
});

const asking = live(start(), begun(), came(uncertain()));

describe("an uncertain outcome", () => {
  test("is looked into before anything else, and shows so", () => {
    expect(nextAction(only(asking))).toBe("reconcile");
    expect(project(asking)).toMatchObject({
      state: "reconciling",
      deliveries: [{ waitingFor: null, attention: null }],
    });
    expect(project(asking).deliveries[0]).not.toHaveProperty("lookups");
  });

  test("of a lost worker is looked into as well", () => {
    const lost = live(start(), begun(), { fact: "attempt-lost", endpoint: "crm", atMs: NOON_MS + 50 });
    expect(only(lost)).toMatchObject({ state: "reconciling", attempts: [{ code: "worker_lost" }] });
  });

  test.each<[string, Partial<DeliverySettings>, string]>([
    ["nobody could look", { idempotent: false }, "needs-attention"],
    ["it may be repeated", { idempotent: true, reconcile: true }, "waiting-retry"],
  ])("is not looked into where %s", (_, settings, state) => {
    expect(only(live(start(settings), begun(), came(uncertain()))).state).toBe(state);
  });

  test("of a test event ends it", () => {
    expect(only(live(start(CAREFUL, true), begun(), came(uncertain()))).state).toBe("discarded");
  });
});

describe("a lookup", () => {
  test("that finds the effect ends the delivery, with the evidence", () => {
    const found = live(asking, looked("delivered", { matched: { "$.status": "succeeded" } }));
    expect(nextAction(only(found))).toBe("nothing");
    expect(project(found).deliveries[0]).toMatchObject({
      state: "delivered",
      attemptCount: 1,
      lookups: [{ attempt: 1, found: "delivered", status: 200, matched: { "$.status": "succeeded" } }],
    });
  });

  test("that finds none has it tried again by the policy, from now on", () => {
    const absent = live(asking, looked("absent", { status: 404, code: "http_404" }));
    expect(only(absent)).toMatchObject({
      state: "waiting-retry",
      wait: { delayMs: 1000, untilMs: NOON_MS + 1200, endsAtMs: NOON_MS + 1200, notBeforeMs: null },
      attempts: [{ nextAt: at(1200) }],
    });
    const again = live(absent, { fact: "wait-over", endpoint: "crm", atMs: NOON_MS + 1200 }, begun(2));
    expect(only(live(again, came(aDeliveredAttempt({ number: 2 })))).state).toBe("delivered");
  });

  test("that finds none parks what has used up its attempts, and says so", () => {
    const { retry } = someSettings();
    const last = live(start({ ...CAREFUL, retry: { ...retry, scheduleMs: [] } }), begun(), came(uncertain()));
    const { attention } = only(live(last, looked("absent", { status: 404, code: "http_404" })));
    expect(attention).toEqual({
      reason: "attempts-exhausted",
      since: at(200),
      advice:
        "All attempts are used up: at the last, number 1, crm closed the connection after the request was sent, a lookup found that it had no effect (404). Replay once crm works again (the key stays the same); or discard.",
    });
  });

  test("that cannot tell parks it for a person", () => {
    const unclear = live(asking, looked("unclear", { tries: 4, code: "http_202", status: 202 }));
    expect(only(unclear)).toMatchObject({
      state: "needs-attention",
      attention: {
        reason: "outcome-uncertain",
        since: at(200),
        advice:
          "crm closed the connection after the request was sent, the request may have taken effect; the lookup's answer, 202, does not tell, asked 4 times. Look at crm whether it took effect: if so mark-delivered, if not replay; or discard.",
      },
    });
  });

  test("that fails for good does the same", () => {
    const broken = live(asking, { fact: "lookup-broken", endpoint: "crm", atMs: NOON_MS + 300 });
    expect(only(broken)).toMatchObject({
      state: "needs-attention",
      attention: { reason: "outcome-uncertain" },
      lookups: [],
    });
  });

  test("says so where nothing was ever tried", () => {
    const untried = giveUpLookup({ ...only(start()), state: "reconciling" }, NOON_MS);
    expect(untried.attention?.advice).toMatch(/^crm was not called, nothing was sent\. Look/);
  });

  test.each(["discard", "mark-delivered"])("changes nothing once a person has said %s", (word) => {
    const ended = live(asking, told(word));
    expect(nextAction(only(ended))).toBe("nothing");
    expect(live(ended, looked("absent")).deliveries).toEqual(ended.deliveries);
    expect(live(ended, { fact: "lookup-broken", endpoint: "crm", atMs: NOON_MS }).deliveries).toEqual(ended.deliveries);
  });

  test("is made anew for each uncertain attempt", () => {
    const second = live(asking, looked("unclear"), told("replay"), begun(2), came(uncertain(2)));
    expect(nextAction(only(second))).toBe("reconcile");
    const found = live(second, looked("delivered", { attempt: 2 }));
    expect(only(found).lookups.map(({ attempt, found: what }) => [attempt, what])).toEqual([
      [1, "unclear"],
      [2, "delivered"],
    ]);
  });

  test("goes on while the delivery is held, and what it asks for waits for the release", () => {
    const held = live(asking, told("hold"));
    expect(nextAction(only(held))).toBe("reconcile");
    expect(project(held).deliveries[0]).toMatchObject({ state: "reconciling", hold: { actor: "ana" } });
    const absent = live(held, looked("absent"));
    expect(only(absent)).toMatchObject({ wait: null, hold: { wait: { delayMs: 1000 } } });
    expect(nextAction(only(absent))).toBe("await-release");
    expect(only(live(held, looked("delivered")))).toMatchObject({ state: "delivered" });
  });
});

describe("the configuration in force", () => {
  const changed = someSettings({ idempotencyKey: "cs1_crm", configVersion: "sha256:new" });

  test("is named by the attempt that first met it, and by no later one", () => {
    const first = live(start({}), begun(), came(anAttempt(), changed));
    const second = live(first, begun(2), came(anAttempt({ number: 2 })));
    expect(only(second).attempts.map(({ configVersion }) => configVersion)).toEqual(["sha256:new", undefined]);
    expect(only(second).settings.configVersion).toBe("sha256:new");
  });

  test("is not named where it is what the plan says", () => {
    const same = { ...changed, configVersion: "sha256:test", totalMs: 1 };
    expect(only(live(start({}), begun(), came(anAttempt(), same))).attempts[0]).not.toHaveProperty("configVersion");
  });

  test("decides what follows: a wait by the new policy", () => {
    const { retry } = someSettings();
    const patient = { ...changed, retry: { ...retry, scheduleMs: [60_000] } };
    expect(only(live(start({}), begun(), came(anAttempt(), patient))).wait?.delayMs).toBe(60_000);
  });
});
