import { describe, expect, test } from "vitest";
import { CountersignError } from "../errors.ts";
import type { Endpoint, Reconcile } from "./config.ts";
import { env } from "./define-config.ts";
import { parseConfig } from "./parse-config.ts";
import type { RawEndpoint } from "./raw-config.ts";
import { endpointVariables, resolveEndpoint } from "./resolve-endpoint.ts";

const BY_URL = {
  url: "https://pay.example/refunds/{idempotencyKey}",
  delivered: { status: 200, json: { "$.status": "succeeded" } },
  absent: { status: 404 },
} as const;

function endpoint(raw: Omit<RawEndpoint, "idempotent">, idempotent = false): Endpoint {
  const endpoints = { pay: { url: "https://pay.example/in", idempotent, ...raw } };
  const parsed = parseConfig({ endpoints }, { path: null }).endpoints["pay"];
  if (parsed === undefined) throw new Error("The endpoint pay is missing.");
  return parsed;
}

function refusal(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof CountersignError) return error.message;
    throw error;
  }
  throw new Error("It was accepted.");
}

const wrong = (reconcile: unknown, more: object = {}): string =>
  refusal(() => endpoint({ reconcile: reconcile as NonNullable<RawEndpoint["reconcile"]>, ...more })); // on purpose

describe("reconcile", () => {
  test("is none where nothing is said", () => {
    expect(endpoint({}).reconcile).toBeNull();
  });

  test("is kept as it was written", () => {
    expect(endpoint({ reconcile: { handler: "lookup@1" } }).reconcile).toEqual({
      kind: "handler",
      handler: "lookup@1",
    });
    expect(endpoint({ reconcile: { ...BY_URL, headers: { "X-Team": "sales" } } }).reconcile).toEqual({
      kind: "url",
      url: BY_URL.url,
      headers: { "x-team": "sales" },
      rules: { delivered: BY_URL.delivered, absent: { status: 404, json: {} } },
    } satisfies Reconcile);
  });

  test.each<[string, unknown, string]>([
    [
      "a handler without a version",
      { handler: "lookup" },
      "endpoints.pay.reconcile.handler: found \"lookup\"; accepted: name@version of a handler, such as 'refund@1'",
    ],
    [
      "no rule for what is absent",
      { url: BY_URL.url, delivered: { status: 200 } },
      "endpoints.pay.reconcile.absent: found nothing; accepted: an object with status, json",
    ],
    [
      "a status that is none",
      { ...BY_URL, absent: { status: 40 } },
      "endpoints.pay.reconcile.absent.status: found 40; accepted: a whole number from 100 to 599",
    ],
    [
      "a path that is none",
      { ...BY_URL, delivered: { status: 200, json: { status: "ok" } } },
      "endpoints.pay.reconcile.delivered.json.status: unknown key; accepted: a path such as $.status or $.data[0].state",
    ],
    [
      "rules that cannot be told apart",
      { ...BY_URL, absent: { status: 200 } },
      "endpoints.pay.reconcile: found the same status for delivered and absent; accepted: another status, or json with both of them",
    ],
    [
      "a placeholder nobody fills in",
      { ...BY_URL, url: "https://pay.example/{key}" },
      "endpoints.pay.reconcile.url: holds a placeholder other than {idempotencyKey}, {source} and {id}",
    ],
    [
      "a placeholder in the host",
      { ...BY_URL, url: "https://{source}.pay.example/{id}" },
      "endpoints.pay.reconcile.url: has a placeholder in its host",
    ],
    [
      "plain http",
      { ...BY_URL, url: "http://pay.example/{id}" },
      "endpoints.pay.reconcile.url: is plain http:, which is accepted only for addresses named in allowPrivate",
    ],
    [
      "a header of ours",
      { ...BY_URL, headers: { "user-agent": "x" } },
      "endpoints.pay.reconcile.headers.user-agent: is set by Countersign and cannot be configured; remove it",
    ],
  ])("with %s is refused", (_, reconcile, message) => {
    expect(wrong(reconcile)).toBe(`The configuration is not valid: ${message}`);
  });

  test("may tell by members alone what one status means", () => {
    const absent = { status: 200, json: { "$.data": [] } };
    expect(endpoint({ reconcile: { ...BY_URL, absent } }).reconcile).toMatchObject({ rules: { absent } });
  });

  test("is refused where requests may be repeated: nobody would ever ask", () => {
    expect(refusal(() => endpoint({ reconcile: BY_URL }, true))).toBe(
      "The configuration is not valid: endpoints.pay.reconcile: has no effect where requests may be repeated; accepted: with idempotent: false, or remove it",
    );
  });

  test("never shows a URL that is wrong", () => {
    expect(wrong({ ...BY_URL, url: "https://user:s3cr3t@pay.example/{id}" })).toBe(
      "The configuration is not valid: endpoints.pay.reconcile.url: holds credentials; put them into headers",
    );
  });
});

