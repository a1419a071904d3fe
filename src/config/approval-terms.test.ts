import { describe, expect, test } from "vitest";
import { HOUR_MS } from "../delivery/durations.ts";
import type { BusinessEvent } from "../delivery/event.ts";
import { dueApprovals, mergeApprovals, type ProposedDelivery } from "./approval-terms.ts";
import type { Config, When } from "./config.ts";
import { parseConfig } from "./parse-config.ts";
import type { RawApproval, RawRoute } from "./raw-config.ts";

const PEOPLE = { ana: { groups: ["finance"] }, ben: { groups: ["finance"] }, cem: { groups: ["leads"] } };
const ASK: RawApproval = { approvers: ["group:finance"] };
const BIG: When = { "data.amount": { gt: 500 } };

function withRoutes(...routes: readonly RawRoute[]): Config {
  const handled = { handler: "a@1" };
  return parseConfig(
    {
      sources: { shop: { aliases: ["store"] } },
      endpoints: { crm: handled, payments: handled, chat: handled },
      routes,
      people: PEOPLE,
    },
    { path: null },
  );
}

const anEvent = (changes: Partial<BusinessEvent> = {}): BusinessEvent => ({
  source: "shop",
  id: "r1",
  type: "refund",
  data: { amount: 900 },
  ...changes,
});
const base64 = (text: string): string => Buffer.from(text).toString("base64");

const termsOf = (config: Config, changes: Partial<ProposedDelivery> = {}) =>
  mergeApprovals(dueApprovals(config, { event: anEvent(), endpoint: "payments", amendment: null, ...changes }));
const isDue = (config: Config, changes: Partial<ProposedDelivery> = {}): boolean => termsOf(config, changes) !== null;

const throwing = (): boolean => {
  throw new TypeError("s3cr3t");
};
// What people write in a configuration file without types.
const answering = (answer: unknown): When => (() => answer) as unknown as When;

