import { expect, test } from "vitest";
import { aDelivery } from "../../test/support/an-event.ts";
import { aProposal, aVote, aWaitingDelivery } from "../../test/support/a-proposal.ts";
import type { DeliveryStatus, Verdict } from "../delivery/event-state.ts";
import { refusalFacts } from "./refusal-facts.ts";

const ANA = "ana@example.com";
const AT = "2026-11-29 10:01:00 UTC";

const facts = (because: Verdict["refusedBecause"], changes: Partial<DeliveryStatus> = {}, actor = ANA) =>
  refusalFacts({ because, actor, delivery: aWaitingDelivery(changes) });

test("tells who asked, or who edited it last", () => {
  expect(facts("own-request", {}, "BO@example.com")).toBe("bo@example.com asked for it.");
  const edited = { proposal: aProposal({ editedBy: ANA }) };
  expect(facts("own-request", edited)).toBe(`${ANA} edited it last.`);
  expect(facts("own-request", edited, "bo@example.com")).toBe("bo@example.com asked for it.");
  expect(facts("own-request", { proposal: aProposal({ requestedBy: null }) })).toBeNull();
});

test("tells when that person decided before, as far as it stands", () => {
  const [vote, other] = [aVote(ANA), aVote("ben")];
  const rest = "who has changed their mind withdraws first.";
  const rejected = aProposal({ approvals: [other], rejections: [vote] });
  expect(facts("second-vote", { proposal: rejected })).toBe(`It was rejected by ${ANA}, ${AT}; ${rest}`);
  const approved = aProposal({ approvals: [vote], rejections: [other] });
  expect(facts("second-vote", { proposal: approved })).toBe(`It was approved by ${ANA}, ${AT}; ${rest}`);
  expect(facts("second-vote", { proposal: aProposal({ approvals: [other], rejections: [other] }) })).toBeNull();
});

test("tells who decided it, and the other way they could not", () => {
  const proposal = aProposal({ approvals: [aVote(ANA), aVote("cem")], rejections: [aVote("ben\u001b")] });
  expect(facts("already-decided", { state: "rejected", proposal })).toBe(`It was rejected by ben?, ${AT}.`);
  expect(facts("already-decided", { state: "delivering", proposal })).toBe(
    `It was approved by ${ANA}, ${AT}; cem, ${AT}.`,
  );
  expect(facts("already-decided", { state: "discarded" })).toBeNull();
});

test("tells when it was sent", () => {
  const proposal = aProposal({ executedAt: "2026-11-29T10:02:00.000Z" });
  expect(facts("executed", { proposal })).toBe("The first attempt began 2026-11-29 10:02:00 UTC.");
  expect(facts("executed")).toBeNull();
});

test("knows nothing beside other refusals, and nothing of what is not proposed", () => {
  expect(facts("expired", { proposal: aProposal({ approvals: [aVote(ANA)] }) })).toBeNull();
  expect(refusalFacts({ because: "executed", actor: ANA, delivery: aDelivery() })).toBeNull();
  expect(refusalFacts({ because: "executed", actor: ANA, delivery: null })).toBeNull();
});
