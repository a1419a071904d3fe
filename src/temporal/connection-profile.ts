/** Where the server is and how to be admitted: `TEMPORAL_*` variables over a TOML profile over our defaults. */
import { loadClientConnectConfig, type ClientConnectConfig } from "@temporalio/envconfig";
import type { TemporalConfig } from "../config/config.ts";
import { CountersignError } from "../errors.ts";

/** Environment variables as handed in by the entry file. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Never `localhost`: Node resolves it to `::1` first, where the development server does not listen. */
export const DEFAULT_TEMPORAL_ADDRESS = "127.0.0.1:7233";

export interface ProfileRequest {
  readonly temporal: TemporalConfig;
  readonly environment: Environment;
  /**
   * A server this process started itself. Variables and profiles are not read then: their TLS settings,
   * API key and namespace belong to another server.
   */
  readonly address?: string | undefined;
}

export interface ConnectionProfile {
  readonly address: string;
  readonly namespace: string;
  /** TLS, API key and metadata; holds secrets, never to be logged. */
  readonly options: ClientConnectConfig["connectionOptions"];
}

/**
 * Reads the profile that `TEMPORAL_*` variables and the TOML file describe.
 *
 * Namespace: `TEMPORAL_NAMESPACE`, else the profile's, else the configuration's. The variables describe the
 * server of this environment, so they win as they do in every Temporal tool.
 * Throws `config_invalid` when the file or a named profile cannot be read.
 */
export function readConnectionProfile({ temporal, environment, address }: ProfileRequest): ConnectionProfile {
  if (address !== undefined) return { address, namespace: temporal.namespace, options: { address } };
  const loaded = loadProfile(environment);
  const chosen = loaded.connectionOptions.address ?? DEFAULT_TEMPORAL_ADDRESS;
  return {
    address: chosen,
    namespace: loaded.namespace ?? temporal.namespace,
    options: { ...loaded.connectionOptions, address: chosen },
  };
}

function loadProfile(environment: Environment): ClientConnectConfig {
  try {
    return loadClientConnectConfig({ overrideEnvVars: presentVariables(environment) });
  } catch (error) {
    // The parser appends the offending lines, which may hold an API key: only its first line is kept, and no cause.
    const reason = error instanceof Error ? (error.message.split("\n")[0] ?? "") : "unknown reason";
    throw new CountersignError("config_invalid", `The Temporal connection profile cannot be used: ${reason}`);
  }
}

/** Compose files pass absent variables as empty ones; only for gRPC metadata does empty mean something (remove). */
function presentVariables(environment: Environment): Record<string, string> {
  const present: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || (value === "" && !name.startsWith("TEMPORAL_GRPC_META_"))) continue;
    present[name] = value;
  }
  return present;
}
