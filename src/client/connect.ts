/** `connect()`: the facade on a connection of its own. */
import type { Config } from "../config/config.ts";
import { chooseConfig } from "../config/choose-config.ts";
import type { RawConfig } from "../config/raw-config.ts";
import { connectClient } from "../temporal/connect.ts";
import { type Countersign, createCountersign } from "./countersign.ts";

export interface ConnectOptions {
  /** What `defineConfig` takes; absent = found from the working directory. */
  readonly config?: Config | RawConfig;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** A server this process started itself; absent = `TEMPORAL_*` variables or a profile, else 127.0.0.1:7233. */
  readonly address?: string;
  /** Bound on the first answer of the server, milliseconds; 10 s by default. */
  readonly deadlineMs?: number;
}

export interface ConnectedCountersign extends Countersign {
  close(): Promise<void>;
}

/**
 * Connects to the Temporal server of this environment.
 *
 * Throws `config_not_found`, `config_invalid`, `temporal_unreachable`.
 */
export async function connect(options: ConnectOptions = {}): Promise<ConnectedCountersign> {
  const environment = options.environment ?? process.env;
  const config = await chooseConfig(options.config, environment);
  const { address, deadlineMs } = options;
  const connected = await connectClient({
    temporal: config.temporal,
    environment,
    address,
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
  });
  const facade = createCountersign({ client: connected.client, config, eager: false });
  return { ...facade, close: async () => await connected.close() };
}
