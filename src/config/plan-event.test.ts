import { describe, expect, test } from "vitest";
import type { BusinessEvent } from "../delivery/event.ts";
import { CountersignError } from "../errors.ts";
import type { Config } from "./config.ts";
import { parseConfig } from "./parse-config.ts";
import { planDelivery } from "./plan-delivery.ts";
import { canonicalEvent, fingerprintOf, planEvent } from "./plan-event.ts";
import type { RawApproval, RawConfig, RawEndpoint } from "./raw-config.ts";

const CRM: RawEndpoint = { url: "https://crm.example/hook?token=s3cret" };

function aConfig(
  endpoints: Readonly<Record<string, RawEndpoint>> = { crm: CRM },
  rest: Partial<RawConfig> = {},
): Config {
  const sources = { shop: { aliases: ["https://shop.example/orders", "store"] }, billing: {} };
  return parseConfig(
    { sources, endpoints, routes: [{ match: {}, to: Object.keys(endpoints) }], ...rest },
    { path: null },
  );
}

const anEvent = (changes: Partial<BusinessEvent> = {}): BusinessEvent => ({
  source: "shop",
  id: "evt_1",
  type: "order.created",
  data: { total: 42 },
  ...changes,
});

const settingsOf = (raw: RawEndpoint, event = anEvent()) =>
  planEvent(aConfig({ crm: raw }), event).deliveries[0]?.settings;
const versionOf = (raw: RawEndpoint): string | undefined => settingsOf(raw)?.configVersion;

function refusal(run: () => unknown): CountersignError {
  try {
    run();
  } catch (error) {
    if (error instanceof CountersignError) return error;
    throw error;
  }
  throw new TypeError("It was accepted");
}

// Computed once by another program, from the contract's words: SHA-256 over length-prefixed fields.
describe("fingerprintOf", () => {
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  const { data: _, ...bare } = anEvent();

  test.each<[string, BusinessEvent, string]>([
    ["an event", anEvent(), "sha256:a98138f92a29e13574d5d6443b8022efbe898e9dd816d49f57c24811cc3c3e6f"],
    [
      "a text with a subject",
      anEvent({ subject: "order 7", datacontenttype: "text/plain", data: "café" }),
      "sha256:e2772016c3ce6bcf8349489d449893f0b56d435b1b868fb8767c91be69329c58",
    ],
    [
      "an event with names that every object has, and no body",
      { ...bare, id: "__proto__", type: "constructor" },
      "sha256:e4724e319a827db16e61b76a767bafe9bc88fe596b32d50cce2981d4f58eb706",
    ],
    [
      "a body with white space between its tokens",
      { ...bare, data_base64: base64('{ "a": 1,\n "b": "x y" }') },
      "sha256:750e05aae946455ccc689ba0b866fb6ead614c8235aa9326f330191fa45ea6f6",
    ],
  ])("is pinned for %s", (_name, event, fingerprint) => {
    expect(fingerprintOf(event)).toBe(fingerprint);
  });

  test("does not depend on how the same body came in", () => {
    expect(fingerprintOf({ ...bare, data_base64: base64('{"total":42}') })).toBe(fingerprintOf(anEvent()));
  });

  test("leaves out what may change between two sendings of one event", () => {
    const later = anEvent({ time: "2026-11-29T10:00:00Z", traceparent: "00-1", requestedBy: "ana", synthetic: true });
    expect(fingerprintOf(later)).toBe(fingerprintOf(anEvent()));
  });

  test.each<[string, Partial<BusinessEvent>]>([
    ["source", { source: "billing" }],
    ["id", { id: "evt_2" }],
    ["type", { type: "order.updated" }],
    ["subject", { subject: "x" }],
    ["content type", { datacontenttype: "application/problem+json" }],
    ["body", { data: { total: 43 } }],
  ])("changes with the %s", (_name, change) => {
    expect(fingerprintOf(anEvent(change))).not.toBe(fingerprintOf(anEvent()));
  });
});

