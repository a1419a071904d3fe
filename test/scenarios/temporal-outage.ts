/**
 * Temporal goes away under load and comes back: once ended and started again on its file, once stopped where it
 * stood. The HTTP server says 503 in the meantime and goes on by itself. `count` = seconds of each outage.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { connect } from "../../src/client/connect.ts";
import { startServer } from "../../src/server/start-server.ts";
import { createLogger } from "../../src/telemetry/logger.ts";
import { type DevServer, startDevServer } from "../../src/temporal/dev-server.ts";
import { claimPort } from "../../src/temporal/free-port.ts";
import { aConfig } from "../support/a-config.ts";
import { aKey } from "../support/an-app.ts";
import { type Sent, sendUntilSafe } from "../support/http-producers.ts";
import { uniqueName } from "../support/temporal.ts";
import { until } from "../support/until.ts";
import { type Finding, same, type Scenario, type Scene } from "./finding.ts";

const EXISTS = "no event was answered 2xx without a workflow";
const QUIET = "while Temporal is away nothing is answered 2xx, and everything else is 503";
const BACK = "once Temporal is back events are accepted again, by the same server process";

const KEY = aKey({ role: "ingest", sources: ["shop"] });
const config = aConfig({ baseUrl: "https://crm.example", endpoints: { crm: {} }, rest: { keys: [KEY.entry] } });
const EVENTS = 120;
/** What was in flight when the server stopped may still be answered. */
const SLACK_MS = 500;
/** Reconnecting is tried every two seconds; a slow machine takes its time. */
const BACK_WITHIN_MS = 30_000;

interface Outage {
  readonly name: string;
  readonly fromMs: number;
  readonly toMs: number;
}

export const temporalOutage: Scenario = {
  claims: [EXISTS, QUIET, BACK],
  async play(scene) {
    const folder = await mkdtemp(join(tmpdir(), "countersign-outage-"));
    const claimed = await claimPort("127.0.0.1", 0);
    if (claimed.kind !== "free") throw new Error(`There is no free port: ${claimed.reason}`);
    const start = async (): Promise<DevServer> =>
      await startDevServer({
        environment: process.env,
        namespace: "default",
        port: claimed.port,
        dbFilename: join(folder, "temporal.db"),
      });
    const stage = { server: await start() };
    try {
      return await play(stage, start, scene);
    } finally {
      await stage.server.stop();
      await rm(folder, { recursive: true, force: true });
    }
  },
};

async function play(
  stage: { server: DevServer },
  start: () => Promise<DevServer>,
  { count: seconds, say }: Scene,
): Promise<readonly Finding[]> {
  const { address } = stage.server;
  const settings = { config, address, environment: {}, log: createLogger("silent"), host: "127.0.0.1", port: 0 };
  const http = await startServer(settings);
  const safe: Sent[] = [];
  const events = Array.from({ length: EVENTS }, () => ({ source: "shop", id: uniqueName("outage"), type: "crm" }));
  const load = { bearer: KEY.bearer, producers: 4, betweenMs: 200, onSafe: (sent: Sent) => safe.push(sent) };
  const sending = sendUntilSafe(events, { url: http.url, ...load });
  const outages: Outage[] = [];
  const away = async (name: string, leave: () => Promise<void>, comeBack: () => Promise<void>): Promise<void> => {
    const before = safe.length;
    await until("events are accepted", () => safe.length > before + EVENTS / 6);
    await leave();
    const fromMs = Date.now();
    say(`${name}: Temporal is away with ${safe.length} events safe`);
    await pause(seconds * 1000);
    const toMs = Date.now();
    await comeBack();
    outages.push({ name, fromMs, toMs });
  };
  await away(
    "ended",
    async () => await stage.server.stop(),
    async () => void (stage.server = await start()),
  );
  const signal = (name: NodeJS.Signals) => async () => await Promise.resolve(void process.kill(stage.server.pid, name));
  await away("stopped", signal("SIGSTOP"), signal("SIGCONT"));
  const sent = await sending;
  say(`${sent.length} events safe, ${sent.flatMap(({ statuses }) => statuses).length} answers`);
  await http.stop();
  return [...(await existing(sent, address)), ...outages.flatMap((outage) => judge(outage, sent)), answers(sent)];
}

async function existing(sent: readonly Sent[], address: string): Promise<readonly Finding[]> {
  const client = await connect({ config, address, environment: {} });
  const found = await Promise.all(
    sent.map(async ({ id }) => {
      const { key } = await client.get(`shop/${id}`);
      return same({ claim: EXISTS, subject: id }, key, `shop/${id}`);
    }),
  );
  await client.close();
  return found;
}

function judge({ name, fromMs, toMs }: Outage, sent: readonly Sent[]): readonly Finding[] {
  const during = sent.filter(({ safeAtMs }) => safeAtMs > fromMs + SLACK_MS && safeAtMs < toMs).length;
  const after = sent.map(({ safeAtMs }) => safeAtMs).filter((atMs) => atMs >= toMs);
  const backMs = Math.min(...after) - toMs;
  return [
    same({ claim: QUIET, subject: name }, during, 0),
    {
      claim: BACK,
      subject: name,
      holds: backMs < BACK_WITHIN_MS,
      seen: `accepted again after ${backMs / 1000} s`,
      measuredS: backMs / 1000,
    },
  ];
}

function answers(sent: readonly Sent[]): Finding {
  const others = new Set(sent.flatMap(({ statuses }) => statuses).filter((status) => status !== 202 && status !== 200));
  return same({ claim: QUIET, subject: "answers that are no success" }, [...others], [503]);
}
