/** The HTTP API inside `dev`: a newcomer's event over HTTP, its delivery, and the counters of both. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { claimPort } from "../../src/temporal/free-port.ts";
import { aKey, read } from "../support/an-app.ts";
import { type RunningCommand, startCommand } from "../support/command-line.ts";
import { type Destination, startDestination } from "../support/destination.ts";
import { serveFolder } from "../support/serve-process.ts";
import { temporalEnvironment } from "../support/temporal.ts";
import { until } from "../support/until.ts";

const KEY = aKey({ role: "ingest", sources: ["shop"] });

let destination: Destination;
let dev: RunningCommand;
let remove = async (): Promise<void> => await Promise.resolve();

async function freePort(): Promise<number> {
  const claimed = await claimPort("127.0.0.1", 0);
  if (claimed.kind === "free") return claimed.port;
  throw new Error(claimed.reason);
}

beforeAll(async () => {
  destination = await startDestination();
  const folder = await serveFolder({
    temporal: { taskQueue: "dev" },
    sources: { shop: {}, stripe: { verify: { scheme: "stripe", secrets: [{ env: "STRIPE_WEBHOOK_SECRET" }] } } },
    endpoints: { crm: { url: `${destination.url}/crm`, retry: "quick" } },
    routes: [{ match: { type: "order.*" }, to: ["crm"] }],
    keys: [KEY.entry],
  });
  ({ remove } = folder);
  const [port, uiPort] = [await freePort(), await freePort()];
  const argv = ["dev", "--port", String(port), "--ui-port", String(uiPort), "--http-port", "0"];
  dev = startCommand(argv, { cwd: folder.path, environment: temporalEnvironment() });
  await dev.says("Stop with Ctrl-C.");
});

afterAll(async () => {
  dev.signal("SIGKILL");
  await destination.close();
  await remove();
});

test("takes an event, delivers it, counts both, and goes without the provider whose secret is missing", async () => {
  const url = /HTTP API {3}(http\S+)/u.exec(dev.stdout())?.[1] ?? "";
  const headers = { authorization: KEY.bearer, "content-type": "application/json" };
  const body = JSON.stringify({ source: "shop", id: "evt_1", type: "order.created", data: { total: 42 } });
  expect(await read(fetch(`${url}/v1/events`, { method: "POST", headers, body }))).toMatchObject({ status: 202 });
  await until("it is delivered", () => destination.requests.length === 1);
  await until("the attempt is counted", async () => {
    const text = await (await fetch(`${url}/metrics`)).text();
    return text.includes('countersign_delivery_attempts_total{endpoint="crm",outcome="delivered"} 1');
  });
  expect(dev.stderr()).toContain("Source stripe takes no webhooks here: STRIPE_WEBHOOK_SECRET not set.");
  expect((await fetch(`${url}/v1/hooks/stripe`, { method: "POST", body: "{}" })).status).toBe(404);
  dev.signal("SIGTERM");
  expect((await dev.finished).exit).toBe(0);
});
