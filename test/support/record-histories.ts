/**
 * Records one history per path into `test/vectors/histories`, for the replay tests. Run it with
 * `npx tsx test/support/record-histories.ts [NAME …]` when a path is new, and keep the older files:
 * runs that wait for months must replay under new code.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import type { Client } from "@temporalio/client";
import { historyToJSON } from "@temporalio/common/lib/proto-utils.js";
import { connect } from "../../src/client/connect.ts";
import { createLogger } from "../../src/telemetry/logger.ts";
import { connectClient } from "../../src/temporal/connect.ts";
import { startDevServer } from "../../src/temporal/dev-server.ts";
import { startWorker } from "../../src/worker/start-worker.ts";
import { aConfig } from "./a-config.ts";
import { startChild } from "./child.ts";
import { startDestination } from "./destination.ts";
import { APPROVAL_ENDPOINTS, APPROVAL_PEOPLE, APPROVAL_ROUTES, RECORDED_APPROVALS } from "./recorded-approvals.ts";
import { RECORDED_BULK_REPLAYS } from "./recorded-bulk-replays.ts";
import { HELD_ENDPOINTS, HELD_SCRIPTS, RECORDED_ENDPOINTS } from "./recorded-endpoints.ts";
import { ENDPOINTS, RECORDED_PATHS, type RecordingStage, ROUTES, SCRIPTS } from "./recorded-paths.ts";
import { RECORDED_STEERING, STEERING_ENDPOINTS, STEERING_ROUTES, STEERING_SCRIPTS } from "./recorded-steering.ts";
import { until } from "./until.ts";

const FOLDER = new URL("../vectors/histories/", import.meta.url);

async function main(): Promise<void> {
  const server = await startDevServer({ environment: process.env, namespace: "default" });
  const { address } = server;
  const destination = await startDestination({ ...SCRIPTS, ...STEERING_SCRIPTS, ...HELD_SCRIPTS });
  const config = aConfig({
    baseUrl: destination.url,
    endpoints: { ...ENDPOINTS, ...APPROVAL_ENDPOINTS, ...STEERING_ENDPOINTS, ...HELD_ENDPOINTS },
    routes: [...ROUTES, ...APPROVAL_ROUTES, ...STEERING_ROUTES],
    rest: { people: APPROVAL_PEOPLE },
    taskQueue: "countersign",
  });
  const { client, close } = await connectClient({ temporal: config.temporal, environment: {}, address });
  const far = await connect({ config, address, environment: {} });
  const log = createLogger("silent");
  const start = async () => await startWorker({ config, address, environment: {}, log });
  let worker = await start();
  const stage: RecordingStage = {
    client,
    far,
    near: worker.client,
    destination,
    config,
    taskQueue: config.temporal.taskQueue,
    async loseAttempt(key) {
      // A run that no worker has yet: it is submitted while ours is stopped, and the victim takes it.
      const victim = startChild("worker-process.ts", { address, config });
      await victim.line("is up", ({ ready }) => ready === true);
      const id = key.slice("shop/".length);
      await until("it was sent", () => destination.requests.some(({ headers }) => headers["ce-id"] === id));
      await victim.kill();
      worker = await start();
    },
    async withoutWorker(say) {
      await worker.stop();
      await say();
      worker = await start();
    },
  };
  await mkdir(FOLDER, { recursive: true });
  const { "lost-attempt": lost, ...others } = RECORDED_PATHS;
  const laterPaths = { ...RECORDED_STEERING, ...RECORDED_ENDPOINTS, ...RECORDED_BULK_REPLAYS };
  const paths = { ...others, ...RECORDED_APPROVALS, ...laterPaths };
  for (const [name, path] of Object.entries(paths))
    if (isWanted(name)) await record(client, name, await path(stage, name));
  await worker.stop();
  if (lost !== undefined && isWanted("lost-attempt"))
    await record(client, "lost-attempt", await lost(stage, "lost-attempt"));
  await worker.stop();
  await Promise.all([far.close(), close(), destination.close()]);
  await server.stop();
}

function isWanted(name: string): boolean {
  const wanted = process.argv.slice(2);
  return wanted.length === 0 || wanted.includes(name);
}

async function record(client: Client, name: string, workflowId: string): Promise<void> {
  const history = await client.workflow.getHandle(workflowId).fetchHistory();
  const { events } = JSON.parse(historyToJSON(history)) as { readonly events: readonly unknown[] };
  const lines = events.map((event) => JSON.stringify(scrubbed(event)));
  const text = `{"workflowId":${JSON.stringify(workflowId)},"events":[\n${lines.join(",\n")}\n]}\n`;
  if (text.includes(hostname())) throw new Error(`${name} names this machine`);
  await writeFile(new URL(`${name}.json`, FOLDER), text);
  process.stdout.write(`${name}: ${events.length} events\n`);
}

/** Of no use to a replay, and about the machine it ran on. */
const LEFT_OUT = new Set(["identity", "stackTrace", "workerVersion", "binaryChecksum"]);

/** Where it ran is nobody's business; sticky queues are named after it. */
function scrubbed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(scrubbed);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => !LEFT_OUT.has(name));
  const result = Object.fromEntries(kept.map(([name, part]) => [name, scrubbed(part)] as const));
  return result["kind"] === "TASK_QUEUE_KIND_STICKY" ? { ...result, name: "sticky" } : result;
}

await main();
