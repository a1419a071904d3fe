/** What a worker process tells of itself, and what a server process tells while Temporal hangs. Real processes throughout. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect, type ConnectedCountersign } from "../../src/client/connect.ts";
import type { RawConfig } from "../../src/config/raw-config.ts";
import { parseConfig } from "../../src/config/parse-config.ts";
import { GATES_WORKFLOW_ID } from "../../src/delivery/names.ts";
import { type DevServer, startDevServer } from "../../src/temporal/dev-server.ts";
import { read } from "../support/an-app.ts";
import { countersign, type Folder, type RunningCommand, startCommand } from "../support/command-line.ts";
import { type Destination, startDestination } from "../support/destination.ts";
import { familiesOf, seriesOf } from "../support/metrics-text.ts";
import { serveFolder, startServe } from "../support/serve-process.ts";
import { connectTestClient, temporalAddress, temporalEnvironment, uniqueName } from "../support/temporal.ts";
import { until } from "../support/until.ts";

const DELIVERED = 'countersign_delivery_attempts_total{endpoint="crm",outcome="delivered"}';

let destination: Destination;
let raw: RawConfig;
let folder: Folder;
let client: ConnectedCountersign;
const running: RunningCommand[] = [];

beforeAll(async () => {
  destination = await startDestination({ "/slow": [{ how: "hang" }, {}] });
  raw = {
    temporal: { taskQueue: uniqueName("metrics") },
    sources: { shop: {} },
    endpoints: {
      crm: { url: `${destination.url}/crm`, retry: "quick", allowPrivate: ["127.0.0.0/8"] },
      payments: { url: `${destination.url}/payments`, isolated: true, allowPrivate: ["127.0.0.0/8"] },
      slow: { url: `${destination.url}/slow`, retry: "quick", allowPrivate: ["127.0.0.0/8"] },
    },
    routes: ["crm", "payments", "slow"].map((name) => ({ match: { type: name }, to: [name] })),
  };
  folder = await serveFolder(raw);
  client = await connect({ config: parseConfig(raw, { path: null }), address: temporalAddress(), environment: {} });
});

afterAll(async () => {
  for (const command of running) command.signal("SIGKILL");
  const { client: temporal, close } = await connectTestClient();
  await temporal.workflow
    .getHandle(GATES_WORKFLOW_ID)
    .terminate("end of a test file")
    .catch(() => undefined);
  await Promise.all([client.close(), close(), destination.close()]);
  await folder.remove();
});

function start(argv: readonly string[]): RunningCommand {
  const command = startCommand(argv, { cwd: folder.path, environment: temporalEnvironment() });
  running.push(command);
  return command;
}

async function startWorker(
  argv: readonly string[] = [],
): Promise<{ readonly command: RunningCommand; readonly url: string }> {
  const command = start(["worker", "--metrics-port", "0", ...argv]);
  await command.says("Stop with Ctrl-C.");
  const [, url = ""] = /Metrics on (http:\S+)\/metrics\./u.exec(command.stderr()) ?? [];
  return { command, url };
}

async function scrape(url: string): Promise<ReadonlyMap<string, number>> {
  return seriesOf(await (await fetch(`${url}/metrics`)).text());
}

async function send(type: string): Promise<string> {
  const { key } = await client.submit({ source: "shop", id: uniqueName(type), type, data: { total: 42 } });
  return key;
}

async function stopped(command: RunningCommand): Promise<number | null> {
  command.signal("SIGTERM");
  return (await command.finished).exit;
}

describe("a worker with --metrics-port", () => {
  let main: Awaited<ReturnType<typeof startWorker>>;

  beforeAll(async () => {
    main = await startWorker();
  });

  test("counts its attempts by endpoint and outcome, with their time", async () => {
    const { url } = main;
    // What it may come to do stands there from the start; what it never does, does not.
    const before = await scrape(url);
    expect(before.get(DELIVERED)).toBe(0);
    expect([...before.keys()].filter((name) => name.includes('endpoint="payments"'))).toEqual([]);
    expect([...before.keys()].filter((name) => /needs_attention|approvals|ingest/.test(name))).toEqual([]);
    await client.settled(await send("crm"), { timeout: "60s" });
    await until("the attempt is counted", async () => (await scrape(url)).get(DELIVERED) === 1);
    const after = await scrape(url);
    expect(after.get('countersign_delivery_duration_seconds_count{outcome="delivered"}')).toBe(1);
    expect(after.get("process_start_time_seconds")).toBeGreaterThan(0);
    expect(await read(fetch(`${url}/healthz`))).toMatchObject({ status: 200, body: { status: "ok" } });
  });

  test("and --only counts what it delivers, and the worker that runs the workflows does not count it", async () => {
    const only = await startWorker(["--only", "payments"]);
    const name = 'countersign_delivery_attempts_total{endpoint="payments",outcome="delivered"}';
    expect((await scrape(only.url)).get(name)).toBe(0);
    await client.settled(await send("payments"), { timeout: "60s" });
    await until("the attempt is counted", async () => (await scrape(only.url)).get(name) === 1);
    expect((await scrape(main.url)).has(name)).toBe(false);
    expect(await stopped(only.command)).toBe(0);
  });

  test("that finds an attempt lost with its worker counts it, and can be read until it has stopped", async () => {
    const key = await send("slow");
    await until("the request is out", () => destination.requests.some(({ path }) => path === "/slow"));
    main.command.signal("SIGKILL");
    const { command, url } = await startWorker();
    // The server hands the task out again when it has waited ten seconds for the first worker.
    await until("it is counted", async () => (await scrape(url)).get("countersign_attempts_lost_total") === 1);
    const { deliveries } = await client.settled(key, { timeout: "60s" });
    expect(deliveries[0]?.attempts.map(({ code }) => code)).toEqual(["worker_lost", "http_200"]);
    expect(command.stderr()).toContain('"msg":"delivery.attempt_lost"');
    destination.script("/crm", [{ delayMs: 2000 }]);
    const before = destination.requests.length;
    await send("crm");
    await until("the request is out", () => destination.requests.length > before);
    command.signal("SIGTERM");
    await command.says("Stopping");
    expect((await fetch(`${url}/metrics`)).status).toBe(200);
    expect(await command.finished).toMatchObject({ exit: 0, stdout: "" });
  });
});

test("a port that is taken ends the start with a sentence, before anything is polled", async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const { port } = other.address() as AddressInfo; // a listening TCP server has one
  // Nothing but the port is looked at before: there is no Temporal here.
  const environment = { ...temporalEnvironment(), TEMPORAL_ADDRESS: "127.0.0.1:1" };
  const argv = ["worker", "--metrics-port", String(port)];
  const { exit, stderr, stdout } = await countersign(argv, { cwd: folder.path, environment });
  expect([exit, stdout]).toEqual([1, ""]);
  expect(stderr).toContain(`The address 127.0.0.1, port ${port}, cannot be listened on for metrics (EADDRINUSE)`);
  expect(stderr).not.toContain("    at ");
  other.close();
});

describe("while Temporal hangs", () => {
  let temporal: DevServer;
  let hanging: Folder;

  beforeAll(async () => {
    temporal = await startDevServer({ environment: process.env, namespace: "default" });
    hanging = await serveFolder(raw);
  });

  afterAll(async () => {
    process.kill(temporal.pid, "SIGCONT");
    await temporal.stop();
    await hanging.remove();
  });

  /** Status and seconds. */
  const timed = async (url: string) => {
    const startedMs = performance.now();
    const answer = await fetch(url);
    return { status: answer.status, text: await answer.text(), seconds: (performance.now() - startedMs) / 1000 };
  };

  test("serve says within seconds that it is not ready, tells its counters, and is ready again by itself", async () => {
    const environment = { ...temporalEnvironment(), TEMPORAL_ADDRESS: temporal.address };
    const serve = await startServe({ folder: hanging, environment });
    running.push(serve.command);
    const worker = startCommand(["worker", "--metrics-port", "0"], { cwd: hanging.path, environment });
    running.push(worker);
    await worker.says("Stop with Ctrl-C.");
    const [, workerUrl = ""] = /Metrics on (http:\S+)\/metrics\./u.exec(worker.stderr()) ?? [];
    await until("it is ready", async () => (await fetch(`${serve.url}/readyz`)).status === 200);
    expect((await timed(`${serve.url}/metrics`)).text).toContain("countersign_approvals_pending 0");
    process.kill(temporal.pid, "SIGSTOP");
    // Past the second for which the last look is good.
    await until("it is not ready", async () => (await timed(`${serve.url}/readyz`)).status === 503);
    const crowd = await Promise.all(Array.from({ length: 50 }, async () => await timed(`${serve.url}/readyz`)));
    expect(new Set(crowd.map(({ status }) => status))).toEqual(new Set([503]));
    expect(Math.max(...crowd.map(({ seconds }) => seconds))).toBeLessThan(8);
    const metrics = await timed(`${serve.url}/metrics`);
    expect([metrics.status, familiesOf(metrics.text).size > 10]).toEqual([200, true]);
    expect(metrics.seconds).toBeLessThan(8);
    for (const url of [`${serve.url}/healthz`, `${workerUrl}/healthz`, `${workerUrl}/metrics`]) {
      const { status, seconds } = await timed(url);
      expect([url, status, seconds < 8]).toEqual([url, 200, true]);
    }
    process.kill(temporal.pid, "SIGCONT");
    await until("it is ready again", async () => (await fetch(`${serve.url}/readyz`)).status === 200);
    expect(await Promise.all([stopped(serve.command), stopped(worker)])).toEqual([0, 0]);
  });
});
