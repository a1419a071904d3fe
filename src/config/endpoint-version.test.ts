import { expect, test } from "vitest";
import { endpointVersion } from "./endpoint-version.ts";
import { parseConfig } from "./parse-config.ts";
import { resolveEndpoint } from "./resolve-endpoint.ts";

const raw = { url: { env: "CRM_URL" }, headers: { authorization: { env: "CRM_TOKEN" } } };
const crm = parseConfig({ endpoints: { crm: raw } }, { path: null }).endpoints["crm"];

function versionWith(environment: Readonly<Record<string, string>>): string {
  if (crm === undefined) throw new TypeError("There is no endpoint crm");
  return endpointVersion(crm, resolveEndpoint(crm, environment));
}

test("a changed secret or URL changes the version of an endpoint, and only hints at them", () => {
  const version = versionWith({ CRM_URL: "https://crm.example/in", CRM_TOKEN: "Bearer one" });
  expect(version).toMatch(/^sha256:[0-9a-f]{64}:[0-9a-f]{4}$/u);
  expect(versionWith({ CRM_URL: "https://crm.example/in", CRM_TOKEN: "Bearer one" })).toBe(version);
  expect(versionWith({ CRM_URL: "https://crm.example/in", CRM_TOKEN: "Bearer two" })).not.toBe(version);
  expect(versionWith({ CRM_URL: "https://crm.example/new", CRM_TOKEN: "Bearer one" })).not.toBe(version);
});

test("a process that does not know the secrets says what the configuration says", () => {
  if (crm === undefined) throw new TypeError("There is no endpoint crm");
  expect(endpointVersion(crm, null)).toMatch(/^sha256:[0-9a-f]{64}$/u);
});
