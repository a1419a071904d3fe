/** The examples of docs/configuration.md are configurations and handlers that load. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type AccessVerb, roleAllows } from "../../src/access/allows.ts";
import { formatKey, KEY_BYTES, makeKey } from "../../src/access/key-text.ts";
import type { Config } from "../../src/config/config.ts";
import { parseDurationMs } from "../../src/config/duration.ts";
import { KEY_ROLES } from "../../src/config/key-entry.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { parseConfig } from "../../src/config/parse-config.ts";
import { planDelivery } from "../../src/config/plan-delivery.ts";
import { resolveEndpoint } from "../../src/config/resolve-endpoint.ts";
import { CountersignError } from "../../src/errors.ts";
import { SCHEME_NAMES, schemeOf } from "../../src/signing/verify/schemes.ts";
import type { SchemeName } from "../../src/signing/verify/settings.ts";
import { handlersFor, loadHandlers } from "../../src/worker/load-handlers.ts";

const page = await readFile("docs/configuration.md", "utf8");

/** The example as a user would have it: the configuration beside its handlers. */
async function loadExample(): Promise<Config> {
  const blocks = [...page.matchAll(/```ts\n(.*?)```/gs)].map(([, code = ""]) => code);
  const [config = "", handlers = ""] = ["defineConfig({", "= handler("].map((word) =>
    blocks.find((code) => code.includes(word)),
  );
  const folder = await mkdtemp(join(tmpdir(), "countersign-page-"));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "countersign.config.ts"), config);
  await writeFile(join(folder, "handlers.ts"), handlers);
  return await loadConfig({ cwd: folder, environment: {} });
}

test("the example on the page loads, and its handler serves its endpoint", async () => {
  const loaded = await loadExample();
  const environment = {
    CRM_URL: "https://crm.example/hook",
    CRM_AUTHORIZATION: "Bearer x",
    CRM_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 1).toString("base64")}`,
  };
  const endpoints = Object.values(loaded.endpoints).map((endpoint) => resolveEndpoint(endpoint, environment));
  const served = handlersFor(endpoints, await loadHandlers(loaded.handlers));
  expect([...served.keys()]).toEqual(["refund@1"]);
});

test("the example on the page asks two people of finance about a large refund, and nobody about a small one", async () => {
  const loaded = await loadExample();
  const draftFor = (amount: number) => {
    const event = { source: "shop", id: "evt_1", type: "refund.requested", data: { amount } };
    const delivery = { event, endpoint: "payments", amendment: null, resolvedUrl: null, revision: 1 };
    return planDelivery(loaded, delivery);
  };
  const rule = { approvers: ["group:finance"], quorum: 2, fourEyes: true };
  expect(draftFor(501)).toMatchObject({ draft: { terms: { rules: [rule], expiresMs: 24 * 3_600_000 } } });
  expect(draftFor(500)).toMatchObject({ kind: "planned", draft: null });
});

test("the lookups on the page are lookups", async () => {
  const examples = [...page.matchAll(/```js\n(.*?)```/gs)].map(([, code = ""]) => code);
  const folder = await mkdtemp(join(tmpdir(), "countersign-page-"));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  const code = `${examples.join("\n")}\nexport default { endpoints: { refunds, payouts } };`;
  await writeFile(join(folder, "countersign.config.ts"), code);
  const { endpoints } = await loadConfig({ cwd: folder, environment: {} });
  expect(Object.values(endpoints).map(({ reconcile }) => reconcile?.kind)).toEqual(["url", "handler"]);
});

test("the defaults on the page are the defaults", () => {
  const { endpoints, temporal, dedupeWindowMs } = parseConfig(
    { endpoints: { crm: { url: "https://crm.example/" } } },
    { path: null },
  );
  expect({ temporal, dedupeWindowMs }).toEqual({
    temporal: { namespace: "default", taskQueue: "countersign" },
    dedupeWindowMs: 7 * 24 * 3_600_000,
  });
  expect(endpoints["crm"]).toMatchObject({
    method: "POST",
    timeouts: { connectMs: 5000, headersMs: null, totalMs: 20_000 },
    idempotent: true,
    isolated: false,
    limits: null,
    circuit: { failures: 5, share: 0.5, windowMs: 60_000, minimum: 20, openMs: 30_000, probes: 4 },
    retryAfterScope: "endpoint",
    allowPrivate: [],
    ports: [],
    maxBodyBytes: 256 * 1024,
    format: "bytes",
  });
});

test("every key of an approval and of a person is on the page, with its default", () => {
  const { routes, people } = parseConfig(
    {
      endpoints: { pay: { handler: "refund@1" } },
      routes: [{ to: ["pay"], approval: { approvers: ["ana"] } }],
      people: { ana: {} },
    },
    { path: null },
  );
  const { approvers: _, expiresMs, remindMs, when, ...rest } = routes[0]?.approval ?? {};
  const parsed = { ...rest, when, expires: expiresMs, remind: remindMs, ...people["ana"] };
  expect({ ...parsed, ...defaultsOn(Object.keys(parsed)) }).toEqual(parsed);

  /** What the table says, in the words of the parsed configuration. */
  function defaultsOn(keys: readonly string[]): Readonly<Record<string, unknown>> {
    return Object.fromEntries(
      keys.map((key) => [key, valueOf(new RegExp(`\\| \`${key}\` +\\| (.+?) +\\|`).exec(page)?.[1])]),
    );
  }

  function valueOf(text: string | undefined): unknown {
    if (text === "none" || text === "always") return null;
    if (text === "`'72h'`") return 72 * 3_600_000;
    return text === undefined ? text : JSON.parse(text.replaceAll("`", "").replaceAll("'", '"'));
  }
});

