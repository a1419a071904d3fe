import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  aDraft,
  approved,
  aRule,
  asked,
  begun,
  decide,
  deliveryTo,
  digestOf,
  type Later,
  live,
  only,
  ordered,
  planned,
  reported,
  said,
  unasked,
} from "../../test/support/approvals.ts";
import { anAttempt, anIdentity, aPlan, NOON_MS } from "../../test/support/deliveries.ts";
import { advance, begin } from "./advance.ts";
import { amendedEvent, nothingWasExecuted, readAmendedContent } from "./amendment.ts";
import type { Amendment } from "./approval.ts";
import { bodyOf } from "./body.ts";
import type { BusinessEvent } from "./event.ts";
import type { ResolutionRefusal } from "./event-state.ts";
import { nextAction } from "./next-action.ts";
import { type EventProgress, nextRevisionOf } from "./progress.ts";
import { project } from "./project.ts";

const because = (progress: EventProgress, sequence = 0): string | null | undefined =>
  progress.verdicts[sequence]?.refusedBecause;
const answered = (changes: Parameters<typeof anAttempt>[0]): Later =>
  reported({ kind: "attempted", endpoint: "crm", record: anAttempt({ via: "direct", ...changes }) });
const refused = answered({ outcome: "refused", status: 422, code: "http_422" });

describe("readAmendedContent", () => {
  test.each([
    ["a JSON body", { data: { total: 1 } }],
    ["a body that is null", { data: null }],
    ["bytes", { data_base64: "AAEC" }],
    ["no bytes at all", { data_base64: "" }],
    ["an endpoint", { endpoint: "ledger" }],
    ["both", { data: "x", endpoint: "ledger" }],
  ])("reads %s", (_, content) => {
    expect(readAmendedContent({ actor: "ops", reason: "r", ...content })).toEqual(content);
  });

  test.each([
    ["nothing to change", {}],
    ["two bodies", { data: 1, data_base64: "AAEC" }],
    ["bytes that are no base64", { data_base64: "A" }],
    ["bytes that are no text", { data_base64: 7 }],
    ["a name no endpoint has", { endpoint: "Crm!" }],
    ["an endpoint that is no text", { endpoint: ["crm"] }],
    ["a number no JSON holds", { data: { total: Number.POSITIVE_INFINITY } }],
    ["a good body beside a bad endpoint", { data: 1, endpoint: "" }],
  ])("takes %s for nothing that can be done", (_, content) => {
    expect(readAmendedContent(content)).toBeNull();
  });

  test("refuses nesting that could not be written out again", () => {
    const deep: unknown = JSON.parse(`${"[".repeat(5000)}${"]".repeat(5000)}`);
    expect(readAmendedContent({ data: deep })).toBeNull();
  });

  test("never throws, whatever the argument is", () => {
    const anything = fc.anything({ withNullPrototype: true, withBigInt: true });
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom("data", "data_base64", "endpoint"), anything), (argument) => {
        const read = readAmendedContent(argument);
        expect(read === null || Object.keys(read).length > 0).toBe(true);
      }),
    );
  });
});

describe("nothingWasExecuted", () => {
  test.each([
    ["no attempt", [], true],
    ["a refusal", [anAttempt({ outcome: "refused" })], true],
    ["a request that was never sent", [anAttempt({ certainty: "not-sent" })], true],
    ["an answer that asks to come back", [anAttempt()], false],
    ["a request whose fate is unknown", [anAttempt({ outcome: "uncertain", certainty: "unknown" })], false],
    ["a refusal after an answer", [anAttempt(), anAttempt({ outcome: "refused" })], false],
  ])("judges %s", (_, attempts, expected) => {
    expect(nothingWasExecuted({ attempts })).toBe(expected);
  });
});

