import { describe, expect, test } from "vitest";
import {
  aDraft,
  approved,
  asked,
  begun,
  decide,
  EXPIRES_MS,
  live,
  only,
  ordered,
  passed,
  planned,
  reported,
  said,
  unasked,
} from "../../test/support/approvals.ts";
import { aDeliveredAttempt, anAttempt } from "../../test/support/deliveries.ts";
import { type NextAction, nextAction, openApproval, wantsRecall } from "./next-action.ts";
import type { EventProgress } from "./progress.ts";

const attempted = (record = anAttempt()) => reported({ kind: "attempted", endpoint: "crm", record });
const retrying = live(approved(), begun(), attempted());
const parked = live(approved(), begun(), attempted(anAttempt({ outcome: "refused" })));

describe("nextAction", () => {
  test.each<[string, EventProgress, NextAction]>([
    ["plans what must be approved first", unasked(), "plan"],
    ["plans before it hears what was said too early", live(unasked(), said("approve")), "plan"],
    ["waits for a decision", asked(), "await-decision"],
    ["asks who decided", live(asked(), said("approve")), "examine"],
    ["asks who withdraws before it sends", live(approved(), said("withdraw")), "examine"],
    ["sends what is approved", approved(), "attempt"],
    ["sends where no approval is due", live(unasked(), planned(null)), "attempt"],
    ["waits for a retry", retrying, "wait"],
    ["waits for a person where the delivery is parked", parked, "await-person"],
    [
      "waits for a person where the approval has lapsed",
      live(asked({ terms: { onExpire: "park" } }), passed(EXPIRES_MS)),
      "await-person",
    ],
    ["plans what was amended", live(asked(), ordered("amend", { data: 1 })), "plan"],
    ["has nothing to do once it is rejected", decide(asked(), "reject"), "nothing"],
    ["has nothing to do once it has expired", live(asked(), passed(EXPIRES_MS)), "nothing"],
    ["has nothing to do once it is discarded unasked", live(unasked(), ordered("discard")), "nothing"],
    ["has nothing to do once it is delivered", live(approved(), begun(), attempted(aDeliveredAttempt())), "nothing"],
  ])("%s", (_, progress, action) => {
    expect(nextAction(only(progress))).toBe(action);
  });
});

describe("wantsRecall", () => {
  const queued = live(approved(), begun());

  test.each<[string, EventProgress, boolean]>([
    ["leaves queued work alone", queued, false],
    ["takes it back for a person's word", live(queued, ordered("discard")), true],
    ["takes it back for a decision", live(queued, said("withdraw")), true],
    ["takes it back when its approval ends", live(queued, passed(EXPIRES_MS)), true],
    ["leaves it alone for a word that is refused at once", live(queued, ordered("replay"), said("approve")), false],
  ])("%s", (_, progress, expected) => {
    expect(wantsRecall(only(progress))).toBe(expected);
  });
});

describe("openApproval", () => {
  const withheld = live(approved(), begun(), reported({ kind: "withheld", endpoint: "crm", reason: "not-routed" }));

  test.each<[string, EventProgress, boolean]>([
    ["is none before anything is proposed", unasked(), false],
    ["is what is asked", asked(), true],
    ["is what is approved and not sent", approved(), true],
    ["is what is queued", live(approved(), begun()), true],
    ["is none once it was sent", retrying, false],
    ["is none once it is rejected", decide(asked(), "reject"), false],
    ["is none once it has expired", live(asked(), passed(EXPIRES_MS)), false],
    ["is none while the delivery is parked", withheld, false],
    ["is there again after the replay", live(withheld, ordered("replay")), true],
    [
      "is the new one where people are asked again",
      live(approved(), begun(), reported({ kind: "unapproved", endpoint: "crm", draft: aDraft({ revision: 2 }) })),
      true,
    ],
  ])("%s", (_, progress, isOpen) => {
    const { approval } = only(progress);
    expect(openApproval(only(progress))).toBe(isOpen ? approval : null);
  });
});
