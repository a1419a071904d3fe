import { describe, expect, test } from "vitest";
import { HOUR_MS } from "../delivery/durations.ts";
import { NO_RETRY, STANDARD_RETRY } from "../delivery/policy.ts";
import type { personSchema } from "./access-schema.ts";
import type { approvalSchema } from "./approval-schema.ts";
import type { endpointSchema } from "./endpoint-schema.ts";
import { defineConfig, env } from "./define-config.ts";
import { parseConfig } from "./parse-config.ts";
import type { RawApproval, RawConfig, RawEndpoint, RawPerson, RawRoute, RawSource } from "./raw-config.ts";
import type { routeSchema } from "./route-schema.ts";
import type { configSchema } from "./schema.ts";
import type { sourceSchema } from "./source-schema.ts";

const parse = (raw: unknown) => parseConfig(raw, { path: null });

/** Each is true only while the published type and the schema have the same keys; checked by the compiler. */
type SameKeys<Type, Shape> = [keyof Type, keyof Shape] extends [keyof Shape, keyof Type] ? true : false;
const sameKeys: readonly true[] = [
  true satisfies SameKeys<RawConfig, (typeof configSchema)["shape"]>,
  true satisfies SameKeys<RawEndpoint, (typeof endpointSchema)["shape"]>,
  true satisfies SameKeys<RawRoute, (typeof routeSchema)["shape"]>,
  true satisfies SameKeys<RawSource, (typeof sourceSchema)["shape"]>,
  true satisfies SameKeys<RawApproval, (typeof approvalSchema)["shape"]>,
  true satisfies SameKeys<RawPerson, (typeof personSchema)["shape"]>,
];

