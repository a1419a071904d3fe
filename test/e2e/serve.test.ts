/** `countersign serve` as people run it: what it says, what it refuses to start without, and how it stops. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RawConfig } from "../../src/config/raw-config.ts";
import { aKey, read } from "../support/an-app.ts";
import { countersign, type Folder } from "../support/command-line.ts";
import { serveFolder, type ServeProcess, startServe } from "../support/serve-process.ts";
import { openStage, type Stage } from "../support/stage.ts";
import { temporalEnvironment, uniqueName } from "../support/temporal.ts";

const KEY = aKey({ role: "ingest", sources: ["shop"] });

let stage: Stage;
let folder: Folder;
let serve: ServeProcess;

beforeAll(async () => {
  stage = await openStage({ endpoints: { crm: {} }, routes: [{ match: { type: "order.*" }, to: ["crm"] }] });
  const raw: RawConfig = {
    temporal: { taskQueue: stage.config.temporal.taskQueue },
    sources: { shop: {}, stripe: { verify: { scheme: "stripe", secrets: [{ env: "STRIPE_WEBHOOK_SECRET" }] } } },
    endpoints: { crm: { url: `${stage.destination.url}/crm` } },
    routes: [{ match: { type: "order.*" }, to: ["crm"] }],
    keys: [KEY.entry],
  };
  folder = await serveFolder(raw);
  serve = await startServe({ folder, environment: { ...temporalEnvironment(), STRIPE_WEBHOOK_SECRET: "a secret" } });
});

afterAll(async () => {
  serve.command.signal("SIGKILL");
  await stage.close();
  await folder.remove();
});

test("send --id-from makes the id of the members it names", async () => {
  const nr = uniqueName("nr");
  const argv = ["send", "--source", "shop", "--type", "order.created", "--id-from", "data.nr,data.state", "--json"];
  const data = JSON.stringify({ nr, state: "paid" });
  const sent = await countersign([...argv, "--data", data], { cwd: folder.path, environment: temporalEnvironment() });
  expect(JSON.parse(sent.stdout)).toMatchObject({ key: `shop/${nr}:paid`, duplicate: false });
});

test("says where it listens, what it takes, and nothing of its secrets", async () => {
  const said = serve.command.stderr();
  expect(said).toContain(`${serve.url}/v1/events  (1 key)`);
  expect(said).toContain(`${serve.url}/v1/hooks/stripe  (stripe)`);
  expect(said).not.toContain("a secret");
  expect(await read(fetch(`${serve.url}/readyz`))).toMatchObject({ status: 200, body: { ready: true } });
});

test("a missing secret of a provider ends the start with exit 2 and its name", async () => {
  const { exit, stderr } = await countersign(["serve", "--port", "0"], {
    cwd: folder.path,
    environment: temporalEnvironment(),
  });
  expect(exit).toBe(2);
  expect(stderr).toContain("STRIPE_WEBHOOK_SECRET");
});

test("no Temporal server ends the start with exit 5", async () => {
  const environment = { ...temporalEnvironment(), TEMPORAL_ADDRESS: "127.0.0.1:1", STRIPE_WEBHOOK_SECRET: "x" };
  const { exit, stderr } = await countersign(["serve", "--port", "0"], { cwd: folder.path, environment });
  expect(exit).toBe(5);
  expect(stderr).toContain("countersign dev");
});

test("SIGTERM ends it in good order", async () => {
  serve.command.signal("SIGTERM");
  expect(await serve.command.finished).toMatchObject({ exit: 0 });
});
