/** `worker`: runs event workflows and delivers, until it is told to stop. */
import type { Config } from "../../config/config.ts";
import { createLogger } from "../../telemetry/logger.ts";
import { readConnectionProfile } from "../../temporal/connection-profile.ts";
import type { CliContext } from "../context.ts";
import { logLevelOf } from "../log-level.ts";
import { startWatchedWorker, untilStoppedOr } from "../running-worker.ts";
import { withSpinner } from "../spinner.ts";

export interface WorkerCommand {
  /** Endpoint names. */
  readonly only?: readonly string[];
}

/** Exit 0 after a stop in good order; throws when the worker cannot start or fails. */
export async function worker(context: CliContext, { only }: WorkerCommand): Promise<number> {
  const { environment, terminal } = context;
  const config = await context.config();
  const settings = {
    config,
    environment,
    log: createLogger(logLevelOf(environment)),
    ...(only === undefined ? {} : { only }),
  };
  const { worker: running, failed } = await withSpinner(
    terminal,
    "Starting the worker",
    async () => await startWatchedWorker(settings),
  );
  const stop = context.takeSignals();
  terminal.note(readyLine(context, config, only));
  try {
    await untilStoppedOr(stop.signal, [failed]);
    terminal.note("Stopping: requests in flight may finish. Once more to leave at once.");
  } finally {
    await running.stop();
    stop.release();
  }
  return 0;
}

function readyLine({ environment }: CliContext, config: Config, only: readonly string[] | undefined): string {
  const { address, namespace } = readConnectionProfile({ temporal: config.temporal, environment });
  const served = only ?? Object.values(config.endpoints).flatMap(({ name, isolated }) => (isolated ? [] : [name]));
  const what = only === undefined ? "Running workflows and delivering to" : "Delivering only to";
  return `${what} ${served.join(", ") || "no endpoint"} (Temporal ${address}, namespace ${namespace}). Stop with Ctrl-C.`;
}
