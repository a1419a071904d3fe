/** Between an approval and its request: what is queued, sent, recalled, or too late. */
import { describe, expect, test } from "vitest";
import {
  aDraft,
  approved,
  aRule,
  asked,
  begun,
  decide,
  digestOf,
  examined,
  EXPIRES_MS,
  type Later,
  live,
  only,
  ordered,
  passed,
  planned,
  reported,
  rightsFor,
  said,
} from "../../test/support/approvals.ts";
import { aDeliveredAttempt, anAttempt, at, NOON_MS } from "../../test/support/deliveries.ts";
import type { AttemptRecord } from "./attempt.ts";
import { nextAction, openApproval, wantsRecall } from "./next-action.ts";
import { type EventProgress, nextRevisionOf } from "./progress.ts";

const answered = (changes: Partial<AttemptRecord> = {}, afterMs = 3000): Later =>
  reported({ kind: "attempted", endpoint: "crm", record: anAttempt({ via: "direct", at: at(afterMs), ...changes }) });
const recalled: Later = { fact: "attempt-set-aside", endpoint: "crm", atMs: NOON_MS + EXPIRES_MS + 1 };
const notHere: Later = reported({ kind: "withheld", endpoint: "crm", reason: "unknown-endpoint" });
const queued = (progress: EventProgress): EventProgress => live(progress, begun());
const parkedOnExpiry = { terms: { onExpire: "park" } } as const;

describe("an attempt under an approval", () => {
  test("fixes it: the start of the first one is its execution, and it cannot lapse any more", () => {
    const retrying = live(queued(approved()), answered());
    expect(only(retrying)).toMatchObject({
      state: "waiting-retry",
      approval: { executedAt: at(3000), overdue: false },
    });
    expect(openApproval(only(retrying))).toBeNull();
    const late = live(retrying, passed(10 * EXPIRES_MS));
    expect(only(late)).toEqual(only(retrying));
    const second = live(late, begun({ number: 2 }), answered({ number: 2, outcome: "refused" }, 9000));
    expect(only(second)).toMatchObject({
      state: "needs-attention",
      approval: { executedAt: at(3000), standing: "approved" },
    });
  });

  test("that was lost counts as executed too", () => {
    const lost: Later = { fact: "attempt-lost", endpoint: "crm", atMs: NOON_MS + 4000 };
    expect(only(live(queued(approved()), lost)).approval?.executedAt).toBe(at(2000));
  });

  test.each<[string, Later]>([
    ["is sent to the lane", reported({ kind: "to-lane", endpoint: "crm" })],
    ["is set aside", reported({ kind: "set-aside", endpoint: "crm" })],
    ["was taken back", recalled],
  ])("that %s has executed nothing: the approval may still lapse or be withdrawn", (_, fact) => {
    const after = live(
      queued(approved()),
      fact.fact === "attempt-set-aside" ? { ...fact, atMs: NOON_MS + 3000 } : fact,
    );
    expect(only(after)).toMatchObject({ state: "delivering", approval: { standing: "approved", executedAt: null } });
    expect(nextAction(only(after))).toBe("attempt");
    expect(only(decide(after, "withdraw")).state).toBe("awaiting-approval");
    expect(only(live(after, passed(EXPIRES_MS))).state).toBe("expired");
  });

  test("is delivered, and says when it was sent", () => {
    const done = live(
      queued(approved()),
      reported({ kind: "attempted", endpoint: "crm", record: aDeliveredAttempt() }),
    );
    expect(only(done)).toMatchObject({ state: "delivered", approval: { executedAt: at(0) } });
    expect(decide(done, "approve", { actor: "bo" }).verdicts[1]?.refusedBecause).toBe("executed");
  });

  test("that failed is the operators' matter, not the approvers'", () => {
    const parked = live(queued(approved()), answered({ outcome: "refused", status: 400, code: "http_400" }));
    expect(only(parked)).toMatchObject({ state: "needs-attention", attention: { reason: "refused" } });
    const replayed = only(live(parked, ordered("replay")));
    expect(replayed).toMatchObject({ state: "delivering", approval: { standing: "approved" } });
    expect(nextAction(replayed)).toBe("attempt");
  });

  test("for which a worker finds other content asks again under the next revision, and old votes do not count", () => {
    const anew = live(
      queued(approved()),
      reported({ kind: "unapproved", endpoint: "crm", draft: aDraft({ revision: 2 }) }),
    );
    expect(only(anew)).toMatchObject({
      state: "awaiting-approval",
      inFlight: null,
      revision: 2,
      approval: { standing: "asking", approvals: [], executedAt: null, createdAtMs: NOON_MS + 3000 },
    });
    expect(decide(anew, "approve", { actor: "bo", afterMs: 4000 }).verdicts[1]?.refusedBecause).toBe("stale-revision");
    expect(only(decide(anew, "approve", { digest: digestOf(2), afterMs: 4000 })).state).toBe("delivering");
  });

  test("for which a worker finds other content asks again also after an earlier request, without a retry beside it", () => {
    const retrying = live(queued(approved()), answered(), { fact: "wait-over", endpoint: "crm", atMs: NOON_MS + 5000 });
    const draft = aDraft({ revision: 2 });
    const anew = live(retrying, begun({ number: 2 }), reported({ kind: "unapproved", endpoint: "crm", draft }, 6000));
    expect(only(anew)).toMatchObject({ state: "awaiting-approval", wait: null, attempts: [{ number: 1 }] });
    expect(only(anew).approval?.executedAt).toBeNull();
  });

  test("that a worker cannot make keeps its approval for the replay", () => {
    const parked = live(queued(approved()), notHere);
    expect(openApproval(only(parked))).toBeNull();
    const replayed = only(live(parked, ordered("replay")));
    expect(replayed).toMatchObject({ state: "delivering", approval: { standing: "approved" } });
    expect(nextAction(replayed)).toBe("attempt");
  });
});

