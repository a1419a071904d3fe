import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aPlan, anAttempt, at, NOON_MS } from "../../test/support/deliveries.ts";
import type { DeliveryStateName, ResolutionAction } from "./event-state.ts";
import { type Delivery, freshDelivery } from "./progress.ts";
import { applyInstruction, type Instruction, judge, readInstruction, resolutionOf, targetOf } from "./resolve.ts";

const word = { actor: "ana@example.com", reason: "the endpoint is up again" };

function instruction(action: ResolutionAction, changes: Partial<Instruction> = {}): Instruction {
  return { sequence: 0, action, ...word, atMs: NOON_MS, endpoint: null, malformed: false, ...changes };
}

function delivery(state: DeliveryStateName, changes: Partial<Delivery> = {}): Delivery {
  const [plan] = aPlan(["crm"]).deliveries;
  if (plan === undefined) throw new TypeError("The plan has one delivery");
  return { ...freshDelivery(plan), state, ...changes };
}

const hold = { sinceMs: NOON_MS, ...word, wait: null };
const inFlight = { number: 1, via: "local", sinceMs: NOON_MS } as const;
const parked = delivery("needs-attention", { attention: { reason: "refused", since: at(0), advice: "…" } });
const waiting = delivery("waiting-retry", {
  attempts: [anAttempt()],
  wait: { untilMs: NOON_MS, delayMs: 1000, why: "retry", endsAtMs: NOON_MS, notBeforeMs: null },
});

describe("readInstruction", () => {
  test.each(["replay", "discard", "mark-delivered", "amend", "hurry", "hold", "release"] as const)(
    "takes %s alike as a signal and as an update",
    (action) => {
      const content = action === "amend" ? { content: null } : {};
      const expected = instruction(action, { sequence: 3, endpoint: "crm", ...content });
      expect(readInstruction({ name: action, argument: { ...word, delivery: "crm" } }, 3, NOON_MS)).toEqual(expected);
      const argument = { ...word, action, delivery: "crm" };
      expect(readInstruction({ name: "resolve", argument }, 3, NOON_MS)).toEqual(expected);
    },
  );

  test.each([
    ["an unknown signal", { name: "frobnicate", argument: word }],
    ["a decision", { name: "approve", argument: word }],
    ["an update without action", { name: "resolve", argument: word }],
    ["an update with an unknown action", { name: "resolve", argument: { ...word, action: "resolve" } }],
    ["an update without argument", { name: "resolve", argument: undefined }],
    ["a name that every object has", { name: "constructor", argument: word }],
  ])("does not take %s for an instruction", (_, message) => {
    expect(readInstruction(message, 0, NOON_MS)).toBeNull();
  });

  test.each([
    ["no argument", undefined],
    ["null", null],
    ["a text", "ana"],
    ["no actor", { reason: "r" }],
    ["no reason", { actor: "a" }],
    ["an empty actor", { actor: "  ", reason: "r" }],
    ["an empty reason", { actor: "a", reason: "\n" }],
    ["an actor that is no text", { actor: { name: "ana" }, reason: "r" }],
    ["what a later version may mean", { v: 2, actor: "a", reason: "r" }],
  ])("calls %s malformed", (_, argument) => {
    expect(readInstruction({ name: "replay", argument }, 0, NOON_MS)?.malformed).toBe(true);
  });

  test("keeps actor and reason short, so that messages cannot grow the state without bound", () => {
    const argument = { actor: "a".repeat(5000), reason: "r".repeat(5000), delivery: 7 };
    const read = readInstruction({ name: "replay", argument }, 0, NOON_MS);
    expect(read).toMatchObject({ actor: "a".repeat(200), reason: "r".repeat(2000), endpoint: null, malformed: false });
  });

  test("never throws, whatever the argument is", () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withBigInt: true }), (argument) => {
        expect(readInstruction({ name: "discard", argument }, 0, NOON_MS)?.action).toBe("discard");
      }),
    );
  });
});