describe("whether an approval is due", () => {
  const config = withRoutes(
    { match: { type: "refund" }, to: ["payments"], approval: ASK },
    { match: { type: "order.*" }, to: ["payments", "crm"] },
    { match: {}, to: ["crm"] },
  );

  test("hangs on a route that matches the event, leads to the endpoint and asks", () => {
    expect(isDue(config)).toBe(true);
    expect(isDue(config, { event: anEvent({ source: "store" }) })).toBe(true);
    expect(isDue(config, { endpoint: "crm" })).toBe(false);
    expect(isDue(config, { event: anEvent({ type: "order.created" }) })).toBe(false);
    expect(isDue(config, { event: anEvent({ source: "nobody" }) })).toBe(false);
  });

  test("is asked of any route, although another leads there without asking", () => {
    const asked = { to: ["payments"], approval: ASK };
    for (const routes of [
      [{ to: ["payments"] }, asked],
      [asked, { to: ["payments"] }],
    ])
      expect(isDue(withRoutes(...routes))).toBe(true);
  });

  test("is no question for our own test events", () => {
    const event = anEvent({ source: "countersign", type: "countersign.test", subject: "payments", synthetic: true });
    expect(isDue(withRoutes({ to: ["payments"], approval: ASK }), { event })).toBe(false);
  });

  test.each<[string, When | undefined, boolean]>([
    ["no condition", undefined, true],
    ["a condition that holds", BIG, true],
    ["a condition that does not", { "data.amount": { gt: 900 } }, false],
    ["a function that says yes", () => true, true],
    ["a function that says no", () => false, false],
    ["a function that throws", throwing, true],
    ["a function that answers nothing", answering(undefined), true],
    ["a function that answers 0", answering(0), true],
    ["a function that answers late", answering(Promise.resolve(false)), true],
  ])("with %s", (_what, when, due) => {
    const approval = { ...ASK, ...(when === undefined ? {} : { when }) };
    expect(isDue(withRoutes({ to: ["payments"], approval }))).toBe(due);
  });

  test.each<[string, Partial<BusinessEvent>, boolean]>([
    ["a small amount", { data: { amount: 500 } }, false],
    ["a large amount", { data: { amount: 501 } }, true],
    ["an amount as a text", { data: { amount: "9" } }, true],
    ["an amount of several parts", { data: { amount: [900] } }, true],
    ["no amount", { data: {} }, false],
    ["an amount of null", { data: { amount: null } }, false],
    ["bytes that are JSON", { data_base64: base64('{"amount": 501}') }, true],
    ["bytes that are JSON with a small amount", { data_base64: base64('{"amount": 5}') }, false],
    ["bytes that show nothing", { data_base64: base64('{"amount": 5') }, true],
    ["bytes of another kind", { data_base64: base64('{"amount": 5}'), datacontenttype: "text/plain" }, true],
    ["a text of another kind", { data: '{"amount": 900}', datacontenttype: "text/plain" }, true],
    ["no body", {}, false],
  ])("over a threshold, in doubt it is: %s", (_what, body, due) => {
    const guarded = withRoutes({ to: ["payments"], approval: { ...ASK, when: BIG } });
    const { data: _data, ...bare } = anEvent();
    expect(isDue(guarded, { event: { ...bare, ...body } })).toBe(due);
  });

  test("leaves no doubt where another part of the condition says no", () => {
    const when = { ...BIG, type: { eq: "payout" } };
    const guarded = withRoutes({ to: ["payments"], approval: { ...ASK, when } });
    expect(isDue(guarded, { event: anEvent({ data: { amount: "900" } }) })).toBe(false);
  });

  test("hands functions a copy of the event, its data parsed", () => {
    const when = (event: BusinessEvent): boolean => {
      const big = Number(Reflect.get(Object(event.data), "amount")) > 500;
      Object.assign(Object(event.data), { amount: 0 });
      return big;
    };
    const guarded = withRoutes({ to: ["payments"], approval: { ...ASK, when } });
    const { data: _data, ...bare } = anEvent();
    const event = { ...bare, data_base64: base64('{"amount":900}') };
    expect([isDue(guarded, { event }), isDue(guarded, { event }), isDue(guarded), isDue(guarded)]).toEqual(
      [1, 2, 3, 4].map(() => true),
    );
  });
});

describe("the terms", () => {
  test("are those of the route", () => {
    const approval: RawApproval = {
      approvers: ["ana", "group:finance"],
      quorum: 2,
      rejections: 2,
      fourEyes: true,
      expires: "24h",
      remind: ["4h"],
      onExpire: "park",
      escalate: { after: "12h", to: ["group:leads"] },
      notify: "chat",
      version: "3",
      when: () => true,
    };
    expect(termsOf(withRoutes({ to: ["payments"], approval }))).toEqual({
      rules: [
        {
          approvers: ["ana", "group:finance"],
          quorum: 2,
          rejections: 2,
          fourEyes: true,
          requireSignedDecisions: false,
          escalate: { afterMs: 12 * HOUR_MS, to: ["group:leads"] },
          version: "3",
        },
      ],
      expiresMs: 24 * HOUR_MS,
      remindMs: [4 * HOUR_MS],
      onExpire: "park",
      notify: "chat",
    });
  });

  test("of several routes keep each rule once, and are the stricter ones", () => {
    const terms = termsOf(
      withRoutes(
        { to: ["payments"], approval: { ...ASK, expires: "48h", remind: ["4h", "30h"] } },
        { to: ["crm"], approval: { approvers: ["ben"], expires: "1h" } },
        { to: ["payments"], approval: { approvers: ["cem"], expires: "24h", remind: ["2h", "4h"], notify: "chat" } },
        { to: ["payments"], approval: { ...ASK, onExpire: "park", expires: "72h", notify: "crm" } },
      ),
    );
    expect(terms?.rules.map(({ approvers }) => approvers)).toEqual([["group:finance"], ["cem"]]);
    expect(terms).toMatchObject({
      expiresMs: 24 * HOUR_MS,
      remindMs: [2 * HOUR_MS, 4 * HOUR_MS],
      onExpire: "park",
      notify: "chat",
    });
  });
});

