/** `countersign serve` is told to stop: under load, and while Temporal is away. Real processes, real sockets. */
import { Agent, request as httpRequest } from "node:http";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { RawConfig } from "../../src/config/raw-config.ts";
import { aKey } from "../support/an-app.ts";
import { startBreakableLink } from "../support/breakable-link.ts";
import type { Folder } from "../support/command-line.ts";
import { serveFolder, type ServeProcess, startServe } from "../support/serve-process.ts";
import { openStage, type Stage } from "../support/stage.ts";
import { temporalEnvironment, uniqueName } from "../support/temporal.ts";
import { until } from "../support/until.ts";

const KEY = aKey({ role: "ingest", sources: ["shop"] });

let stage: Stage;
let folder: Folder;

beforeAll(async () => {
  stage = await openStage({ endpoints: { crm: {} } });
  const raw: RawConfig = {
    temporal: { taskQueue: stage.config.temporal.taskQueue },
    sources: { shop: {} },
    endpoints: { crm: { url: `${stage.destination.url}/crm`, allowPrivate: ["127.0.0.0/8"] } },
    routes: [{ match: { type: "crm" }, to: ["crm"] }],
    keys: [KEY.entry],
  };
  folder = await serveFolder(raw);
});

afterAll(async () => {
  await folder.remove();
  await stage.close();
});

async function serve(address = stage.address): Promise<ServeProcess> {
  const environment = { ...temporalEnvironment(), TEMPORAL_ADDRESS: address };
  const started = await startServe({ folder, environment });
  onTestFinished(() => started.command.signal("SIGKILL"));
  return started;
}

interface Sent {
  readonly id: string;
  /** The status, or the code of the error of a connection. */
  readonly came: number | string;
}

async function send(url: string, agent: Agent): Promise<Sent> {
  const id = uniqueName("stop");
  const headers = { authorization: KEY.bearer, "content-type": "application/json" };
  return await new Promise((resolve) => {
    const sent = httpRequest(`${url}/v1/events`, { method: "POST", agent, headers }, (response) => {
      response
        .on("error", () => resolve({ id, came: "cut in its answer" }))
        .once("end", () => resolve({ id, came: response.statusCode ?? 0 }))
        .resume();
    });
    sent.once("error", (error: NodeJS.ErrnoException) => resolve({ id, came: error.code ?? error.message }));
    sent.end(JSON.stringify({ source: "shop", id, type: "crm" }));
  });
}

test("under load it drops no request that it has taken: what got no 2xx does not exist", async () => {
  const { url, command } = await serve();
  const agents = [new Agent({ keepAlive: true }), new Agent({ keepAlive: false })];
  const sent: Sent[] = [];
  let isGone = false;
  const client = async (agent: Agent): Promise<void> => {
    while (!isGone) {
      const one = await send(url, agent);
      sent.push(one);
      isGone ||= one.came === "ECONNREFUSED";
    }
  };
  const clients = Promise.all(
    Array.from({ length: 8 }, async (_, nth) => await client(agents[nth % 2] ?? new Agent())),
  );
  await until("they are under way", () => sent.length > 50);
  command.signal("SIGTERM");
  const { exit, stderr } = await command.finished;
  await clients;
  for (const agent of agents) agent.destroy();
  expect([exit, /error/iu.test(stderr)]).toEqual([0, false]);
  const safe = sent.filter(({ came }) => typeof came === "number");
  expect(new Set(safe.map(({ came }) => came))).toEqual(new Set([202]));
  for (const { id } of safe) expect(await stage.far.get(`shop/${id}`)).toMatchObject({ id });
  for (const { id, came } of sent.filter((one) => !safe.includes(one))) {
    expect(["ECONNREFUSED", "ECONNRESET"]).toContain(came);
    await expect(stage.far.get(`shop/${id}`)).rejects.toMatchObject({ code: "not_found" });
  }
});

test("while Temporal is away it answers 503 to what it has taken, and ends in good order", async () => {
  const link = await startBreakableLink(stage.address);
  onTestFinished(async () => await link.close());
  const { url, command } = await serve(link.address);
  const agent = new Agent();
  expect(await send(url, agent)).toMatchObject({ came: 202 });
  link.cut();
  const sending = Promise.all([send(url, agent), send(url, agent), send(url, agent)]);
  // Answered after they were read.
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  command.signal("SIGTERM");
  const answers = await sending;
  const { exit, stderr } = await command.finished;
  expect(answers.map(({ came }) => came)).toEqual([503, 503, 503]);
  // A call that is tried again on a closed connection would have ended it with a stack on standard error.
  expect([exit, stderr.includes("Channel has been shut down")]).toEqual([0, false]);
});
