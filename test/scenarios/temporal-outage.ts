/**
 * Temporal goes away under load and comes back, for moments and for long: ended and started again on its file, and
 * stopped where it stood. A steady few go on sending all the time; each long outage is also met by a crowd that is
 * larger than the server has places. `count` = seconds of each long outage.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Client, Connection } from "@temporalio/client";
import { DEFAULT_LIMITS } from "../../src/server/limits.ts";
import { type DevServer, startDevServer } from "../../src/temporal/dev-server.ts";
import { claimPort } from "../../src/temporal/free-port.ts";
import { aConfig } from "../support/a-config.ts";
import { aKey } from "../support/an-app.ts";
import { type Child, startChild } from "../support/child.ts";
import type { Size } from "../support/http-server-process.ts";
import { type ProducerOptions, type Sent, sendUntilSafe } from "../support/http-producers.ts";
import { inBatches } from "../support/in-batches.ts";
import { uniqueName } from "../support/temporal.ts";
import { until } from "../support/until.ts";
import { type Finding, same, type Scenario, type Scene } from "./finding.ts";
import { judgeLeaving, judgeMemory, judgeOutage, OUTAGE_CLAIMS, type Outage } from "./outage-findings.ts";

const EXISTS = "an event that was answered 2xx has a workflow, the run that its receipt names";

const KEY = aKey({ role: "ingest", sources: ["shop"] });
const SHORT_S = 3;
/** More than there are places. */
const CROWD = DEFAULT_LIMITS.maxInFlight + 64;
/** So that what was kept in memory would be seen there. */
const PADDING = "x".repeat(16 * 1024);
/** Accepted between two outages. */
const CALM = 20;

interface Temporal {
  readonly address: string;
  end(): Promise<void>;
  start(): Promise<void>;
  stand(): Promise<void>;
  goOn(): Promise<void>;
}

export const temporalOutage: Scenario = {
  claims: [EXISTS, ...OUTAGE_CLAIMS],
  async play(scene) {
    const folder = await mkdtemp(join(tmpdir(), "countersign-outage-"));
    const temporal = await openTemporal(join(folder, "temporal.db"));
    const config = aConfig({ baseUrl: "https://crm.example", endpoints: { crm: {} }, rest: { keys: [KEY.entry] } });
    const http = startChild("http-server-process.ts", { address: temporal.address, config, port: 0 });
    try {
      return await play({ temporal, http }, scene);
    } finally {
      await http.kill();
      await temporal.end();
      await rm(folder, { recursive: true, force: true });
    }
  },
};

async function openTemporal(dbFilename: string): Promise<Temporal> {
  const claimed = await claimPort("127.0.0.1", 0);
  if (claimed.kind !== "free") throw new Error(`There is no free port: ${claimed.reason}`);
  const start = async (): Promise<DevServer> =>
    await startDevServer({ environment: process.env, namespace: "default", port: claimed.port, dbFilename });
  let server = await start();
  const signal = (name: NodeJS.Signals) => async () => await Promise.resolve(void process.kill(server.pid, name));
  return {
    address: server.address,
    end: async () => await server.stop(),
    start: async () => void (server = await start()),
    stand: signal("SIGSTOP"),
    goOn: signal("SIGCONT"),
  };
}

interface Stage {
  readonly temporal: Temporal;
  readonly http: Child;
}

async function play(stage: Stage, { count, say }: Scene): Promise<readonly Finding[]> {
  const ready = await stage.http.line("ready", (line) => line["ready"] === true);
  const way = { url: String(ready["url"]), bearer: KEY.bearer };
  const over = new AbortController();
  function* steady() {
    while (!over.signal.aborted) yield anEvent();
  }
  const safe: Sent[] = [];
  const options = { ...way, producers: 4, betweenMs: 100, againMs: 200, onSafe: (one: Sent) => void safe.push(one) };
  const sending = sendUntilSafe(steady(), options);
  const outages: Outage[] = [];
  for (const { name, seconds, leave, comeBack } of plan(stage.temporal, count)) {
    const enough = safe.length + CALM;
    await until("events are accepted", () => safe.length >= enough);
    await leave();
    const fromMs = Date.now();
    say(`${name}: Temporal is away with ${safe.length} events safe`);
    const crowd = seconds > SHORT_S ? sendCrowd(way) : Promise.resolve([]);
    const sizes = await watch(stage.http, seconds);
    const toMs = Date.now();
    await comeBack();
    outages.push({ name, fromMs, toMs, sizes, crowd: await crowd });
  }
  const enough = safe.length + CALM;
  await until("events are accepted at last", () => safe.length >= enough);
  over.abort();
  const sent = [...(await sending), ...outages.flatMap(({ crowd }) => crowd)];
  say(summaryOf(sent));
  return [
    ...(await existing(sent, stage.temporal.address)),
    ...outages.flatMap((outage) => judgeOutage(outage, sent)),
    ...judgeMemory(outages),
    judgeLeaving(await stage.http.terminate()),
  ];
}

interface Planned {
  readonly name: string;
  readonly seconds: number;
  leave(): Promise<void>;
  comeBack(): Promise<void>;
}

function plan({ end, start, stand, goOn }: Temporal, seconds: number): readonly Planned[] {
  return [SHORT_S, seconds].flatMap((each) => [
    { name: `ended for ${each} s`, seconds: each, leave: end, comeBack: start },
    { name: `stopped for ${each} s`, seconds: each, leave: stand, comeBack: goOn },
  ]);
}

function anEvent(data: object = {}) {
  return { source: "shop", id: uniqueName("outage"), type: "crm", data };
}

async function sendCrowd(way: Pick<ProducerOptions, "url" | "bearer">): Promise<readonly Sent[]> {
  const events = Array.from({ length: CROWD }, () => anEvent({ padding: PADDING }));
  return await sendUntilSafe(events, { ...way, producers: CROWD, againMs: 1000 });
}

/** The size of the server's process, once a second. */
async function watch(http: Child, seconds: number): Promise<readonly Size[]> {
  const endsAtMs = Date.now() + seconds * 1000;
  const from = http.lines.length;
  while (Date.now() < endsAtMs) {
    http.tell("How large are you?");
    await pause(Math.min(1000, endsAtMs - Date.now()));
  }
  return http.lines
    .slice(from)
    .map(({ heldBytes, rssBytes }) => ({ heldBytes: Number(heldBytes), rssBytes: Number(rssBytes) }));
}

async function existing(sent: readonly Sent[], address: string): Promise<readonly Finding[]> {
  const connection = await Connection.connect({ address });
  const { workflow } = new Client({ connection });
  const found = await inBatches(sent, async ({ id, tries }) => {
    const seen = await workflow
      .getHandle(`shop/${id}`)
      .describe()
      .then(({ runId }) => runId, String);
    return same({ claim: EXISTS, subject: id }, seen, tries.at(-1)?.runId);
  });
  await connection.close();
  return found;
}

function summaryOf(sent: readonly Sent[]): string {
  const tries = sent.flatMap((one) => one.tries);
  const refused = sent.filter((one) => one.tries.some(({ status }) => status === 503));
  const started = refused.filter((one) => one.tries.at(-1)?.status === 200).length;
  return `${sent.length} events safe after ${tries.length} tries; of ${refused.length} that were answered 503 first ${started} had been started`;
}
