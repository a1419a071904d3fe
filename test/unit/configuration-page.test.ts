/** The examples of docs/configuration.md are configurations and handlers that load. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { loadConfig } from "../../src/config/load-config.ts";
import { parseConfig } from "../../src/config/parse-config.ts";
import { resolveEndpoint } from "../../src/config/resolve-endpoint.ts";
import { handlersFor, loadHandlers } from "../../src/worker/load-handlers.ts";

async function blocks(): Promise<readonly string[]> {
  const page = await readFile("docs/configuration.md", "utf8");
  return [...page.matchAll(/```ts\n(.*?)```/gs)].map(([, code = ""]) => code);
}

test("the example on the page loads, and its handler serves its endpoint", async () => {
  const [config = "", handlers = ""] = await blocks();
  const folder = await mkdtemp(join(tmpdir(), "countersign-page-"));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "countersign.config.ts"), config);
  await writeFile(join(folder, "handlers.ts"), handlers);
  const loaded = await loadConfig({ cwd: folder, environment: {} });
  const environment = {
    CRM_URL: "https://crm.example/hook",
    CRM_AUTHORIZATION: "Bearer x",
    CRM_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 1).toString("base64")}`,
  };
  const endpoints = Object.values(loaded.endpoints).map((endpoint) => resolveEndpoint(endpoint, environment));
  const served = handlersFor(endpoints, await loadHandlers(loaded.handlers));
  expect([...served.keys()]).toEqual(["refund@1"]);
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
