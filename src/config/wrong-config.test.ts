import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CountersignError } from "../errors.ts";
import { parseConfig } from "./parse-config.ts";

const URL_OK = "https://crm.example/in";
const endpoint = (raw: object) => ({ endpoints: { crm: { url: URL_OK, ...raw } } });
const route = (raw: object) => ({
  sources: { shop: {} },
  endpoints: { crm: { url: URL_OK } },
  routes: [{ to: ["crm"], ...raw }],
});
const NAME_RULE = "a lower-case letter, then up to 62 lower-case letters, digits and hyphens";
const SECRET_RULE =
  "'whsec_' and 24 to 64 bytes in base64, or 'whsk_' and an Ed25519 key of 32 or 64 bytes in base64, or env('NAME')";

function refusal(raw: unknown, path: string | null = null): CountersignError {
  try {
    parseConfig(raw, { path });
  } catch (error) {
    if (error instanceof CountersignError) return error;
    throw error;
  }
  throw new Error("The configuration was accepted.");
}

/** Messages of one problem, without their common head. */
const ONE_PROBLEM: readonly (readonly [raw: unknown, message: string])[] = [
  [
    5,
    "the configuration: found 5; accepted: an object with temporal, sources, endpoints, handlers, routes, people, keys, dedupeWindow, deployment",
  ],
  [
    { endpoint: {} },
    "endpoint: unknown key; accepted: temporal, sources, endpoints, handlers, routes, people, keys, dedupeWindow, deployment",
  ],
  [{ temporal: { address: "x" } }, "temporal.address: unknown key; accepted: namespace, taskQueue"],
  [{ dedupeWindow: 7 }, "dedupeWindow: found 7; accepted: a duration of at least 1 s, such as '7d'"],
  [{ handlers: "./a.ts" }, 'handlers: found "./a.ts"; accepted: a list of module paths'],
  [
    { deployment: { name: "a.b", build: "1" } },
    'deployment.name: found "a.b"; accepted: a name of 1 to 200 characters without . and :',
  ],
  [
    { deployment: { name: "a" } },
    "deployment.build: found nothing; accepted: the id of a build, of 1 to 200 characters",
  ],
  // sources
  [{ sources: [] }, "sources: found an empty list; accepted: an object of sources by name"],
  [{ sources: { Shop: {} } }, `sources.Shop: is not a valid name; accepted: ${NAME_RULE}`],
  [
    { sources: { countersign: {} } },
    "sources.countersign: is reserved for Countersign's own test events; accepted: any other name",
  ],
  [{ sources: { shop: { alias: ["a"] } } }, "sources.shop.alias: unknown key; accepted: aliases, verify, idFrom"],
  [
    { sources: { a: { aliases: ["x"] }, b: { aliases: ["x"] } } },
    'sources.b.aliases[0]: found "x"; accepted: a text that is not yet a name or alias of source a',
  ],
  [
    { sources: { a: { aliases: ["b"] }, b: {} } },
    'sources.a.aliases[0]: found "b"; accepted: a text that is not yet a name or alias of source b',
  ],
  // endpoints
  [{ endpoints: { crm_1: { url: URL_OK } } }, `endpoints.crm_1: is not a valid name; accepted: ${NAME_RULE}`],
  [
    { endpoints: { [`a${"b".repeat(63)}`]: { url: URL_OK } } },
    `endpoints.a${"b".repeat(63)}: is not a valid name; accepted: ${NAME_RULE}`,
  ],
  [{ endpoints: { crm: {} } }, "endpoints.crm: found neither url nor handler; accepted: exactly one of them"],
  [endpoint({ handler: "a@1" }), "endpoints.crm: found both url and handler; accepted: exactly one of them"],
  [
    { endpoints: { crm: { handler: "refund" } } },
    "endpoints.crm.handler: found \"refund\"; accepted: name@version of a handler, such as 'refund@1'",
  ],
  [endpoint({ method: "GET" }), "endpoints.crm.method: found \"GET\"; accepted: 'POST', 'PUT', 'PATCH'"],
  [endpoint({ url: "ftp://crm.example" }), "endpoints.crm.url: is not an absolute https: URL"],
  [endpoint({ url: "/in" }), "endpoints.crm.url: is not an absolute https: URL"],
  [endpoint({ url: "https://crm.example/ in" }), "endpoints.crm.url: is not an absolute https: URL"],
  [
    endpoint({ url: "https://ana:hunter2@crm.example/" }),
    "endpoints.crm.url: holds credentials; put them into headers",
  ],
  [
    endpoint({ url: "https://crm.example/#top" }),
    "endpoints.crm.url: ends with a fragment (#…), which is never sent; remove it",
  ],
  [
    endpoint({ url: "http://crm.example/" }),
    "endpoints.crm.url: is plain http:, which is accepted only for addresses named in allowPrivate",
  ],
  [
    endpoint({ url: "https://crm.example:9443/" }),
    "endpoints.crm.url: uses port 9443; accepted: 443, 8443 and those named in ports",
  ],
  [
    endpoint({ url: { env: "CRM-URL" } }),
    "endpoints.crm.url.env: found a string (7 characters); accepted: the name of an environment variable: letters, digits and _",
  ],
  [endpoint({ url: { env: "A", default: "b" } }), "endpoints.crm.url.default: unknown key; accepted: env"],
  [
    endpoint({ headers: { "content-type": "text/plain" } }),
    "endpoints.crm.headers.content-type: is set by Countersign and cannot be configured; remove it",
  ],
  [
    endpoint({ headers: { "Webhook-Id": "1" } }),
    "endpoints.crm.headers.Webhook-Id: is set by Countersign and cannot be configured; remove it",
  ],
  [
    endpoint({ headers: { TE: "trailers" } }),
    "endpoints.crm.headers.TE: belongs to the connection and cannot be configured; remove it",
  ],
  [
    endpoint({ headers: { "x y": "1" } }),
    'endpoints.crm.headers["x y"]: not a header name; accepted: letters, digits and -',
  ],
  [
    endpoint({ headers: { a: "1", A: "2" } }),
    "endpoints.crm.headers.A: is there twice; upper and lower case do not count in header names",
  ],
  [
    endpoint({ headers: { a: "x\r\nb: y" } }),
    "endpoints.crm.headers.a: found a string (7 characters); accepted: a string of Latin-1 characters without line breaks, or env('NAME')",
  ],
  [
    endpoint({ headers: { a: "苗" } }),
    "endpoints.crm.headers.a: found a string (1 character); accepted: a string of Latin-1 characters without line breaks, or env('NAME')",
  ],
  [
    endpoint({ headers: { a: 5 } }),
    "endpoints.crm.headers.a: found a number; accepted: a string of Latin-1 characters without line breaks, or env('NAME')",
  ],
  [
    endpoint({ signing: { secrets: [{ env: "A" }] } }),
    "endpoints.crm.signing.scheme: found nothing; accepted: 'standard-webhooks'",
  ],
  [
    endpoint({ signing: { scheme: "standard-webhooks", secrets: [] } }),
    "endpoints.crm.signing.secrets: found an empty list; accepted: a list of 1 to 10 secrets",
  ],
  [
    endpoint({ signing: { scheme: "standard-webhooks", secrets: ["whsec_AAECAw=="] } }),
    `endpoints.crm.signing.secrets[0]: found a string (14 characters); accepted: ${SECRET_RULE}`,
  ],
  [
    endpoint({ retry: "slow" }),
    "endpoints.crm.retry: found \"slow\"; accepted: 'standard', 'quick', 'none', or an object with attempts, initial, factor, max or with schedule",
  ],
  [
    endpoint({ retry: { schedule: ["5s", "10ms"] } }),
    "endpoints.crm.retry.schedule[1]: found \"10ms\"; accepted: a wait of at least 1 s, such as '5s', '3m', '2h'",
  ],
  [
    endpoint({ retry: { initial: "2h", max: "1h" } }),
    'endpoints.crm.retry.max: found "1h"; accepted: a wait of at least initial',
  ],
  [
    endpoint({ timeouts: { total: "2h" } }),
    "endpoints.crm.timeouts.total: found \"2h\"; accepted: a duration from '1ms' to '1h', such as '5s'",
  ],
  [
    endpoint({ limits: { rate: { perSecond: 0 } } }),
    "endpoints.crm.limits.rate.perSecond: found 0; accepted: a number above 0, at most 100000",
  ],
  [
    endpoint({ circuit: true }),
    "endpoints.crm.circuit: found true; accepted: false, or an object with failures, share, window, minimum, open, probes",
  ],
  [
    endpoint({ classify: { 42: "retry" } }),
    "endpoints.crm.classify.42: unknown key; accepted: a status from 100 to 599",
  ],
  [
    endpoint({ classify: { 409: "done" } }),
    "endpoints.crm.classify.409: found \"done\"; accepted: 'delivered', 'retry', 'refused'",
  ],
  [endpoint({ idempotent: "no" }), 'endpoints.crm.idempotent: found "no"; accepted: true or false'],
  [endpoint({ format: "json" }), "endpoints.crm.format: found \"json\"; accepted: 'bytes', 'cloudevents'"],
  [
    endpoint({ allowPrivate: ["127.0.0.1"] }),
    "endpoints.crm.allowPrivate[0]: found \"127.0.0.1\"; accepted: an address block such as '127.0.0.0/8' or '::1/128'",
  ],
  [endpoint({ ports: [0] }), "endpoints.crm.ports[0]: found 0; accepted: a whole number from 1 to 65535"],
  [
    endpoint({ maxBodyBytes: "2MiB" }),
    "endpoints.crm.maxBodyBytes: found \"2MiB\"; accepted: a size from '1B' to '1MiB', such as '256KiB'",
  ],
  // routes
  [route({ to: ["crn"] }), 'routes[0].to[0]: found "crn"; accepted: a configured endpoint: crm'],
  [{ routes: [{ to: ["crm"] }] }, 'routes[0].to[0]: found "crm"; accepted: a configured endpoint; none is configured'],
  [route({ to: [] }), "routes[0].to: found an empty list; accepted: a list of at least one endpoint"],
  [route({ match: { source: "shp" } }), 'routes[0].match.source: found "shp"; accepted: a configured source: shop'],
  [route({ match: { event: "x" } }), "routes[0].match.event: unknown key; accepted: source, type, when"],
  [
    route({ match: { when: { amount: { gt: 5 } } } }),
    "routes[0].match.when.amount: unknown key; accepted: a path such as 'data.amount', 'type' or 'subject'",
  ],
  [
    route({ match: { when: { "data.a": { above: 5 } } } }),
    'routes[0].match.when["data.a"].above: unknown key; accepted: eq, ne, gt, gte, lt, lte, in, exists',
  ],
  [
    route({ match: { when: { "data.a": {} } } }),
    'routes[0].match.when["data.a"]: found an empty object; accepted: at least one of eq, ne, gt, gte, lt, lte, in, exists',
  ],
  [
    route({ match: { when: { "data.a": { gt: true } } } }),
    'routes[0].match.when["data.a"].gt: found true; accepted: a number or a string',
  ],
  [
    route({ match: { when: { "data.a": { eq: Number.NaN } } } }),
    'routes[0].match.when["data.a"].eq: found NaN; accepted: a JSON value',
  ],
  [
    route({ match: { when: "data.a > 5" } }),
    "routes[0].match.when: found \"data.a > 5\"; accepted: an object of operators by path, such as { 'data.amount': { gt: 500 } }, or a function of the event",
  ],
  // a key without effect, well formed
  [
    endpoint({ retryAfterScope: "nobody" }),
    `endpoints.crm.retryAfterScope: found "nobody"; accepted: 'endpoint', 'delivery'`,
  ],
  [endpoint({ order: "data.id" }), "endpoints.crm.order: has no effect in this version; remove it"],
];