describe("an approval that expires", () => {
  test.each([
    ["while nobody has decided", asked()],
    ["while one of two has approved", decide(asked({ terms: { rules: [aRule({ quorum: 2 })] } }), "approve")],
    ["although everybody has approved, because nothing was sent", approved()],
  ])("%s ends the delivery as expired, which is nobody's word", (_, progress) => {
    expect(only(live(progress, passed(EXPIRES_MS - 1)))).toEqual(only(progress));
    const expired = only(live(progress, passed(EXPIRES_MS)));
    expect(expired).toMatchObject({ state: "expired", attention: null, approval: { standing: "expired" } });
    expect(expired.decisions).toEqual(only(progress).decisions);
    expect(nextAction(expired)).toBe("nothing");
  });

  test("parks instead where the route says so, and a replay asks anew under the next revision", () => {
    const parked = live(asked(parkedOnExpiry), passed(EXPIRES_MS));
    expect(only(parked)).toMatchObject({
      state: "needs-attention",
      attention: { reason: "approval-expired", since: at(EXPIRES_MS) },
    });
    expect(only(parked).attention?.advice).toContain("nothing was sent to crm");
    const replayed = live(parked, ordered("replay", {}, EXPIRES_MS + 1000));
    expect(only(replayed)).toMatchObject({ state: "accepted", approval: null });
    expect(nextAction(only(replayed))).toBe("plan");
    expect(nextRevisionOf(only(replayed))).toBe(2);
    const anew = live(replayed, planned(aDraft({ revision: 2 }), { afterMs: EXPIRES_MS + 1000 }));
    expect(decide(anew, "approve", { afterMs: EXPIRES_MS + 2000 }).verdicts[1]?.refusedBecause).toBe("stale-revision");
    const word = { digest: digestOf(2), afterMs: EXPIRES_MS + 2000 };
    expect(only(decide(anew, "approve", word)).state).toBe("delivering");
  });

  test("parks in any case where something was sent under an earlier one: a person must look", () => {
    const again = reported({ kind: "unapproved", endpoint: "crm", draft: aDraft({ revision: 2 }) }, 6000);
    const anew = live(queued(approved()), answered(), begun({ number: 2 }), again);
    const parked = only(live(anew, passed(6000 + EXPIRES_MS)));
    expect(parked).toMatchObject({ state: "needs-attention", attention: { reason: "approval-expired" } });
    expect(parked.attention?.advice).toContain("crm answered 503");
  });

  test("is told by whatever happens next, also without its timer", () => {
    expect(only(live(asked(), ordered("replay", {}, EXPIRES_MS))).state).toBe("expired");
    const word = said("approve", { afterMs: EXPIRES_MS });
    expect(live(asked(), word).verdicts[0]).toMatchObject({ counted: false, refusedBecause: "expired" });
    expect(live(asked(), said("approve", { afterMs: EXPIRES_MS - 1 })).verdicts).toEqual({});
  });

  test("answers a decision that came in time and was not judged in time", () => {
    const late = live(
      asked(),
      said("approve", { afterMs: EXPIRES_MS - 1 }),
      examined([rightsFor(0)], { afterMs: EXPIRES_MS }),
    );
    expect(late.verdicts[0]).toEqual({ counted: false, refusedBecause: "expired", at: at(EXPIRES_MS - 1) });
    expect(only(late).state).toBe("expired");
  });

  test("does not expire twice, nor after it was decided", () => {
    const expired = live(asked(), passed(EXPIRES_MS));
    expect(live(expired, passed(2 * EXPIRES_MS))).toEqual(expired);
    const rejected = decide(asked(), "reject");
    expect(live(rejected, passed(EXPIRES_MS))).toEqual(rejected);
  });

  test("while parked for another reason leaves the reason, and a replay asks anew", () => {
    const parked = live(queued(approved()), notHere, passed(EXPIRES_MS));
    expect(only(parked)).toMatchObject({
      state: "needs-attention",
      attention: { reason: "misconfigured" },
      approval: { standing: "expired" },
    });
    expect(nextAction(only(live(parked, ordered("replay", {}, EXPIRES_MS))))).toBe("plan");
    const both = live(queued(approved()), notHere, ordered("replay", {}, EXPIRES_MS));
    expect(only(both)).toMatchObject({ state: "accepted", approval: null });
  });
});