describe("an amendment", () => {
  test("of what people are asked makes the next revision, and their votes do not count for it", () => {
    const one = decide(asked({ terms: { rules: [aRule({ quorum: 2 })] } }), "approve");
    const amended = live(one, ordered("amend", { data: { total: 2 } }));
    expect(because(amended, 1)).toBeNull();
    expect(only(amended)).toMatchObject({
      state: "accepted",
      revision: 2,
      approval: null,
      unplanned: true,
      amendment: { revision: 2, actor: "ops", from: "crm", data: { total: 2 } },
      decisions: [{ actor: "ana", counted: true, revision: 1 }],
      resolutions: [{ action: "amend", actor: "ops", counted: true }],
    });
    expect(nextAction(only(amended))).toBe("plan");
    expect(nextRevisionOf(only(amended))).toBe(2);
    const anew = live(amended, planned(aDraft({ revision: 2 }), { afterMs: 5000 }));
    expect(only(anew)).toMatchObject({ state: "awaiting-approval", unplanned: false, approval: { approvals: [] } });
    expect(because(decide(anew, "approve", { actor: "bo", afterMs: 6000 }), 2)).toBe("stale-revision");
  });

  test("enters the idempotency key that people see, a mere repetition of the question does not", () => {
    const amended = live(asked(), ordered("amend", { data: 1 }), planned(aDraft({ revision: 2 })));
    expect(project(amended).deliveries[0]?.revision).toBe(2);
    const again = live(amended, ordered("amend", { data: 2 }), planned(aDraft({ revision: 3 })));
    expect(only(again)).toMatchObject({ revision: 3, amendment: { revision: 3, data: 2 } });
    const repeated = reported({ kind: "unapproved", endpoint: "crm", draft: aDraft({ revision: 2 }) });
    expect(project(live(approved(), begun(), repeated)).deliveries[0]?.revision).toBe(1);
    expect(only(live(approved(), begun(), repeated, ordered("amend", { data: 1 })))).toMatchObject({ revision: 3 });
  });

  test("of a parked delivery is sent with a fresh budget once a worker has said what is due", () => {
    const free = begin({ fact: "accepted", atMs: NOON_MS, event: anIdentity(), plan: aPlan(["crm"]) });
    const amended = live(free, begun(), refused, ordered("amend", { data_base64: "AAEC" }));
    expect(only(amended)).toMatchObject({ state: "accepted", attention: null, spentAttempts: 1 });
    expect(nextAction(only(amended))).toBe("plan");
    const due = live(amended, planned(null));
    expect(only(due)).toMatchObject({ state: "delivering", unplanned: false, amendment: { data_base64: "AAEC" } });
    expect(nextAction(only(due))).toBe("attempt");
  });

  test("of what has expired asks anew", () => {
    const parked = live(asked({ terms: { onExpire: "park" } }), { fact: "time-passed", atMs: NOON_MS + 60_000 });
    const amended = only(live(parked, ordered("amend", { data: 1 }, 61_000)));
    expect(amended).toMatchObject({ state: "accepted", attention: null, approval: null });
    expect(nextAction(amended)).toBe("plan");
  });

  test.each<[string, EventProgress, ResolutionRefusal]>([
    ["while an attempt is in flight", live(approved(), begun()), "attempt-in-flight"],
    [
      "after an effect",
      live(approved(), begun(), answered({ outcome: "uncertain", certainty: "unknown" })),
      "not-parked",
    ],
    ["before a worker has said what is due", unasked(), "not-parked"],
    ["of what was approved but is not queued yet", approved(), "not-parked"],
    ["of what was rejected", decide(asked(), "reject"), "already-ended"],
  ])("is refused %s", (_, progress, refusal) => {
    const sequence = progress.messages;
    const after = advance(progress, ordered("amend", { data: 1 }));
    expect(because(after, sequence)).toBe(refusal);
    expect({ ...only(after), resolutions: [] }).toEqual({ ...only(progress), resolutions: [] });
  });

  test("is refused where an attempt may have had an effect, although somebody must look", () => {
    const exhausted = anAttempt({ outcome: "retry", certainty: "answered", retryAfterMs: 1e12 });
    const parked = live(approved(), begun(), reported({ kind: "attempted", endpoint: "crm", record: exhausted }));
    expect(only(parked).state).toBe("needs-attention");
    expect(because(live(parked, ordered("amend", { data: 1 })), 1)).toBe("executed");
    expect(because(live(parked, ordered("amend")), 1)).toBe("executed");
    expect(because(live(asked(), ordered("amend")))).toBe("bad-amendment");
  });

  test("keeps what was amended before, where it asks for less", () => {
    const twice = (first: object, second: object): Amendment | null =>
      only(live(asked(), ordered("amend", first), planned(aDraft({ revision: 2 })), ordered("amend", second)))
        .amendment;
    expect(twice({ data: 1 }, { endpoint: "crm" })).toEqual({ revision: 3, actor: "ops", from: "crm", data: 1 });
    expect(twice({ data_base64: "AAEC" }, { endpoint: "crm" })).toMatchObject({ data_base64: "AAEC" });
    const replaced = twice({ data_base64: "AAEC" }, { data: 2 });
    expect(replaced).toMatchObject({ data: 2 });
    expect(replaced).not.toHaveProperty("data_base64");
    expect(twice({ endpoint: "crm" }, { endpoint: "crm" })).toEqual({ revision: 3, actor: "ops", from: "crm" });
  });
});

