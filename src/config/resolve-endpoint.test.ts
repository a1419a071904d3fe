import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CountersignError } from "../errors.ts";
import type { Endpoint } from "./config.ts";
import { env } from "./define-config.ts";
import { parseConfig } from "./parse-config.ts";
import { displayUrl, endpointVariables, resolveEndpoint, type Environment } from "./resolve-endpoint.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

function anEndpoint(raw: object = {}): Endpoint {
  const endpoint = parseConfig({ endpoints: { crm: { url: env("CRM_URL"), ...raw } } }, { path: null }).endpoints[
    "crm"
  ];
  if (endpoint === undefined) throw new Error("The endpoint crm is missing.");
  return endpoint;
}

function refusal(endpoint: Endpoint, environment: Environment): CountersignError {
  try {
    resolveEndpoint(endpoint, environment);
  } catch (error) {
    if (error instanceof CountersignError) return error;
    throw error;
  }
  throw new Error("The endpoint was resolved.");
}

describe("resolveEndpoint", () => {
  const full = anEndpoint({
    headers: { authorization: env("CRM_AUTHORIZATION"), "x-team": "sales" },
    signing: { scheme: "standard-webhooks", secrets: [env("NEW_SECRET"), SECRET] },
  });

  test("replaces every reference and keeps every literal", () => {
    const resolved = resolveEndpoint(full, {
      CRM_URL: "https://crm.example/in?token=1",
      CRM_AUTHORIZATION: "Bearer é",
      NEW_SECRET: `whsk_${"A".repeat(43)}=`,
    });
    expect(resolved.url).toBe("https://crm.example/in?token=1");
    expect(resolved.headers).toEqual({ authorization: "Bearer é", "x-team": "sales" });
    expect(resolved.signing).toEqual({ scheme: "standard-webhooks", secrets: [`whsk_${"A".repeat(43)}=`, SECRET] });
    expect(resolved).toMatchObject({ name: "crm", method: "POST", retry: full.retry });
  });

  test("needs nothing for a handler", () => {
    const endpoint = parseConfig({ endpoints: { refunds: { handler: "refund@1" } } }, { path: null }).endpoints[
      "refunds"
    ];
    expect(endpoint && resolveEndpoint(endpoint, {})).toMatchObject({
      url: null,
      handler: "refund@1",
      signing: null,
      headers: {},
    });
  });

  test("names every missing variable and the endpoint", () => {
    const error = refusal(full, { CRM_AUTHORIZATION: "" });
    expect(error.code).toBe("missing_env");
    expect(error.message).toBe(
      'Endpoint "crm" needs the environment variables CRM_URL, CRM_AUTHORIZATION, NEW_SECRET, which are not set or empty.',
    );
    expect(error.details).toEqual({ endpoint: "crm", variables: "CRM_URL, CRM_AUTHORIZATION, NEW_SECRET" });
    expect(refusal(anEndpoint(), {}).message).toBe(
      'Endpoint "crm" needs the environment variable CRM_URL, which is not set or empty.',
    );
  });

  test("does not take inherited members of the environment for variables", () => {
    expect(refusal(anEndpoint({ url: env("constructor") }), {}).code).toBe("missing_env");
  });

  test.each([
    ["crm.example", "is not an absolute https: URL"],
    [" https://crm.example/", "is not an absolute https: URL"],
    ["http://crm.example/", "is plain http:, which is accepted only for addresses named in allowPrivate"],
    ["https://crm.example:1/", "uses port 1; accepted: 443, 8443 and those named in ports"],
    ["https://u:p@crm.example/", "holds credentials; put them into headers"],
  ])("refuses the URL %j", (url, complaint) => {
    const error = refusal(anEndpoint(), { CRM_URL: url });
    expect(error.code).toBe("config_invalid");
    expect(error.message).toBe(`Endpoint "crm": the url from environment variable CRM_URL ${complaint}.`);
  });

  test("accepts plain http: and any port where private addresses are allowed, and ports that are named", () => {
    const local = anEndpoint({ allowPrivate: ["127.0.0.0/8"] });
    expect(resolveEndpoint(local, { CRM_URL: "http://127.0.0.1:8080/" }).url).toBe("http://127.0.0.1:8080/");
    expect(resolveEndpoint(anEndpoint({ ports: [9443] }), { CRM_URL: "https://crm.example:9443/" }).url).toBe(
      "https://crm.example:9443/",
    );
  });

  test("refuses header values and secrets that cannot be used", () => {
    const values = { CRM_URL: "https://crm.example/", CRM_AUTHORIZATION: "a", NEW_SECRET: SECRET };
    expect(refusal(full, { ...values, CRM_AUTHORIZATION: "Bearer x\n" }).message).toBe(
      'Endpoint "crm": the header authorization from environment variable CRM_AUTHORIZATION must be a string of Latin-1 characters without line breaks.',
    );
    expect(refusal(full, { ...values, NEW_SECRET: `${SECRET}\n` }).message).toBe(
      `Endpoint "crm": the signing secret from environment variable NEW_SECRET must be 'whsec_' and 24 to 64 bytes in base64, or 'whsk_' and an Ed25519 key of 32 or 64 bytes in base64.`,
    );
  });

  test("never shows a value", () => {
    const value = fc.string({ unit: "binary", maxLength: 60 }).map((text) => `s3cr3t${text}`);
    const environments = fc.record(
      { CRM_URL: value, CRM_AUTHORIZATION: value, NEW_SECRET: value },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(
        environments,
        fc.constantFrom("", "https://a:", "http://h/", "https://h:1/", "whsec_", "whsk_"),
        (environment, prefix) => {
          const prefixed = Object.fromEntries(
            Object.entries(environment).map(([name, text]) => [name, `${prefix}${text}`]),
          );
          const error = refusal(full, prefixed);
          expect(`${error.message} ${JSON.stringify(error.details)}`).not.toContain("s3cr3t");
        },
      ),
    );
  });
});

test("endpointVariables names each variable once", () => {
  const secrets = [env("B"), env("A"), env("B"), SECRET];
  const endpoint = anEndpoint({
    url: env("A"),
    headers: { x: env("B"), y: "z" },
    signing: { scheme: "standard-webhooks", secrets },
  });
  expect(endpointVariables(endpoint)).toEqual(["A", "B"]);
});

describe("displayUrl", () => {
  test.each([
    [{ url: "https://crm.example:8443/in/box?token=s3cr3t#x", handler: null }, "https://crm.example:8443/in/box"],
    [{ url: "https://ana:s3cr3t@crm.example", handler: null }, "https://crm.example/"],
    [{ url: "crm.example", handler: null }, "(not a URL)"],
    [{ url: env("CRM_URL"), handler: null }, "env(CRM_URL)"],
    [{ url: null, handler: "refund@1" }, "refund@1"],
  ])("shows %j as %s", (endpoint, text) => {
    expect(displayUrl(endpoint)).toBe(text);
  });
});
