/** `dev`: a Temporal server and a worker in one process, for a desk. */
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Config } from "../../config/config.ts";
import { endpointVariables } from "../../config/resolve-endpoint.ts";
import { CountersignError, systemCodeOf } from "../../errors.ts";
import type { RunningServer } from "../../server/start-server.ts";
import { createLogger } from "../../telemetry/logger.ts";
import { createMetrics } from "../../telemetry/metrics.ts";
import { DEFAULT_TEMPORAL_ADDRESS } from "../../temporal/connection-profile.ts";
import { type DevServer, startDevServer } from "../../temporal/dev-server.ts";
import { claimPort } from "../../temporal/free-port.ts";
import type { CliContext } from "../context.ts";
import { countersOf } from "../counters.ts";
import { startDevHttp } from "../dev-http.ts";
import { exampleCommand } from "../example-command.ts";
import { logLevelOf } from "../log-level.ts";
import { LOOPBACK } from "../loopback.ts";
import { startWatchedWorker, untilStoppedOr, type WatchedWorker } from "../running-worker.ts";
import { withSpinner } from "../spinner.ts";

export interface DevCommand {
  /** Folder for the server's file; absent = everything in memory. */
  readonly data?: string;
  readonly port: number;
  /** Absent = 1,000 above the port, as the Temporal CLI has it. */
  readonly uiPort?: number;
  /** Of the HTTP API; absent = 8787 where that is free. */
  readonly httpPort?: number;
}

const IP = "127.0.0.1";
const UI_PORT_OFFSET = 1000;

export async function dev(context: CliContext, options: DevCommand): Promise<number> {
  const { terminal } = context;
  const config = await context.config({ alsoAllowPrivate: LOOPBACK });
  const log = createLogger(logLevelOf(context.environment, "warn"));
  const stop = context.takeSignals();
  const server = await withSpinner(
    terminal,
    "Starting Temporal",
    async () => await startServer(context, config, options),
  );
  const workers: WatchedWorker[] = [];
  const metrics = createMetrics();
  let http: RunningServer | null = null;
  try {
    const { address } = server;
    const settings = { config, environment: context.environment, log, address, ...countersOf(metrics) };
    const isolated = deliverableIsolated(context, config);
    await withSpinner(terminal, "Starting the worker", async () => {
      workers.push(await startWatchedWorker(settings));
      if (isolated.length > 0) workers.push(await startWatchedWorker({ ...settings, only: isolated }));
    });
    http = await startDevHttp(context, { config, address, port: options.httpPort, log, metrics });
    for (const line of welcome(context, config, { ...server, httpUrl: http?.url })) terminal.out(line);
    await untilStoppedOr(stop.signal, [...workers.map(({ failed }) => failed), serverEnded(server)]);
    terminal.note("Stopping: requests in flight may finish. Once more to leave at once.");
  } finally {
    await http?.stop();
    await Promise.all(workers.map(async ({ worker }) => await worker.stop()));
    await server.stop();
    stop.release();
  }
  return 0;
}

async function startServer(
  { environment, cwd, terminal }: CliContext,
  config: Config,
  options: DevCommand,
): Promise<DevServer> {
  const { port, uiPort = port + UI_PORT_OFFSET } = options;
  await requireFree(port, "--port");
  await requireFree(uiPort, "--ui-port");
  return await startDevServer({
    environment,
    namespace: config.temporal.namespace,
    port,
    uiPort,
    dbFilename: options.data === undefined ? undefined : await databaseFile(resolve(cwd, options.data)),
    retentionMs: config.dedupeWindowMs,
    announce: (sentence) => terminal.note(sentence),
  });
}

async function requireFree(port: number, option: string): Promise<void> {
  const claimed = await claimPort(IP, port);
  if (claimed.kind === "free") return;
  throw new CountersignError(
    "server_unavailable",
    `Port ${port} on ${IP} cannot be used (${claimed.reason}). If a Temporal server runs there already, use it with \`countersign worker\`; else choose another port with ${option}.`,
    { details: { port } },
  );
}

async function databaseFile(folder: string): Promise<string> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    const reason = systemCodeOf(error);
    throw new CountersignError("bad_argument", `The folder ${folder} of --data cannot be created (${reason}).`, {
      cause: error,
    });
  }
  return join(folder, "temporal.db");
}

/** Isolated endpoints get a worker of their own here too, as far as this environment has what they need. */
function deliverableIsolated({ environment, terminal }: CliContext, config: Config): readonly string[] {
  return Object.values(config.endpoints).flatMap((endpoint) => {
    if (!endpoint.isolated) return [];
    const missing = endpointVariables(endpoint).filter((name) => (environment[name] ?? "") === "");
    if (missing.length === 0) return [endpoint.name];
    terminal.note(`Endpoint ${endpoint.name} is isolated and not delivered here: ${missing.join(", ")} not set.`);
    return [];
  });
}

async function serverEnded(server: DevServer): Promise<never> {
  await server.exited;
  throw new CountersignError("server_unavailable", "The Temporal server has ended by itself.");
}

function welcome(
  { terminal, environment }: CliContext,
  config: Config,
  { address, uiUrl, httpUrl }: Pick<DevServer, "address" | "uiUrl"> & { readonly httpUrl: string | undefined },
): readonly string[] {
  const { bold, dim } = terminal.colors;
  const looked = environment["TEMPORAL_ADDRESS"] || DEFAULT_TEMPORAL_ADDRESS;
  const elsewhere = address === looked ? [] : [`Other terminals need: export TEMPORAL_ADDRESS=${address}`];
  return [
    `Temporal   ${address}${config.temporal.namespace === "default" ? "" : `, namespace ${config.temporal.namespace}`}`,
    `UI         ${uiUrl ?? "none"}`,
    ...(httpUrl === undefined ? [] : [`HTTP API   ${httpUrl}`]),
    `Endpoints  ${Object.keys(config.endpoints).join(", ") || "none yet"}`,
    ...elsewhere,
    "",
    "Try in another terminal:",
    `  ${bold(exampleCommand(config))}`,
    dim("Stop with Ctrl-C."),
  ];
}
