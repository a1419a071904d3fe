/** Composition root of `serve`: connect, check, listen. */
import { connect } from "../client/connect.ts";
import type { Config } from "../config/config.ts";
import type { Logger } from "../telemetry/logger.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { closeClient } from "./close-client.ts";
import { createApp } from "./create-app.ts";
import { createContext, schemesOf } from "./create-context.ts";
import type { ServerLimits } from "./limits.ts";
import { listen } from "./listen.ts";

export interface ServerSettings {
  readonly config: Config;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
  readonly host: string;
  /** 0 = a free one. */
  readonly port: number;
  /** A Temporal server this process started itself; absent = `TEMPORAL_*` variables or a profile. */
  readonly address?: string;
  /** Shared with a worker of this process; absent = counters of its own. */
  readonly metrics?: Metrics;
  readonly limits?: Partial<ServerLimits>;
}

export interface RunningServer {
  readonly url: string;
  /** Takes no more requests, answers those it has, closes the connection to Temporal. */
  stop(): Promise<void>;
}

/**
 * Throws `missing_env` and `config_invalid` before anything is connected, `temporal_unreachable` and
 * `search_attributes_missing` before anything is listened on, `server_unavailable` when the port is taken.
 */
export async function startServer(settings: ServerSettings): Promise<RunningServer> {
  const { config, environment, log, host, port, address, metrics, limits = {} } = settings;
  const schemes = schemesOf(config, environment);
  const countersign = await connect({ config, environment, ...(address === undefined ? {} : { address }) });
  let stopping = false;
  const context = createContext({
    countersign,
    config,
    schemes,
    log,
    limits,
    stopping: () => stopping,
    ...(metrics === undefined ? {} : { metrics }),
  });
  try {
    // Registers search attributes where they are missing, so that the first event costs one call like all others.
    await countersign.count();
    const listener = await listen(createApp(context), { host, port, limits: context.limits });
    return {
      url: listener.url,
      async stop() {
        stopping = true;
        await listener.close();
        await closeClient(countersign, context.capacity);
      },
    };
  } catch (error) {
    await countersign.close();
    throw error;
  }
}