describe("an amendment of the endpoint", () => {
  const both = live(
    unasked(["crm", "ledger"]),
    planned(aDraft()),
    planned(aDraft({ endpoint: "ledger" }), { endpoint: "ledger" }),
  );
  const moved = live(both, said("approve"), ordered("amend", { delivery: "crm", endpoint: "mail" }));

  test("moves the delivery, with everything that was said about it, and remembers where it was routed to", () => {
    expect(moved.deliveries.map(({ endpoint }) => endpoint)).toEqual(["mail", "ledger"]);
    expect(deliveryTo(moved, "mail")).toMatchObject({
      state: "accepted",
      amendment: { from: "crm" },
      ballots: [{ sequence: 0 }],
      resolutions: [{ action: "amend", counted: true }],
    });
    const anew = live(moved, planned(aDraft({ endpoint: "mail", revision: 2 }), { endpoint: "mail" }));
    expect(because(anew, 0)).toBe("stale-revision");
    const back = live(anew, ordered("amend", { delivery: "mail", endpoint: "crm" }));
    expect(deliveryTo(back, "crm")).toMatchObject({ revision: 3, amendment: { from: "crm" } });
  });

  test("leaves nothing at the old place: what still arrives about it finds nobody", () => {
    const late = live(moved, planned(aDraft({ revision: 5 })), said("approve", { delivery: "crm" }));
    expect(deliveryTo(late, "mail")).toMatchObject({ approval: null, revision: 2 });
    expect(because(late, 2)).toBe("nothing-waits");
  });

  test("is refused where another delivery of the event goes, also while it has ended", () => {
    const taken = live(both, ordered("amend", { delivery: "crm", endpoint: "ledger" }));
    expect(because(taken)).toBe("bad-amendment");
    expect(taken.deliveries.map(({ endpoint }) => endpoint)).toEqual(["crm", "ledger"]);
    const ended = live(
      both,
      ordered("discard", { delivery: "ledger" }),
      ordered("amend", { delivery: "crm", endpoint: "ledger" }),
    );
    expect(because(ended, 1)).toBe("bad-amendment");
  });

  test("is refused where another delivery of the event went before, because their keys would be the same", () => {
    const elsewhere = live(both, ordered("amend", { delivery: "crm", endpoint: "mail" }));
    const back = live(elsewhere, ordered("amend", { delivery: "ledger", endpoint: "crm" }));
    expect(because(back, 1)).toBe("bad-amendment");
  });

  test("to where it goes already is one all the same: people are asked again", () => {
    const same = live(both, ordered("amend", { delivery: "crm", endpoint: "crm" }));
    expect(because(same)).toBeNull();
    expect(deliveryTo(same, "crm")).toMatchObject({ revision: 2, approval: null });
  });

  test("names the actor as the last editor", () => {
    const rules = [aRule({ fourEyes: true })];
    const anew = live(
      moved,
      planned(aDraft({ endpoint: "mail", revision: 2, terms: { rules } }), { endpoint: "mail" }),
    );
    const word = { actor: "OPS", digest: digestOf(2, "mail") };
    expect(because(decide(anew, "approve", word), 2)).toBe("own-request");
  });
});

describe("amendedEvent", () => {
  const event: BusinessEvent = { source: "shop", id: "e", type: "t", data: { total: 1 } };
  const amendment = { revision: 2, actor: "ops", from: "crm" };
  const sent = (changed: BusinessEvent): string => new TextDecoder().decode(bodyOf(changed).bytes);

  test("leaves the body where nothing replaces it", () => {
    expect(amendedEvent(event, null)).toBe(event);
    expect(amendedEvent(event, amendment)).toBe(event);
  });

  test("sends the new body, as what it is", () => {
    expect(amendedEvent(event, { ...amendment, data: { total: 2 } })).toEqual({ ...event, data: { total: 2 } });
    expect(sent(amendedEvent(event, { ...amendment, data: null }))).toBe("null");
    const bytes = amendedEvent({ ...event, datacontenttype: "image/png" }, { ...amendment, data_base64: "aGk=" });
    expect(bytes).toEqual({ source: "shop", id: "e", type: "t", datacontenttype: "image/png", data_base64: "aGk=" });
    expect(sent(bytes)).toBe("hi");
  });

  test("takes a text for the text of its content type, and anything else for JSON", () => {
    const text: BusinessEvent = { source: "shop", id: "e", type: "t", datacontenttype: "text/plain", data: "old" };
    expect(amendedEvent(text, { ...amendment, data: "new" })).toEqual({ ...text, data: "new" });
    expect(amendedEvent(text, { ...amendment, data: { total: 2 } })).toEqual({
      ...text,
      datacontenttype: "application/json",
      data: { total: 2 },
    });
    const json = { ...event, datacontenttype: "application/vnd.shop+json" };
    expect(amendedEvent(json, { ...amendment, data: 7 })).toEqual({ ...json, data: 7 });
  });

  test("replaces bytes by a text", () => {
    const bytes: BusinessEvent = {
      source: "shop",
      id: "e",
      type: "t",
      datacontenttype: "text/csv",
      data_base64: "AAEC",
    };
    expect(amendedEvent(bytes, { ...amendment, data: "a,b" })).toEqual({
      source: "shop",
      id: "e",
      type: "t",
      datacontenttype: "text/csv",
      data: "a,b",
    });
  });
});