describe("the idempotency key", () => {
  const keyOf = (id: string, endpoint = "crm"): string | undefined =>
    planEvent(aConfig({ [endpoint]: CRM }), anEvent({ id })).deliveries[0]?.settings.idempotencyKey;

  test.each([
    ["evt_1", "crm", "cs1_CbkChdMHR4D55untdEV1emZCXw1aj_Ym6wr0NDMgXFE"],
    ["__proto__", "crm", "cs1_h9oA2IqjiWafhnlQwIUdJHEEj6Hy9RMeF87PY_dm7s0"],
    ["a/b é", "ledger", "cs1_2akMztaHqu99Dsk7yTbwgOZXmZLSqy3qXs5nLR6laxk"],
  ])("is pinned for event shop/%s to %s", (id, endpoint, key) => {
    expect(keyOf(id, endpoint)).toBe(key);
    expect(key).toHaveLength(47);
  });

  test("does not depend on content or configuration", () => {
    const key = settingsOf(CRM)?.idempotencyKey;
    expect(
      settingsOf({ url: "https://elsewhere.example/", retry: "quick", format: "cloudevents" })?.idempotencyKey,
    ).toBe(key);
    expect(
      settingsOf(CRM, anEvent({ data: { total: 43 }, type: "t", time: "2026-11-29T10:00:00Z" }))?.idempotencyKey,
    ).toBe(key);
  });
});

describe("planEvent", () => {
  test("says where an event goes and under which settings", () => {
    const config = aConfig({
      crm: { ...CRM, retry: "quick", timeouts: { total: "7s" } },
      ledger: { url: "https://ledger.example/", idempotent: false, limits: { rate: { perSecond: 5 } } },
      apart: { url: { env: "APART_URL" }, isolated: true },
    });
    const { fingerprint, deliveries } = planEvent(config, anEvent());
    expect(fingerprint).toBe(fingerprintOf(anEvent()));
    expect(
      deliveries.map(({ endpoint, settings }) => [
        endpoint,
        settings.idempotent,
        settings.lane,
        settings.isolated,
        settings.totalMs,
      ]),
    ).toEqual([
      ["crm", true, false, false, 7000],
      ["ledger", false, true, false, 20_000],
      ["apart", true, false, true, 20_000],
    ]);
    expect(deliveries.map(({ settings }) => settings.retry.scheduleMs.length)).toEqual([4, 7, 7]);
  });

  test("refuses an event that no route matches, and names what was asked", () => {
    const config = aConfig({ crm: CRM }, { routes: [{ match: { type: "invoice.*" }, to: ["crm"] }] });
    const { code, message } = refusal(() => planEvent(config, anEvent()));
    expect(code).toBe("no_route");
    expect(message).toContain('type "order.created" from source "shop"');
  });

  test("refuses a body that an endpoint does not take, measured in bytes as sent", () => {
    const small: RawEndpoint = { ...CRM, maxBodyBytes: "1KiB" };
    const config = aConfig({ big: CRM, small });
    const text = (bytes: number) => anEvent({ datacontenttype: "text/plain", data: `é${"x".repeat(bytes - 2)}` });
    expect(planEvent(config, text(1024)).deliveries).toHaveLength(2);
    const { code, message } = refusal(() => planEvent(config, text(1025)));
    expect(code).toBe("body_too_large");
    expect(message).toContain("The body has 1025 bytes, endpoint small takes at most 1024");
  });
});

describe("an approval", () => {
  const asking = (approval: Partial<RawApproval> = {}): Config =>
    aConfig(
      { crm: CRM, ledger: CRM },
      {
        routes: [{ to: ["crm", "ledger"] }, { to: ["ledger"], approval: { approvers: ["ana"], ...approval } }],
        people: { ana: {} },
      },
    );

  test("that is due shows in the settings of the delivery, and in no other", () => {
    const { deliveries } = planEvent(asking(), anEvent());
    expect(deliveries.map(({ endpoint, settings }) => [endpoint, settings.approval])).toEqual([
      ["crm", undefined],
      ["ledger", true],
    ]);
    expect(deliveries[0]?.settings).not.toHaveProperty("approval");
    const idle = asking({ when: { "data.total": { gt: 42 } } });
    expect(planEvent(idle, anEvent()).deliveries[1]?.settings).not.toHaveProperty("approval");
  });

  test.each([undefined, "", " \t", "\u00a0"])(
    "that must know who asked refuses an event that says %j",
    (requestedBy) => {
      const event = anEvent(requestedBy === undefined ? {} : { requestedBy });
      const { code, message } = refusal(() => planEvent(asking({ requireRequester: true }), event));
      expect(code).toBe("requester_required");
      expect(message).toBe(
        "Endpoint ledger gets this event only with an approval that must know who asked for it, and the event has no requestedBy",
      );
    },
  );

  test("that must know who asked takes an event that says so, and one for which it is not due", () => {
    const config = asking({ requireRequester: true, when: { "data.total": { gt: 10 } } });
    expect(planEvent(config, anEvent({ requestedBy: "eve" })).deliveries).toHaveLength(2);
    expect(planEvent(config, anEvent({ data: { total: 10 } })).deliveries).toHaveLength(2);
  });
});

