/** `worker`: runs event workflows and delivers, until it is told to stop. */
import type { Config } from "../../config/config.ts";
import { createLogger, type Logger } from "../../telemetry/logger.ts";
import { createMetrics, type Metrics } from "../../telemetry/metrics.ts";
import { type MetricsServer, serveMetrics } from "../../telemetry/metrics-server.ts";
import { readConnectionProfile } from "../../temporal/connection-profile.ts";
import type { WorkerSettings } from "../../worker/start-worker.ts";
import type { CliContext } from "../context.ts";
import { countersOf, expectEndpoints } from "../counters.ts";
import { logLevelOf } from "../log-level.ts";
import { startWatchedWorker, untilStoppedOr } from "../running-worker.ts";
import { withSpinner } from "../spinner.ts";

export interface WorkerCommand {
  /** Endpoint names. */
  readonly only?: readonly string[];
  /** Absent = no listener; 0 = a free one. */
  readonly metricsPort?: number;
  readonly metricsHost: string;
}

/** Exit 0 after a stop in good order; throws when the worker cannot start or fails. */
export async function worker(context: CliContext, command: WorkerCommand): Promise<number> {
  const { environment } = context;
  const { only } = command;
  const config = await context.config();
  const log = createLogger(logLevelOf(environment));
  const metrics = createMetrics();
  expectEndpoints(metrics, config, servedBy(config, only));
  // Before anything is polled: a port that is taken costs no attempt.
  const server = await startMetrics(command, metrics, log);
  try {
    const settings = {
      config,
      environment,
      log,
      ...countersOf(metrics),
      ...(only === undefined ? {} : { only }),
    };
    await runUntilStopped(context, settings, [
      ...(server === null ? [] : [`Metrics on ${server.url}/metrics.`]),
      readyLine(context, config, only),
    ]);
  } finally {
    // Last, so that the attempts of the stop can still be read.
    await server?.close();
  }
  return 0;
}

/** Null = nobody asked for it. */
async function startMetrics(
  { metricsHost: host, metricsPort: port }: WorkerCommand,
  metrics: Metrics,
  log: Logger,
): Promise<MetricsServer | null> {
  return port === undefined ? null : await serveMetrics({ metrics, host, port, log });
}

async function runUntilStopped(
  context: CliContext,
  settings: WorkerSettings,
  welcome: readonly string[],
): Promise<void> {
  const { terminal } = context;
  const { worker: running, failed } = await withSpinner(
    terminal,
    "Starting the worker",
    async () => await startWatchedWorker(settings),
  );
  const stop = context.takeSignals();
  for (const line of welcome) terminal.note(line);
  try {
    await untilStoppedOr(stop.signal, [failed]);
    terminal.note("Stopping: requests in flight may finish. Once more to leave at once.");
  } finally {
    await running.stop();
    stop.release();
  }
}

function servedBy(config: Config, only: readonly string[] | undefined): readonly string[] {
  return only ?? Object.values(config.endpoints).flatMap(({ name, isolated }) => (isolated ? [] : [name]));
}

function readyLine({ environment }: CliContext, config: Config, only: readonly string[] | undefined): string {
  const { address, namespace } = readConnectionProfile({ temporal: config.temporal, environment });
  const what = only === undefined ? "Running workflows and delivering to" : "Delivering only to";
  return `${what} ${servedBy(config, only).join(", ") || "no endpoint"} (Temporal ${address}, namespace ${namespace}). Stop with Ctrl-C.`;
}