describe("parseConfig", () => {
  test("accepts an empty configuration and fills in the defaults", () => {
    expect(parse({})).toEqual({
      path: null,
      temporal: { namespace: "default", taskQueue: "countersign" },
      sources: {},
      endpoints: {},
      routes: [],
      people: {},
      keys: [],
      handlers: [],
      dedupeWindowMs: 7 * 24 * 60 * 60 * 1000,
      deployment: null,
    });
    expect(sameKeys).toHaveLength(6);
  });

  test("needs only url or handler of an endpoint", () => {
    const config = parse({ endpoints: { crm: { url: "https://crm.example/in" }, refunds: { handler: "refund@1" } } });
    expect(config.endpoints["crm"]).toEqual({
      name: "crm",
      url: "https://crm.example/in",
      handler: null,
      method: "POST",
      headers: {},
      signing: null,
      retry: STANDARD_RETRY,
      timeouts: { connectMs: 5000, headersMs: null, totalMs: 20_000 },
      limits: null,
      circuit: { failures: 5, share: 0.5, windowMs: 60_000, minimum: 20, openMs: 30_000, probes: 4 },
      retryAfterScope: "endpoint",
      classify: {},
      idempotent: true,
      isolated: false,
      reconcile: null,
      format: "bytes",
      allowPrivate: [],
      ports: [],
      maxBodyBytes: 256 * 1024,
    });
    expect(config.endpoints["refunds"]).toMatchObject({ url: null, handler: "refund@1" });
    expect(parse({ endpoints: { pay: { handler: "a@1", circuit: false } } }).endpoints["pay"]?.circuit).toBeNull();
  });

  test("keeps what was written, in machine units", () => {
    const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const raw = defineConfig({
      temporal: { namespace: "shop" },
      sources: { shop: { aliases: ["https://shop.example/orders"] } },
      endpoints: {
        crm: {
          url: env("CRM_URL"),
          method: "PUT",
          headers: { Authorization: env("CRM_AUTHORIZATION"), "X-Team": "café" },
          signing: { scheme: "standard-webhooks", secrets: [env("CRM_WEBHOOK_SECRET"), secret] },
          retry: "none",
          timeouts: { headers: "3s", total: "1m" },
          limits: { rate: { perSecond: 20 } },
          circuit: { failures: 3, open: "10s" },
          retryAfterScope: "delivery",
          classify: { 409: "delivered", 404: "retry", 418: "refused" },
          idempotent: false,
          isolated: true,
          format: "cloudevents",
          allowPrivate: ["127.0.0.0/8", "::1/128"],
          ports: [9443],
          maxBodyBytes: "1MiB",
        },
      },
      routes: [{ match: { source: "shop", type: "order.*", when: { "data.amount": { gt: 5 } } }, to: ["crm", "crm"] }],
      handlers: ["./src/handlers.ts"],
      dedupeWindow: "2h",
      deployment: { name: "shop", build: "2026.11.29" },
      people: {},
      keys: [],
    });
    const config = parseConfig(raw, { path: "/srv/app/countersign.config.ts" });
    expect(config).toMatchObject({
      path: "/srv/app/countersign.config.ts",
      temporal: { namespace: "shop", taskQueue: "countersign" },
      sources: { shop: { name: "shop", aliases: ["https://shop.example/orders"] } },
      routes: [{ match: { source: "shop", type: "order.*", when: { "data.amount": { gt: 5 } } }, to: ["crm"] }],
      handlers: ["/srv/app/src/handlers.ts"],
      dedupeWindowMs: 7_200_000,
      deployment: { name: "shop", build: "2026.11.29" },
    });
    expect(config.endpoints["crm"]).toMatchObject({
      url: { env: "CRM_URL" },
      method: "PUT",
      headers: { authorization: { env: "CRM_AUTHORIZATION" }, "x-team": "café" },
      signing: { scheme: "standard-webhooks", secrets: [{ env: "CRM_WEBHOOK_SECRET" }, secret] },
      retry: NO_RETRY,
      timeouts: { connectMs: 5000, headersMs: 3000, totalMs: 60_000 },
      limits: { ratePerSecond: 20, concurrency: null },
      circuit: { failures: 3, share: 0.5, windowMs: 60_000, minimum: 20, openMs: 10_000, probes: 4 },
      retryAfterScope: "delivery",
      classify: { 409: "delivered", 404: "retry", 418: "refused" },
      idempotent: false,
      isolated: true,
      format: "cloudevents",
      allowPrivate: ["127.0.0.0/8", "::1/128"],
      ports: [9443],
      maxBodyBytes: 1024 * 1024,
    });
  });

  test("fills in the defaults of an approval, and of a person", () => {
    const config = parse({
      endpoints: { pay: { handler: "a@1" } },
      routes: [{ to: ["pay"] }, { to: ["pay"], approval: { approvers: ["ana"] } }],
      people: { ana: {} },
    });
    expect(config.routes.map(({ approval }) => approval)).toEqual([
      null,
      {
        when: null,
        approvers: ["ana"],
        quorum: 1,
        rejections: 1,
        fourEyes: false,
        requireRequester: false,
        requireSignedDecisions: false,
        escalate: null,
        version: null,
        expiresMs: 72 * HOUR_MS,
        remindMs: [],
        onExpire: "end",
        notify: null,
      },
    ]);
    expect(config.people).toEqual({ ana: { groups: [], publicKey: null } });
  });

  test("keeps what was written of an approval, each thing once and reminders in order", () => {
    const publicKey = Buffer.alloc(32, 1).toString("base64");
    const when = () => true;
    const raw = defineConfig({
      endpoints: { pay: { handler: "a@1" }, chat: { handler: "a@1", isolated: true } },
      routes: [
        {
          to: ["pay"],
          approval: {
            when,
            approvers: ["group:finance", "ana", "ana"],
            quorum: 2,
            rejections: 3,
            fourEyes: true,
            requireRequester: true,
            requireSignedDecisions: true,
            expires: "24h",
            remind: ["12h", "4h", "240m"],
            onExpire: "park",
            escalate: { after: "20h", to: ["cem", "cem"] },
            notify: "chat",
            version: 2,
          },
        },
      ],
      people: {
        ana: { groups: ["finance", "finance"], publicKey },
        ben: { groups: ["finance"], publicKey: Buffer.alloc(32, 2).toString("base64") },
        cem: {},
      },
    });
    const config = parse(raw);
    expect(config.routes[0]?.approval).toEqual({
      when,
      approvers: ["group:finance", "ana"],
      quorum: 2,
      rejections: 3,
      fourEyes: true,
      requireRequester: true,
      requireSignedDecisions: true,
      escalate: { afterMs: 20 * HOUR_MS, to: ["cem"] },
      version: 2,
      expiresMs: 24 * HOUR_MS,
      remindMs: [4 * HOUR_MS, 12 * HOUR_MS],
      onExpire: "park",
      notify: "chat",
    });
    expect(config.people["ana"]).toEqual({ groups: ["finance"], publicKey });
    expect(config.people["constructor"]).toBeUndefined();
    expect(Object.isFrozen(config.people["ana"]?.groups)).toBe(true);
  });

  test("freezes the result all the way down and shares nothing with what was handed in", () => {
    const listed = ["a"];
    const raw = {
      endpoints: { crm: { handler: "a@1" } },
      routes: [{ match: { when: { "data.x": { in: [listed] } } }, to: ["crm"] }],
    };
    const config = parse(raw);
    listed.push("b");
    expect(config.routes[0]?.match.when).toEqual({ "data.x": { in: [["a"]] } });
    const unfrozen: string[] = [];
    const walk = (value: unknown, path: string): void => {
      if (typeof value !== "object" || value === null) return;
      if (!Object.isFrozen(value)) unfrozen.push(path);
      for (const [key, member] of Object.entries(value)) walk(member, `${path}.${key}`);
    };
    walk(config, "config");
    expect(unfrozen).toEqual([]);
  });

  test("finds nothing under names that every object inherits", () => {
    const config = parse({ endpoints: { crm: { handler: "a@1" } } });
    expect(config.endpoints["constructor"]).toBeUndefined();
    expect(config.sources["constructor"]).toBeUndefined();
  });

  test("lets every endpoint reach what the caller allows besides", () => {
    const raw = {
      endpoints: {
        crm: { url: "http://127.0.0.1:8080/", allowPrivate: ["10.0.0.0/8"] },
        erp: { url: "http://localhost/" },
      },
    };
    const config = parseConfig(raw, { path: null, alsoAllowPrivate: ["127.0.0.0/8", "10.0.0.0/8"] });
    expect(config.endpoints["crm"]?.allowPrivate).toEqual(["10.0.0.0/8", "127.0.0.0/8"]);
    expect(config.endpoints["erp"]?.allowPrivate).toEqual(["127.0.0.0/8", "10.0.0.0/8"]);
  });
});
