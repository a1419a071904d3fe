import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { BusinessEvent, JsonValue } from "../delivery/event.ts";
import { matchRoutes, resolveSource } from "./match-routes.ts";
import { parseConfig } from "./parse-config.ts";

const ENDPOINTS = { crm: { handler: "a@1" }, erp: { handler: "a@1" }, mail: { handler: "a@1" } };
const SOURCES = { shop: { aliases: ["https://shop.example/orders"] }, bank: {} };

function withRoutes(...routes: readonly object[]) {
  return parseConfig({ sources: SOURCES, endpoints: ENDPOINTS, routes }, { path: null });
}

function anEvent(event: Partial<BusinessEvent> = {}): BusinessEvent {
  return { source: "shop", id: "evt_1", type: "order.created", data: { amount: 42 }, ...event };
}

const base64 = (text: string) => Buffer.from(text).toString("base64");

describe("resolveSource", () => {
  const config = withRoutes();
  test("finds a source by name and by alias", () => {
    expect(resolveSource(config, "shop")?.name).toBe("shop");
    expect(resolveSource(config, "https://shop.example/orders")?.name).toBe("shop");
    expect(resolveSource(config, "countersign")?.name).toBe("countersign");
  });
  test.each(["", "Shop", "nobody", "constructor", "__proto__", "https://shop.example/orders/"])(
    "does not know %j",
    (source) => {
      expect(resolveSource(config, source)).toBeNull();
    },
  );
});

describe("matchRoutes", () => {
  test("applies every route that matches and names an endpoint once, in the order of the configuration", () => {
    const config = withRoutes(
      { match: {}, to: ["mail"] },
      { match: { type: "order.*" }, to: ["mail", "crm"] },
      { to: ["crm"] },
    );
    expect(matchRoutes(config, anEvent())).toEqual(["crm", "mail"]);
    expect(matchRoutes(config, anEvent({ type: "refund.requested" }))).toEqual(["crm", "mail"]);
    expect(matchRoutes(withRoutes(), anEvent())).toEqual([]);
  });

  test("knows a source by its name and its alias, in the event and in the route", () => {
    for (const source of ["shop", "https://shop.example/orders"]) {
      const config = withRoutes({ match: { source }, to: ["crm"] });
      expect(matchRoutes(config, anEvent())).toEqual(["crm"]);
      expect(matchRoutes(config, anEvent({ source: "https://shop.example/orders" }))).toEqual(["crm"]);
      expect(matchRoutes(config, anEvent({ source: "bank" }))).toEqual([]);
    }
  });

  test("routes nothing from a source it does not know", () => {
    expect(matchRoutes(withRoutes({ match: {}, to: ["crm"] }), anEvent({ source: "nobody" }))).toEqual([]);
  });

  test("routes a test event to the endpoint its subject names and to no other", () => {
    const config = withRoutes({ match: {}, to: ["mail"] });
    const bare = { source: "countersign", id: "t1", type: "countersign.test", subject: "crm", synthetic: true };
    const event = { ...bare, data: { test: true } };
    expect(matchRoutes(config, event)).toEqual(["crm"]);
    expect(matchRoutes(config, { ...event, subject: "nobody" })).toEqual([]);
    expect(matchRoutes(config, { ...event, subject: "constructor" })).toEqual([]);
    expect(matchRoutes(config, { ...event, synthetic: false })).toEqual([]);
    expect(matchRoutes(config, { ...event, type: "order.created" })).toEqual([]);
    expect(matchRoutes(config, { ...event, data: { amount: 900 } })).toEqual([]);
    expect(matchRoutes(config, { ...event, source: "shop" })).toEqual(["mail"]);
  });

  test("looks at the data of the event, and at its other members", () => {
    const config = withRoutes({
      match: { when: { "data.amount": { gt: 40 }, source: { eq: "shop" }, subject: { exists: false } } },
      to: ["crm"],
    });
    expect(matchRoutes(config, anEvent())).toEqual(["crm"]);
    expect(matchRoutes(config, anEvent({ source: "https://shop.example/orders" }))).toEqual(["crm"]);
    expect(matchRoutes(config, anEvent({ data: { amount: 40 } }))).toEqual([]);
    expect(matchRoutes(config, anEvent({ subject: "x" }))).toEqual([]);
  });

  test("looks into JSON that travels as bytes, and only into JSON", () => {
    const config = withRoutes({ match: { when: { "data.amount": { gt: 40 } } }, to: ["crm"] });
    const { data: _, ...bare } = anEvent();
    expect(matchRoutes(config, { ...bare, data_base64: base64('{ "amount" : 4.2e1 }') })).toEqual(["crm"]);
    expect(matchRoutes(config, { ...bare, data_base64: base64('{"amount":1}') })).toEqual([]);
    expect(
      matchRoutes(config, {
        ...bare,
        datacontenttype: "application/vnd.x+json; charset=utf-8",
        data_base64: base64('{"amount":41}'),
      }),
    ).toEqual(["crm"]);
    expect(
      matchRoutes(config, { ...bare, datacontenttype: "text/plain", data_base64: base64('{"amount":41}') }),
    ).toEqual([]);
    expect(matchRoutes(config, { ...bare, data_base64: base64("no JSON") })).toEqual([]);
    expect(matchRoutes(config, bare)).toEqual([]);
  });

  test("hands a function a copy of the event, its data parsed", () => {
    const seen: BusinessEvent[] = [];
    const when = (event: BusinessEvent) => {
      seen.push(event);
      Object.assign(Object(event.data), { amount: 0 });
      return true;
    };
    const config = withRoutes({ match: { when }, to: ["crm"] });
    const event = anEvent({ source: "https://shop.example/orders" });
    expect(matchRoutes(config, event)).toEqual(["crm"]);
    expect(event.data).toEqual({ amount: 42 });
    expect(seen[0]?.source).toBe("shop");
    const { data: _, ...bare } = event;
    matchRoutes(config, { ...bare, data_base64: base64('{"a": 1}') });
    expect(seen[1]).toEqual({ source: "shop", id: "evt_1", type: "order.created", data: { a: 1, amount: 0 } });
  });

  test("names the route whose function throws or does not answer true or false", () => {
    const never = { match: { when: () => false }, to: ["crm"] };
    const throwing = () => {
      throw new TypeError("s3cr3t");
    };
    expect(() => matchRoutes(withRoutes(never, { match: { when: throwing }, to: ["crm"] }), anEvent())).toThrow(
      expect.objectContaining({
        code: "config_invalid",
        message: 'The function routes[1].match.when threw TypeError for an event of type "order.created".',
      }),
    );
    expect(() => matchRoutes(withRoutes({ match: { when: async () => true }, to: ["crm"] }), anEvent())).toThrow(
      expect.objectContaining({
        code: "config_invalid",
        message: "The function routes[0].match.when must answer true or false, not a value of type object.",
      }),
    );
  });

  test("never throws over an event of any shape", () => {
    const config = withRoutes({
      match: { type: "*o*", when: { "data.a.0.b": { gte: 1 }, "data.a": { in: [[1], null, "x"] } } },
      to: ["crm"],
    });
    fc.assert(
      fc.property(fc.jsonValue() as fc.Arbitrary<JsonValue>, fc.string(), (data, type) => {
        expect(matchRoutes(config, anEvent({ data, type })).length).toBeLessThanOrEqual(1);
      }),
    );
  });
});
