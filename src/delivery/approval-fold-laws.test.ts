/** Laws of approval over everything that a simulated run lives through. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { simulateRun } from "../../test/support/simulated-run.ts";
import type { ApprovalProgress } from "./approval.ts";
import { samePerson } from "./ballots.ts";
import { isTerminal } from "./event-state.ts";
import { type Delivery, type EventProgress, proposalsOf } from "./progress.ts";

const tapes = fc.array(fc.nat({ max: 5039 }), { minLength: 400, maxLength: 600 });

/** Looks at every state of many runs, each beside the one before it. */
function forEveryStep(look: (before: EventProgress, after: EventProgress) => void): void {
  fc.assert(
    fc.property(tapes, (tape) => {
      const { trace } = simulateRun(tape);
      for (const [index, after] of trace.entries()) look(trace[index - 1] ?? after, after);
    }),
    // Such a tape is long to shrink: a failure is told within the time of the test.
    { numRuns: 250, interruptAfterTimeLimit: 15_000 },
  );
}

function forEveryDelivery(look: (before: Delivery, after: Delivery) => void): void {
  forEveryStep((before, after) => {
    for (const [index, delivery] of after.deliveries.entries()) look(before.deliveries[index] ?? delivery, delivery);
  });
}

const votesOf = ({ approvals, rejections }: ApprovalProgress) => [...approvals, ...rejections];

/** How many people voted under a rule, counted by hand. */
function people(votes: ApprovalProgress["approvals"], position: number): number {
  return new Set(votes.flatMap(({ actor, rules }) => (rules.includes(position) ? [actor] : []))).size;
}

describe("whatever happens to an event", () => {
  test("a verdict stays as it was given, and the end leaves no message without one", () => {
    forEveryStep((before, after) => {
      const sequences = Array.from({ length: after.messages }, (_, sequence) => sequence);
      const hasEnded = after.deliveries.every(({ state }) => isTerminal(state));
      for (const sequence of sequences) {
        const given = before.verdicts[sequence];
        if (given !== undefined) expect(after.verdicts[sequence]).toEqual(given);
        if (hasEnded) expect(after.verdicts[sequence]).toBeDefined();
      }
    });
  });

  test("what has ended stays as it is, save for words on record that do not count", () => {
    forEveryDelivery((before, after) => {
      if (!isTerminal(before.state)) return;
      const { decisions: _decisions, resolutions: _resolutions, ...rest } = after;
      expect(before).toMatchObject(rest);
      expect(after.decisions.every((decision) => !decision.counted || before.decisions.includes(decision))).toBe(true);
    });
  });

  test("nobody has two votes on one proposal, and no vote counts for another", () => {
    forEveryDelivery((_, { approval }) => {
      if (approval === null) return;
      const votes = votesOf(approval);
      expect(new Set(votes.map(({ actor }) => actor)).size).toBe(votes.length);
      expect(votes.every(({ digest, rules }) => digest === approval.draft.digest && rules.length > 0)).toBe(true);
    });
  });

  test("neither the requester nor the last editor has a vote under four eyes", () => {
    forEveryDelivery((_, { approval, amendment }) => {
      const involved = [approval?.draft.requestedBy, amendment?.actor].filter((name) => typeof name === "string");
      for (const { actor, rules } of approval === null ? [] : votesOf(approval)) {
        const isInvolved = involved.some((name) => samePerson(name, actor));
        const strict = rules.filter((position) => approval?.draft.terms.rules[position]?.fourEyes === true);
        expect(isInvolved ? strict : []).toEqual([]);
      }
    });
  });

  test("a proposal is approved when every rule has its quorum, rejected when one has its rejections", () => {
    forEveryDelivery((_, { approval, state }) => {
      if (approval === null || approval.standing === "expired") return;
      const { rules } = approval.draft.terms;
      const isRejected = rules.some(({ rejections }, position) => people(approval.rejections, position) >= rejections);
      const isApproved = rules.every(({ quorum }, position) => people(approval.approvals, position) >= quorum);
      expect(approval.standing).toBe(isRejected ? "rejected" : isApproved ? "approved" : "asking");
      expect(state === "rejected").toBe(isRejected);
    });
  });

  test("no attempt begins while people are asked, nor once the approval has expired unused", () => {
    forEveryDelivery(({ inFlight: earlier }, { inFlight, approval, settings }) => {
      if (inFlight === null || inFlight === earlier) return;
      if (approval === null) return expect(settings.approval).toBeUndefined();
      expect(approval.standing).toBe("approved");
      expect(approval.executedAt !== null || inFlight.sinceMs < approval.expiresAtMs).toBe(true);
    });
  });

  test("an approval that was used stays until another proposal takes its place", () => {
    forEveryDelivery(({ approval: before }, { approval: after }) => {
      if (before === null || before.executedAt === null) return;
      if (after?.draft === before.draft) expect(after).toEqual(before);
      else expect(after?.executedAt ?? null).toBeNull();
    });
  });

  test("proposals are numbered upwards, and what is replaced stays on record", () => {
    forEveryDelivery((before, after) => {
      const revisions = proposalsOf(after).map((proposal) => proposal.revision);
      expect(revisions).toEqual([...new Set(revisions)].toSorted((left, right) => left - right));
      expect(after.revision).toBeGreaterThanOrEqual(before.revision);
      const [known, now] = [before, after].map((delivery) => proposalsOf(delivery).map(({ digest }) => digest));
      expect(now?.slice(0, known?.length)).toEqual(known);
    });
  });

  test("a decision counts only on the proposal in force, and stays on record", () => {
    forEveryDelivery((before, after) => {
      const times = after.decisions.map(({ at }) => at);
      expect(times).toEqual(times.toSorted());
      expect(before.decisions.every((decision) => after.decisions.includes(decision))).toBe(true);
      for (const decision of after.decisions) {
        const isNew = !before.decisions.includes(decision);
        const digests = [before, after].map(({ approval }) => approval?.draft.digest);
        if (isNew && decision.counted) expect(digests).toContain(decision.digest);
      }
    });
  });
});