describe("an amendment does not lead around an approval", () => {
  const original = anEvent({ data: { amount: 100 } });
  const large = anEvent({ data: { amount: 900 } });
  const guarded = withRoutes({ match: { type: "refund" }, to: ["payments"], approval: { ...ASK, when: BIG } });
  const amended = (changes: Partial<ProposedDelivery>): Partial<ProposedDelivery> => ({
    amendment: { from: "payments", original },
    ...changes,
  });

  test("by what it puts in, nor by what it takes out", () => {
    expect(isDue(guarded, { event: original })).toBe(false);
    expect(isDue(guarded, amended({ event: large }))).toBe(true);
    expect(isDue(guarded, { event: original, amendment: { from: "payments", original: large } })).toBe(true);
    expect(isDue(guarded, amended({ event: anEvent({ data: { amount: 200 } }) }))).toBe(false);
  });

  test("by a body that a route matches only now, or only before", () => {
    const config = withRoutes(
      { match: { when: { "data.amount": { lte: 500 } } }, to: ["payments"] },
      { match: { when: BIG }, to: ["payments"], approval: ASK },
    );
    expect(isDue(config, { event: original })).toBe(false);
    expect(isDue(config, amended({ event: large }))).toBe(true);
    expect(isDue(config, { event: original, amendment: { from: "payments", original: large } })).toBe(true);
  });

  test("by another endpoint: the route of before counts, and the route of now", () => {
    const config = withRoutes(
      { match: { type: "refund" }, to: ["payments"], approval: { approvers: ["ana"] } },
      { match: { type: "refund" }, to: ["crm"], approval: { approvers: ["cem"] } },
      { match: { type: "refund" }, to: ["chat"] },
    );
    const rulesOf = (from: string, endpoint: string) =>
      termsOf(config, { endpoint, amendment: { from, original } })?.rules.map(({ approvers: [name] }) => name);
    expect(rulesOf("payments", "crm")).toEqual(["ana", "cem"]);
    expect(rulesOf("payments", "chat")).toEqual(["ana"]);
    expect(rulesOf("chat", "payments")).toEqual(["ana"]);
    expect(rulesOf("chat", "chat")).toBeUndefined();
  });

  test("by an endpoint to which no route would send the event: whatever guards it is due", () => {
    const order = anEvent({ type: "order.created" });
    const config = withRoutes(
      { match: { type: "order.*" }, to: ["crm"] },
      { match: { type: "refund" }, to: ["payments"], approval: { ...ASK, when: BIG } },
      { match: { type: "order.*" }, to: ["chat"] },
    );
    const amendment = { from: "crm", original: order };
    expect(isDue(config, { event: order, endpoint: "payments", amendment })).toBe(true);
    expect(isDue(config, { event: order, endpoint: "chat", amendment })).toBe(false);
    const small = { ...order, data: { amount: 1 } };
    const harmless = { from: "crm", original: small };
    expect(isDue(config, { event: small, endpoint: "payments", amendment: harmless })).toBe(false);
  });

  test("by way of a test event", () => {
    const probe = { source: "countersign", id: "t1", type: "countersign.test", subject: "crm", synthetic: true };
    const config = withRoutes({ match: { type: "refund" }, to: ["payments"], approval: ASK });
    const amendment = { from: "crm", original: probe };
    expect(isDue(config, { event: probe, endpoint: "payments", amendment })).toBe(true);
  });

  test("by a condition that cannot tell about the new body", () => {
    const when = (event: BusinessEvent): boolean => {
      if (event.data === undefined) throw new TypeError("no data");
      return false;
    };
    const { data: _data, ...bare } = original;
    const unreadable = { ...bare, data_base64: base64("x") };
    for (const route of [
      { match: { when }, to: ["payments"], approval: ASK },
      { match: {}, to: ["payments"], approval: { ...ASK, when } },
    ])
      expect(isDue(withRoutes({ to: ["payments"] }, route), amended({ event: unreadable }))).toBe(true);
  });
});
