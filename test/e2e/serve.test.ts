/** `countersign serve` as people run it: started, used by producers in three languages, stopped. */
import { execFile } from "node:child_process";
import { access } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RawConfig } from "../../src/config/raw-config.ts";
import { aKey, read } from "../support/an-app.ts";
import { countersign, type Folder } from "../support/command-line.ts";
import { serveFolder, type ServeProcess, startServe } from "../support/serve-process.ts";
import { openStage, type Stage } from "../support/stage.ts";
import { temporalEnvironment, uniqueName } from "../support/temporal.ts";

const KEY = aKey({ role: "ingest", sources: ["shop"] });
const key = KEY.bearer.replace("Bearer ", "");

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

async function isOnPath(program: string): Promise<boolean> {
  const tries = (process.env["PATH"] ?? "")
    .split(delimiter)
    .map(async (folderOnPath) => await access(join(folderOnPath, program)));
  return (await Promise.allSettled(tries)).some(({ status }) => status === "fulfilled");
}

const PRODUCERS = [
  ["curl", "sh", "send.sh"],
  ["node", process.execPath, "send.mjs"],
  ["python3", "python3", "send.py"],
] as const;

describe.each(PRODUCERS)("the producer with %s", (needed, program, script) => {
  const environment = { ...process.env, COUNTERSIGN_KEY: key };
  const send = async (id: string, more: Readonly<Record<string, string>> = {}) =>
    await promisify(execFile)(program, [`examples/producers/${script}`, id], {
      env: { ...environment, COUNTERSIGN_URL: serve.url, ...more },
    });

  test("sends an event that is delivered once, however often it is sent", async ({ skip }) => {
    if (!(await isOnPath(needed)) && needed !== "node") skip(`${needed} is not installed here`);
    const id = uniqueName(needed);
    const [first, again] = [await send(id), await send(id)].map(({ stdout }) => JSON.parse(stdout) as object); // receipts
    expect(first).toMatchObject({ key: `shop/${id}`, duplicate: false });
    expect(again).toMatchObject({ key: `shop/${id}`, duplicate: true });
    await stage.far.settled(`shop/${id}`);
    const requests = stage.destination.requests.filter(({ headers }) => headers["ce-id"] === id);
    expect(requests.map(({ body }) => JSON.parse(body.toString()) as unknown)).toEqual([{ total: 42.1 }]);
  });

  test("says why an event was refused, and gives up at once", async ({ skip }) => {
    if (!(await isOnPath(needed)) && needed !== "node") skip(`${needed} is not installed here`);
    const refused = send(uniqueName(needed), { COUNTERSIGN_KEY: `csk_x_${"a".repeat(43)}` });
    const failure: unknown = await refused.catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Error);
    expect(JSON.stringify(failure)).toContain("unauthorized");
  });
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