describe("a wrong configuration", () => {
  test.each(ONE_PROBLEM.map(([raw, message]) => ({ raw, message })))("is refused: $message", ({ raw, message }) => {
    const error = refusal(raw);
    expect(error.message).toBe(`The configuration is not valid: ${message}`);
    expect(error.code).toBe("config_invalid");
  });

  test("is refused with every problem at once, under the name of its file", () => {
    const error = refusal(
      { sources: { shop: { x: 1 } }, routes: 5, dedupeWindow: "soon" },
      "/srv/countersign.config.ts",
    );
    expect(error.message).toBe(
      [
        "The configuration /srv/countersign.config.ts is not valid, 3 problems:",
        "  - sources.shop.x: unknown key; accepted: aliases, verify, idFrom",
        "  - routes: found 5; accepted: a list of routes",
        `  - dedupeWindow: found "soon"; accepted: a duration of at least 1 s, such as '7d'`,
      ].join("\n"),
    );
    expect(error.details).toEqual({ problems: 3, path: "sources.shop.x", file: "/srv/countersign.config.ts" });
  });

  test("names each key that has no effect yet and leaves the others alone", () => {
    const error = refusal({
      sources: { shop: {}, stripe: { verify: { scheme: "stripe", secrets: [{ env: "STRIPE_WEBHOOK_SECRET" }] } } },
      endpoints: {
        crm: {
          url: { env: "CRM_URL" },
          order: "data.id",
          limits: { rate: { perSecond: 20 }, concurrency: 10 },
          circuit: { failures: 5, open: "30s" },
          allowPrivate: ["10.0.0.0/8"],
        },
        payments: {
          handler: "refund@1",
          idempotent: false,
          retry: "quick",
          circuit: false,
          retryAfterScope: "delivery",
        },
      },
      routes: [
        { match: { source: "shop", type: "order.*" }, to: ["crm"] },
        {
          match: { type: "refund.requested" },
          to: ["payments"],
          approval: { when: { "data.amount": { gt: 500 } }, approvers: ["group:finance"] },
        },
      ],
      people: { "ana@example.com": { groups: ["finance"] } },
      keys: [{ id: "k1", role: "ingest", hash: `sha256:${"00".repeat(32)}` }],
    });
    expect(error.message).toBe(
      "The configuration is not valid: endpoints.crm.order: has no effect in this version; remove it",
    );
  });

  test("never shows a value where a secret may stand, whatever its shape", () => {
    const secret = fc.string({ unit: "binary", minLength: 8, maxLength: 80 }).map((text) => `s3cr3t${text}s3cr3t`);
    const place = fc.constantFrom<(value: string) => unknown>(
      (value) => endpoint({ headers: { authorization: `${value}\n` } }),
      (value) => endpoint({ headers: value }),
      (value) => endpoint({ headers: { authorization: { env: `-${value}` } } }),
      (value) => endpoint({ headers: { authorization: [value] } }),
      (value) => endpoint({ signing: value }),
      (value) => endpoint({ signing: { scheme: "standard-webhooks", secrets: value } }),
      (value) => endpoint({ signing: { scheme: "standard-webhooks", secrets: [value] } }),
      (value) => endpoint({ signing: { scheme: "standard-webhooks", secrets: [`whsec_${value}`] } }),
      (value) => endpoint({ signing: { scheme: value, secrets: [{ env: "A" }] } }),
      (value) => endpoint({ signing: { scheme: "standard-webhooks", secret: value } }),
      (value) => endpoint({ retry: `whsec_${value}` }),
      (value) => endpoint({ url: `https://ana:${value}@crm.example/` }),
      (value) => endpoint({ url: `http://crm.example/?token=${value}` }),
      (value) => ({ endpoints: { crm: `https://crm.example/?token=${value}` } }),
      (value) => ({ sources: { stripe: { verify: { scheme: "stripe", secrets: [value, `\n${value}`] } } } }),
      (value) => ({ sources: { stripe: { verify: { scheme: value } } } }),
      (value) => ({ sources: { sns: { verify: { scheme: "sns", certificates: [value], topics: value } } } }),
      (value) => ({ sources: { square: { verify: { scheme: "square", secrets: value, publicUrl: value } } } }),
      (value) => ({ keys: [{ id: "k", role: "ingest", hash: `\n${value}` }] }),
      (value) => ({ keys: value }),
      (value) => ({ people: { ana: { publicKey: value.slice(0, 40) } } }),
    );
    fc.assert(
      fc.property(secret, place, (value, wrong) => {
        const error = refusal(wrong(value));
        expect(error.code).toBe("config_invalid");
        expect(`${error.message} ${JSON.stringify(error.details)}`).not.toContain("s3cr3t");
      }),
    );
  });

  test("is refused, and nothing worse, whatever it is", () => {
    fc.assert(
      fc.property(fc.anything(), (raw) => {
        try {
          parseConfig(raw, { path: null });
        } catch (error) {
          expect(error).toBeInstanceOf(CountersignError);
        }
      }),
    );
  });
});
