/** The examples of docs/configuration.md are configurations and handlers that load. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Config } from "../../src/config/config.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { parseConfig } from "../../src/config/parse-config.ts";
import { planDelivery } from "../../src/config/plan-delivery.ts";
import { resolveEndpoint } from "../../src/config/resolve-endpoint.ts";
import { handlersFor, loadHandlers } from "../../src/worker/load-handlers.ts";

const page = await readFile("docs/configuration.md", "utf8");

/** The example as a user would have it: the configuration beside its handlers. */
async function loadExample(): Promise<Config> {
  const [config = "", handlers = ""] = [...page.matchAll(/```ts\n(.*?)```/gs)].map(([, code = ""]) => code);
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
