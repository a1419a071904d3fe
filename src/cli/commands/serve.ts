/** `serve`: the HTTP API, until it is told to stop. */
import type { Config } from "../../config/config.ts";
import { startServer } from "../../server/start-server.ts";
import { createLogger } from "../../telemetry/logger.ts";
import { readConnectionProfile } from "../../temporal/connection-profile.ts";
import type { CliContext } from "../context.ts";
import { logLevelOf } from "../log-level.ts";
import { untilAborted } from "../signals.ts";
import { withSpinner } from "../spinner.ts";
import { clientConfig } from "../with-client.ts";

export interface ServeCommand {
  readonly host: string;
  /** 0 = a free one. */
  readonly port: number;
}

/** Exit 0 after a stop in good order; throws when the server cannot start. */
export async function serve(context: CliContext, { host, port }: ServeCommand): Promise<number> {
  const { environment, terminal } = context;
  const config = await clientConfig(context);
  const log = createLogger(logLevelOf(environment));
  const server = await withSpinner(
    terminal,
    "Starting the server",
    async () => await startServer({ config, environment, log, host, port }),
  );
  const stop = context.takeSignals();
  for (const line of welcome(context, config, server.url)) terminal.note(line);
  await untilAborted(stop.signal);
  terminal.note("Stopping: requests that were taken are answered. Once more to leave at once.");
  await server.stop();
  stop.release();
  return 0;
}

function welcome({ environment }: CliContext, config: Config, url: string): readonly string[] {
  const { address, namespace } = readConnectionProfile({ temporal: config.temporal, environment });
  return [
    `Listening on ${url} (Temporal ${address}, namespace ${namespace}). Stop with Ctrl-C.`,
    ...doorLines(config, url),
  ];
}

/** Where events may come in, so that nobody wonders at a 401 or 404. */
export function doorLines({ keys, sources }: Pick<Config, "keys" | "sources">, url: string): readonly string[] {
  const hooks = Object.values(sources).flatMap(({ name, verify }) =>
    verify === null ? [] : [`  ${url}/v1/hooks/${name}  (${verify.scheme})`],
  );
  const noKeys =
    "No API keys are configured, so every call that needs one is 401: print one with `countersign keys create`.";
  return [
    ...(keys.length === 0 ? [noKeys] : [`  ${url}/v1/events  (${keys.length} ${keys.length === 1 ? "key" : "keys"})`]),
    ...hooks,
    `  ${url}/openapi.json  (every route)`,
  ];
}