describe("an approval that expires while an attempt is queued", () => {
  const overdue = live(queued(approved()), passed(EXPIRES_MS));

  test("calls it back, and expires once it has come back", () => {
    expect(wantsRecall(only(queued(approved())))).toBe(false);
    expect(only(overdue)).toMatchObject({ state: "delivering", approval: { standing: "approved", overdue: true } });
    expect(wantsRecall(only(overdue))).toBe(true);
    const back = live(overdue, recalled);
    expect(only(back)).toMatchObject({ state: "expired", attempts: [], inFlight: null, approval: { overdue: false } });
    const parked = live(queued(approved(parkedOnExpiry)), passed(EXPIRES_MS), recalled);
    expect(only(parked)).toMatchObject({ state: "needs-attention", attention: { reason: "approval-expired" } });
  });

  test("lets a request that is on its way go first: it was begun in time", () => {
    const sent = live(overdue, answered({}, EXPIRES_MS - 10));
    expect(only(sent)).toMatchObject({
      state: "waiting-retry",
      approval: { standing: "approved", overdue: false, executedAt: at(EXPIRES_MS - 10) },
    });
    const done = reported({ kind: "attempted", endpoint: "crm", record: aDeliveredAttempt() }, EXPIRES_MS + 5);
    expect(only(live(overdue, done)).state).toBe("delivered");
  });

  test("hears a person's word that waits before it expires", () => {
    const told = live(overdue, ordered("discard", {}, EXPIRES_MS + 1), recalled);
    expect(only(told)).toMatchObject({ state: "discarded", resolutions: [{ action: "discard", counted: true }] });
  });

  test("refuses decisions meanwhile as they stand: approved, not yet expired", () => {
    const word = said("reject", { actor: "bo", afterMs: EXPIRES_MS + 1 });
    expect(live(overdue, word).verdicts[1]?.refusedBecause).toBe("already-decided");
  });

  test("keeps its reason where the worker could not have sent it anyway", () => {
    expect(only(live(overdue, { ...notHere, atMs: NOON_MS + EXPIRES_MS + 2 }))).toMatchObject({
      state: "needs-attention",
      attention: { reason: "misconfigured" },
      approval: { standing: "expired" },
    });
  });

  test("is not the same as a worker that says so first: too late ends or parks at once", () => {
    const tooLate = reported({ kind: "too-late", endpoint: "crm" }, EXPIRES_MS - 5);
    expect(only(live(queued(approved()), tooLate))).toMatchObject({
      state: "expired",
      inFlight: null,
      approval: { standing: "expired" },
    });
    expect(only(live(queued(approved(parkedOnExpiry)), tooLate))).toMatchObject({
      state: "needs-attention",
      attention: { reason: "approval-expired" },
    });
    const discarding = live(queued(approved()), ordered("discard"), tooLate);
    expect(discarding.verdicts[1]).toMatchObject({ counted: false, refusedBecause: "already-ended" });
  });

  test("cannot be too late without an approval: then somebody must look", () => {
    const free = live(asked(), ordered("discard"));
    const bare = { ...free, deliveries: [{ ...only(free), state: "delivering" as const, approval: null }] };
    const parked = live(bare, begun(), reported({ kind: "too-late", endpoint: "crm" }));
    expect(only(parked)).toMatchObject({ state: "needs-attention", approval: null });
  });
});

describe("a withdrawal while an attempt is queued", () => {
  const heard = live(queued(approved()), said("withdraw", { afterMs: 2500 }));

  test("calls it back and counts, since nothing was sent", () => {
    expect(only(heard)).toMatchObject({
      state: "delivering",
      inFlight: { number: 1 },
      ballots: [{ action: "withdraw" }],
    });
    expect(heard.verdicts[1]).toBeUndefined();
    expect(wantsRecall(only(heard))).toBe(true);
    const back = live(heard, { ...recalled, atMs: NOON_MS + 2600 });
    expect(nextAction(only(back))).toBe("examine");
    const judged = live(back, examined([rightsFor(1)], { afterMs: 2700 }));
    expect(judged.verdicts[1]).toEqual({ counted: true, refusedBecause: null, at: at(2500) });
    expect(only(judged)).toMatchObject({ state: "awaiting-approval", approval: { approvals: [] } });
  });

  test("comes too late where the request was on its way", () => {
    const sent = live(heard, answered());
    expect(sent.verdicts[1]).toEqual({ counted: false, refusedBecause: "executed", at: at(2500) });
    expect(only(sent)).toMatchObject({ state: "waiting-retry", ballots: [] });
  });

  test("has nothing to take back where the attempt found other content", () => {
    const anew = live(heard, reported({ kind: "unapproved", endpoint: "crm", draft: aDraft({ revision: 2 }) }));
    expect(anew.verdicts[1]).toMatchObject({ counted: false, refusedBecause: "stale-revision" });
  });
});