describe("configVersion", () => {
  const url = "https://crm.example/hook";
  const signed = (secret: string): RawEndpoint => ({
    url,
    signing: { scheme: "standard-webhooks", secrets: [secret] },
  });
  const [first, second] = [1, 2].map((fill) => `whsec_${Buffer.alloc(32, fill).toString("base64")}`);

  test("is the digest of what the endpoint is", () => {
    expect(versionOf({ url })).toMatch(/^sha256:[0-9a-f]{64}$/u);
    for (const other of [
      { url: "https://crm.example/other" },
      { url, method: "PUT" },
      { url, format: "cloudevents" },
      { url, headers: { "x-tenant": "7" } },
      signed(first ?? ""),
      { handler: "crm@1" },
    ] satisfies RawEndpoint[]) {
      expect(versionOf(other)).not.toBe(versionOf({ url }));
    }
  });

  test("does not change with secrets, retry, time-outs and limits", () => {
    expect(versionOf({ url: `${url}?token=a` })).toBe(versionOf({ url: `${url}?token=b` }));
    expect(versionOf({ url, headers: { authorization: "a", b: "1" } })).toBe(
      versionOf({ url, headers: { B: "2", authorization: "b" } }),
    );
    expect(versionOf(signed(first ?? ""))).toBe(versionOf(signed(second ?? "")));
    expect(versionOf({ url, retry: "none", timeouts: { total: "3s" }, limits: { concurrency: 1 } })).toBe(
      versionOf({ url }),
    );
  });
});

describe("canonicalEvent", () => {
  test("puts the configured name in the place of an alias", () => {
    for (const source of ["shop", "store", "https://shop.example/orders"]) {
      expect(canonicalEvent(aConfig(), anEvent({ source }))).toEqual(anEvent());
    }
  });

  test("refuses an unknown source and names those there are", () => {
    const { code, message } = refusal(() => canonicalEvent(aConfig(), anEvent({ source: "shoP" })));
    expect([code, message]).toEqual([
      "unknown_source",
      'Source "shoP" is not configured; the configured sources are: shop, billing',
    ]);
    const none = aConfig({ crm: CRM }, { sources: {} });
    expect(refusal(() => canonicalEvent(none, anEvent())).message).toContain("the configured sources are: none");
  });
});

describe("names that every object has", () => {
  const STRANGE = ["constructor", "__proto__", "toString", "hasOwnProperty", "prototype"];

  test.each(STRANGE)("do not make a source of %s", (source) => {
    expect(refusal(() => canonicalEvent(aConfig(), anEvent({ source }))).code).toBe("unknown_source");
  });

  test.each(STRANGE)("do not make an endpoint of %s", (endpoint) => {
    const delivery = { event: anEvent(), endpoint, amendment: null, resolvedUrl: null, revision: 1 };
    expect(planDelivery(aConfig(), delivery)).toEqual({ kind: "withheld", endpoint, reason: "unknown-endpoint" });
  });

  test.each(STRANGE)("are good IDs: %s", (id) => {
    const { deliveries, fingerprint } = planEvent(aConfig(), anEvent({ id, type: id }));
    expect(deliveries[0]?.settings.idempotencyKey).toMatch(/^cs1_[\w-]{43}$/u);
    expect(fingerprint).not.toBe(fingerprintOf(anEvent()));
  });

  test("can be configured where they fit the rule for names", () => {
    const sources = { constructor: { aliases: ["__proto__"] } };
    const config = aConfig({ constructor: CRM }, { sources });
    const event = canonicalEvent(config, anEvent({ source: "__proto__" }));
    expect(event.source).toBe("constructor");
    expect(planEvent(config, event).deliveries.map(({ endpoint }) => endpoint)).toEqual(["constructor"]);
  });
});