describe("a resolved lookup", () => {
  const headers = { authorization: env("PAY_AUTHORIZATION") };
  const environment = { PAY_AUTHORIZATION: "Bearer 1", LOOKUP_URL: "https://api.example/{id}", LOOKUP_TOKEN: "t2" };
  const resolved = (raw: Omit<RawEndpoint, "idempotent">) => resolveEndpoint(endpoint(raw), environment).reconcile;

  test("brings the endpoint's own headers where it goes to the same origin", () => {
    expect(resolved({ headers, reconcile: BY_URL })).toEqual({
      kind: "url",
      url: BY_URL.url,
      headers: { authorization: "Bearer 1" },
      rules: { delivered: BY_URL.delivered, absent: { status: 404, json: {} } },
    });
  });

  test.each(["https://api.example/{id}", "https://pay.example:8443/{id}"])(
    "does not show the endpoint's credentials to %s",
    (url) => {
      expect(resolved({ headers, reconcile: { ...BY_URL, url } })).toHaveProperty("headers", {});
    },
  );

  test("brings headers of its own wherever it goes, and references are replaced", () => {
    const reconcile = { ...BY_URL, url: env("LOOKUP_URL"), headers: { "X-Token": env("LOOKUP_TOKEN") } };
    expect(resolved({ headers, reconcile })).toMatchObject({
      url: "https://api.example/{id}",
      headers: { "x-token": "t2" },
    });
    const variables = ["PAY_AUTHORIZATION", "LOOKUP_URL", "LOOKUP_TOKEN"];
    expect(endpointVariables(endpoint({ headers, reconcile }))).toEqual(variables);
  });

  test("of a handler's endpoint brings its headers: they have no other use", () => {
    const endpoints = { pay: { handler: "refund@1", idempotent: false, headers, reconcile: BY_URL } };
    const pay = parseConfig({ endpoints }, { path: null }).endpoints["pay"];
    expect(pay && resolveEndpoint(pay, environment).reconcile).toMatchObject({
      headers: { authorization: "Bearer 1" },
    });
  });

  test("by a handler is as it was", () => {
    expect(resolved({ reconcile: { handler: "lookup@1" } })).toEqual({ kind: "handler", handler: "lookup@1" });
  });

  test.each([
    [
      { LOOKUP_URL: "https://api.example/{nobody}" },
      "reconcile url from environment variable LOOKUP_URL holds a placeholder",
    ],
    [{ LOOKUP_TOKEN: "a\nb" }, "reconcile header x-token from environment variable LOOKUP_TOKEN must be"],
    [{ LOOKUP_URL: "" }, "needs the environment variable LOOKUP_URL"],
  ])("with %j ends the start", (changes, words) => {
    const reconcile = { ...BY_URL, url: env("LOOKUP_URL"), headers: { "x-token": env("LOOKUP_TOKEN") } };
    const act = () => resolveEndpoint(endpoint({ reconcile }), { ...environment, ...changes });
    expect(refusal(act)).toContain(words);
  });
});