/** The text below a heading, without what stands below headings of its own. */
function section(heading: string): string {
  const [, text = ""] = new RegExp(`^#+ ${heading}\\n(.*?)(?=^#)`, "ms").exec(`${page}\n#`) ?? [];
  return text;
}

/** The first cells of each line of its tables, without their backticks; `cells[0]` is never empty. */
function rowsOf(text: string): readonly (readonly string[])[] {
  return [...text.matchAll(/^\| (`.*) \|$/gm)].map(([, line = ""]) =>
    line.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll(/^`([^`]*)`$/g, "$1")),
  );
}

/** The keys that are accepted beside an unknown one, as the refusal lists them. */
function keysAt(raw: unknown, path: string): readonly string[] {
  try {
    parseConfig(raw, { path: null });
  } catch (error) {
    const words = error instanceof CountersignError ? error.message : "";
    const line = words.split(`${path}: unknown key; accepted: `)[1]?.split("\n")[0];
    if (line !== undefined) return line.split(", ");
    throw error;
  }
  throw new Error("The unknown key was accepted.");
}

const UNKNOWN = { unknown: 1 };
const to = ["crm"];

test.each<readonly [heading: string, raw: unknown, path: string]>([
  ["Top level", UNKNOWN, "unknown"],
  ["Source", { sources: { shop: UNKNOWN } }, "sources.shop.unknown"],
  ["hmac", { sources: { shop: { verify: { scheme: "hmac", ...UNKNOWN } } } }, "sources.shop.verify.unknown"],
  ["Endpoint", { endpoints: { crm: UNKNOWN } }, "endpoints.crm.unknown"],
  ["Approval", { routes: [{ to, approval: UNKNOWN }] }, "routes[0].approval.unknown"],
  ["People", { people: { ana: UNKNOWN } }, "people.ana.unknown"],
  ["Key", { keys: [UNKNOWN] }, "keys[0].unknown"],
])("the table below %s has every key there is, and no other", (heading, raw, path) => {
  const told = rowsOf(section(heading)).map(([key = ""]) => key);
  const elsewhere = heading === "hmac" ? ["scheme", "secrets", "tolerance"] : [];
  const without = heading === "Endpoint" ? WITHOUT_EFFECT : [];
  const keys = keysAt(raw, path).filter((key) => ![...elsewhere, ...without].includes(key));
  expect(told.filter((key) => !ROLES.has(key)).toSorted()).toEqual(keys.toSorted());
});

const ROLES: ReadonlySet<string> = new Set(KEY_ROLES);

/** Ends the start, as the page says and another test shows. */
const WITHOUT_EFFECT = ["order"];

test("every scheme is on the page, with its tolerance and whatever else it takes", () => {
  const rows = rowsOf(section("Verify"));
  expect(rows.map(([scheme]) => scheme)).toEqual(SCHEME_NAMES);
  for (const [scheme = "", secrets, tolerance, besides = ""] of rows) {
    const { toleranceMs } = schemeOf(scheme as SchemeName); // by the line before
    const keys = keysAt({ sources: { shop: { verify: { scheme, ...UNKNOWN } } } }, "sources.shop.verify.unknown");
    const others = keys.filter((key) => !["scheme", "secrets", "tolerance"].includes(key));
    const told = [
      ...(secrets === "–" ? [] : ["secrets"]),
      ...(tolerance === "–" ? [] : ["tolerance"]),
      ...(scheme === "hmac" ? others : [...besides.matchAll(/\w+/g)].map(([word]) => word)),
    ];
    expect([scheme, told.toSorted()]).toEqual([scheme, keys.filter((key) => key !== "scheme").toSorted()]);
    const toldMs = tolerance === "–" ? null : parseDurationMs((tolerance ?? "").replaceAll("'", ""));
    expect([scheme, toldMs]).toEqual([scheme, toleranceMs]);
  }
});

test("the defaults of hmac on the page are the defaults", () => {
  const verify = { scheme: "hmac", secrets: ["x"], header: "x-signature", idHeader: "x-id" };
  const { sources } = parseConfig({ sources: { shop: { verify } } }, { path: null });
  const told = Object.fromEntries(rowsOf(section("hmac")).map(([key = "", value = ""]) => [key, value]));
  expect(sources["shop"]?.verify).toMatchObject({
    algorithm: textOf("algorithm"),
    encoding: textOf("encoding"),
    prefix: textOf("prefix"),
    signedText: textOf("signed"),
    typeFrom: textOf("typeFrom"),
    volatileMembers: JSON.parse(told["volatile"] ?? "") as unknown,
    timestampHeader: null,
    typeHeader: null,
  });

  function textOf(key: string): string {
    return (told[key] ?? "").replaceAll("'", "");
  }
});

test("the example of hmac is a source, and that of rotation has two secrets", () => {
  const blocks = [...page.matchAll(/```ts\n(verify: .*?)\n```/gs)].map(([, code = ""]) => code);
  const verified = blocks.map((code) => {
    const text = code.replaceAll(/env\("(\w+)"\)/g, '{ "env": "$1" }').replaceAll(/([{,]\s*)(\w+):/g, '$1"$2":');
    const verify = JSON.parse(text.replace("verify: ", "").replaceAll(/,(\s*\})/g, "$1")) as unknown;
    return parseConfig({ sources: { shop: { verify } } }, { path: null }).sources["shop"]?.verify;
  });
  expect(verified).toMatchObject([
    { scheme: "stripe", secrets: [{}, {}], toleranceMs: 300_000 },
    { scheme: "hmac", signedText: "{timestamp}.{body}", typeFrom: "event.name" },
  ]);
});

test("the roles on the page may what it says, and nothing else that it speaks of", () => {
  const rows = rowsOf(section("Key")).filter(([word]) => ROLES.has(word ?? ""));
  expect(rows.map(([role]) => role)).toEqual(KEY_ROLES);
  const verbs = rows.map(([, words = ""]) => [...words.matchAll(/`([a-z-]+)`/g)].map(([, verb = ""]) => verb));
  const spoken = [...new Set(verbs.flat())];
  for (const [index, role] of KEY_ROLES.entries()) {
    const may = spoken.filter((verb) => roleAllows(role, verb as AccessVerb)); // else nobody may it
    expect([role, may.toSorted()]).toEqual([role, verbs[index]?.toSorted()]);
  }
  expect(spoken).toHaveLength(16);
});

test("a key as it is printed has the form for secret scanners", () => {
  const [, form = ""] = /`(csk_\[.*?\})`/.exec(page) ?? [];
  const key = formatKey(makeKey(new Uint8Array(KEY_BYTES).fill(251)));
  expect(new RegExp(`^${form}$`).test(key)).toBe(true);
});
