import { expect, test } from "vitest";
import { aDelivery } from "../../test/support/an-event.ts";
import { DIGEST, aProposal, aVote, aWaitingDelivery } from "../../test/support/a-proposal.ts";
import type { DecisionAction } from "../delivery/approval.ts";
import type { DeliveryStatus, Proposal } from "../delivery/event-state.ts";
import { standingSentence } from "./standing-sentence.ts";

const UNTIL = "until 2026-11-30 10:00:00 UTC";
const nowMs = Date.parse("2026-11-29T11:00:00.000Z");
const rule = aProposal().policy;

const said = (action: DecisionAction, delivery: DeliveryStatus | null): string =>
  standingSentence({ action, digest: DIGEST, delivery, nowMs });

const approved = (actors: readonly string[], policy: Partial<Proposal["policy"]> = {}): Proposal =>
  aProposal({
    approvals: actors.map((actor) => ({ actor, at: "2026-11-29T10:01:00.000Z" })),
    policy: { ...rule, ...policy },
  });

test.each([
  ["approve", ["ana"], `Your approval counts: 1 of 2; it waits for one more of group:finance, ${UNTIL}.`],
  ["withdraw", [], `Your withdrawal counts: none of 2; it waits for 2 more of group:finance, ${UNTIL}.`],
] as const)("tells after %s by %j how many are missing, of whom and until when", (action, actors, sentence) => {
  expect(said(action, aWaitingDelivery({ proposal: approved(actors) }))).toBe(sentence);
});

test("names those who may decide since the escalation, and not before", () => {
  const escalating = (afterMs: number) => {
    const proposal = approved(["ana"], { escalate: { afterMs, to: ["group:leads"] } });
    return said("approve", aWaitingDelivery({ proposal }));
  };
  expect(escalating(3_600_000)).toContain("one more of group:finance, group:leads, until");
  expect(escalating(3_600_001)).toContain("one more of group:finance, until");
});

test.each([
  [2, ["ana", "ben"], "delivering", "2 of 2 have approved: it is being sent."],
  [1, ["ana"], "waiting-retry", "1 of 1 has approved: it is being sent."],
  [1, ["ana"], "delivered", "1 of 1 has approved: it is delivered."],
  [1, ["ana"], "needs-attention", "1 of 1 has approved: it needs attention now."],
  [1, ["ana"], "rejected", "Your approval counts, but it is rejected."],
  [1, ["ana"], "discarded", "Your approval counts, but it is discarded."],
] as const)("tells after an approval with a quorum of %i by %j that is %s", (quorum, actors, state, sentence) => {
  expect(said("approve", aWaitingDelivery({ state, proposal: approved(actors, { quorum }) }))).toBe(sentence);
});

test("tells a rejection that ends it from one that does not yet", () => {
  const rejections = [aVote("ben")];
  const ended = aProposal({ rejections });
  expect(said("reject", aWaitingDelivery({ state: "rejected", proposal: ended }))).toBe(
    "Your rejection counts: it is rejected.",
  );
  const proposal = { ...approved(["ana"], { rejections: 2 }), rejections };
  expect(said("reject", aWaitingDelivery({ proposal }))).toBe(
    `Your rejection counts: 1 of 2 rejections; it waits for one more of group:finance, ${UNTIL}.`,
  );
});

test("counts nobody against a quorum where several rules each have their own", () => {
  const proposal = { ...approved(["ana"], { rules: [rule, rule] }), rejections: [aVote("ben")] };
  const waiting = aWaitingDelivery({ proposal });
  const rest = `1 so far; it waits for the quorum of every rule, ${UNTIL}.`;
  expect([said("approve", waiting), said("reject", waiting)]).toEqual([
    `Your approval counts: ${rest}`,
    `Your rejection counts: ${rest}`,
  ]);
  expect(said("approve", { ...waiting, state: "delivering" })).toBe("Every rule has its quorum: it is being sent.");
});

test("says no more than that it counts where the proposal is not to be seen, or is another one now", () => {
  expect(said("approve", null)).toBe("Your approval counts.");
  expect(said("reject", aDelivery())).toBe("Your rejection counts.");
  const proposal = aProposal({ digest: `sha256:${"9".repeat(64)}`, revision: 3 });
  expect(said("withdraw", aWaitingDelivery({ proposal }))).toBe(
    "Your withdrawal counts; it is proposed anew, as revision 3.",
  );
});