describe("targetOf", () => {
  const [crm, ledger] = [parked, { ...parked, endpoint: "ledger" }];

  test("finds the delivery that is named", () => {
    expect(targetOf(instruction("replay", { endpoint: "ledger" }), [crm, ledger])).toEqual({ index: 1 });
    expect(targetOf(instruction("replay", { endpoint: "mail" }), [crm])).toEqual({ refused: "unknown-delivery" });
    expect(targetOf(instruction("replay", { endpoint: "__proto__" }), [crm])).toEqual({ refused: "unknown-delivery" });
  });

  test("needs no name for the only delivery", () => {
    expect(targetOf(instruction("replay"), [delivery("delivered")])).toEqual({ index: 0 });
  });

  test("needs no name when one alone is concerned", () => {
    expect(targetOf(instruction("replay"), [delivery("delivered"), parked])).toEqual({ index: 1 });
    expect(targetOf(instruction("mark-delivered"), [waiting, parked])).toEqual({ index: 1 });
    expect(targetOf(instruction("discard"), [delivery("delivered"), waiting])).toEqual({ index: 1 });
  });

  test("finds what an amendment can be about: what is parked, or waits for approval", () => {
    const asking = delivery("awaiting-approval", { endpoint: "ledger" });
    expect(targetOf(instruction("amend"), [waiting, asking])).toEqual({ index: 1 });
    expect(targetOf(instruction("amend"), [waiting, parked])).toEqual({ index: 1 });
    expect(targetOf(instruction("replay"), [delivery("delivered"), asking])).toEqual({ index: 0 });
    expect(targetOf(instruction("amend"), [parked, asking])).toEqual({ refused: "several-deliveries" });
  });

  test("asks for a name when several are concerned", () => {
    expect(targetOf(instruction("replay"), [parked, ledger])).toEqual({ refused: "several-deliveries" });
    expect(targetOf(instruction("discard"), [parked, waiting])).toEqual({ refused: "several-deliveries" });
  });

  test("answers by the first delivery when none is concerned", () => {
    const ended = [delivery("delivered"), delivery("discarded")];
    expect(targetOf(instruction("discard"), ended)).toEqual({ index: 0 });
  });
});

describe("judge", () => {
  const counts = { verdict: "counts" };
  const wait = { verdict: "wait" };
  const refused = (because: string): object => ({ verdict: "refused", because });
  const flying = delivery("delivering", { inFlight });

  test.each<[ResolutionAction, string, Delivery, object]>([
    ["replay", "a parked delivery", parked, counts],
    ["replay", "a delivery nobody tried yet", delivery("accepted"), refused("not-parked")],
    ["replay", "a delivery that waits anyway", waiting, refused("not-parked")],
    ["replay", "an attempt in flight", flying, refused("attempt-in-flight")],
    ["replay", "a parked delivery that somebody holds", { ...parked, hold }, refused("held")],
    ["replay", "a delivery that was delivered", delivery("delivered"), refused("already-ended")],
    ["mark-delivered", "a parked delivery", parked, counts],
    ["mark-delivered", "a delivery in a retry wait", waiting, counts],
    [
      "mark-delivered",
      "a delivery whose wait is just over",
      delivery("delivering", { attempts: [anAttempt()] }),
      counts,
    ],
    ["mark-delivered", "an attempt in flight", flying, wait],
    ["mark-delivered", "a delivery nobody tried yet", delivery("accepted"), refused("not-parked")],
    ["mark-delivered", "a delivery that was discarded", delivery("discarded"), refused("already-ended")],
    ["discard", "a parked delivery", parked, counts],
    ["discard", "a delivery in a retry wait", waiting, counts],
    ["discard", "a delivery nobody tried yet", delivery("accepted"), counts],
    ["discard", "an attempt in flight", flying, wait],
    ["discard", "a delivery that has expired", delivery("expired"), refused("already-ended")],
    ["amend", "a delivery in a retry wait", waiting, refused("not-parked")],
    ["amend", "a delivery nobody tried yet", delivery("accepted"), refused("not-parked")],
    ["amend", "a delivery that was delivered", delivery("delivered"), refused("already-ended")],
    ["amend", "an attempt in flight", flying, refused("attempt-in-flight")],
    ["amend", "a delivery that was amended all too often", { ...parked, revision: 200 }, refused("bad-amendment")],
    ["hurry", "a delivery in a retry wait", waiting, counts],
    ["hold", "a delivery in a retry wait", waiting, counts],
    ["release", "a delivery in a retry wait", waiting, refused("not-held")],
    ["release", "a delivery that was rejected", delivery("rejected"), refused("already-ended")],
  ])("answers %s of %s", (action, _, concerned, judgement) => {
    expect(judge(instruction(action), concerned)).toEqual(judgement);
  });

  test.each<[string, Delivery, object]>([
    ["a parked delivery", parked, counts],
    ["a delivery that waits for approval", delivery("awaiting-approval"), counts],
    ["a delivery the endpoint refused", { ...parked, attempts: [anAttempt({ outcome: "refused" })] }, counts],
    ["a delivery nothing was sent of", { ...parked, attempts: [anAttempt({ certainty: "not-sent" })] }, counts],
    ["a delivery that was answered", { ...parked, attempts: [anAttempt()] }, refused("executed")],
    [
      "a delivery whose fate is unknown",
      { ...parked, attempts: [anAttempt({ outcome: "uncertain", certainty: "unknown" })] },
      refused("executed"),
    ],
    [
      "a delivery of which one attempt may have had an effect",
      { ...parked, attempts: [anAttempt(), anAttempt({ number: 2, outcome: "refused" })] },
      refused("executed"),
    ],
  ])("answers an amendment of %s", (_, concerned, judgement) => {
    expect(judge(instruction("amend", { content: { data: 1 } }), concerned)).toEqual(judgement);
  });

  test("refuses an amendment that asks for nothing that can be done", () => {
    expect(judge(instruction("amend", { content: null }), parked)).toEqual(refused("bad-amendment"));
    expect(judge(instruction("amend"), parked)).toEqual(refused("bad-amendment"));
  });

  test("refuses what is malformed before it looks at the delivery", () => {
    expect(judge(instruction("discard", { malformed: true }), flying)).toEqual(refused("malformed"));
  });
});

describe("applyInstruction", () => {
  const attempts = [anAttempt(), anAttempt({ number: 2 })];

  test("gives a replayed delivery a fresh budget under the same key", () => {
    const after = applyInstruction(instruction("replay"), { ...parked, attempts, spentAttempts: 1, heldMs: 5 });
    expect(after).toEqual({ ...parked, attempts, state: "delivering", attention: null, spentAttempts: 2, heldMs: 0 });
    expect(after.settings.idempotencyKey).toBe(parked.settings.idempotencyKey);
  });

  test("ends a delivery by a person's word", () => {
    const ended = { wait: null, attention: null, hold: null };
    expect(applyInstruction(instruction("discard"), waiting)).toEqual({ ...waiting, ...ended, state: "discarded" });
    expect(applyInstruction(instruction("discard"), { ...waiting, hold })).toMatchObject({ hold: null });
    expect(applyInstruction(instruction("mark-delivered"), parked)).toEqual({
      ...parked,
      ...ended,
      state: "delivered",
    });
  });

  test("steers by hurry, hold and release", () => {
    expect(applyInstruction(instruction("hurry"), waiting)).toMatchObject({ state: "delivering", wait: null });
    const held = applyInstruction(instruction("hold"), waiting);
    expect(held).toMatchObject({ wait: null, hold: { sinceMs: NOON_MS, ...word, wait: waiting.wait } });
    expect(applyInstruction(instruction("release"), held)).toMatchObject({ hold: null });
  });

  test("amends by what the message brings, and by nothing else", () => {
    const amended = applyInstruction(instruction("amend", { content: { data: 1 } }), parked);
    expect(amended).toMatchObject({ state: "accepted", attention: null, revision: 2, amendment: { data: 1 } });
    expect(applyInstruction(instruction("amend"), parked)).toBe(parked);
  });
});

describe("resolutionOf", () => {
  test("keeps who, when, why, and whether it counted", () => {
    const kept = { action: "replay", ...word, at: at(0) };
    expect(resolutionOf(instruction("replay"), null)).toEqual({ ...kept, counted: true, refusedBecause: null });
    expect(resolutionOf(instruction("replay"), "not-parked")).toEqual({
      ...kept,
      counted: false,
      refusedBecause: "not-parked",
    });
  });
});
