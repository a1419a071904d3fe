/** Starts the Temporal CLI's development server as a child of this process. */
import { setTimeout as delay } from "node:timers/promises";
import { Connection } from "@temporalio/client";
import { CountersignError } from "../errors.ts";
import { findBinary } from "./binary.ts";
import { TEMPORAL_CLI } from "./binary-spec.ts";
import type { Environment } from "./connection-profile.ts";
import { claimPort } from "./free-port.ts";
import { readRetentionMs, setRetention } from "./namespace.ts";
import { SEARCH_ATTRIBUTES, type SearchAttributeDefinition } from "./search-attributes.ts";
import { type ServerProcess, startServerProcess } from "./server-process.ts";

const START_DEADLINE_MS = 30_000;
const POLL_MS = 100;
const PROBE_MS = 1_000;
const DEFAULT_IP = "127.0.0.1";

export interface DevServerOptions {
  readonly environment: Environment;
  /** Created when it does not exist. */
  readonly namespace: string;
  /** Absent = a free one. */
  readonly port?: number | undefined;
  /** Absent = no UI. */
  readonly uiPort?: number | undefined;
  /** Absent = everything in memory. A newer server does not migrate an older server's file. */
  readonly dbFilename?: string | undefined;
  /** How long closed runs are kept; absent = the server's 24 h. At least 1 h. */
  readonly retentionMs?: number | undefined;
  readonly ip?: string | undefined;
  /** Registered at start; absent = the product's four. */
  readonly searchAttributes?: readonly SearchAttributeDefinition[] | undefined;
  /** Keys and JSON values of the server's dynamic configuration. */
  readonly dynamicConfig?: Readonly<Record<string, string | number | boolean>> | undefined;
  /** Each line the server prints. */
  readonly log?: ((line: string) => void) | undefined;
  /** Told before something is downloaded. */
  readonly announce?: ((sentence: string) => void) | undefined;
}

export interface DevServer {
  /** `ip:port` of the frontend. */
  readonly address: string;
  readonly uiUrl: string | null;
  readonly pid: number;
  /** Resolves when the server has ended, also when nobody stopped it. */
  readonly exited: Promise<void>;
  readonly stop: ServerProcess["stop"];
}

/**
 * Starts a server and waits until its frontend and namespace answer.
 *
 * The server ends with this process, whatever ends it. Throws `server_unavailable` when no binary is found, a port
 * is taken or the server does not come up; the message holds its last lines.
 */
export async function startDevServer(options: DevServerOptions): Promise<DevServer> {
  const file = await findBinary(TEMPORAL_CLI, options);
  for (let tries = 1; ; tries += 1) {
    try {
      return await startOnce(file, options);
    } catch (error) {
      if (tries === MAX_TRIES || !lostARace(error)) throw error;
    }
  }
}

/** Of the half dozen ports the server takes besides ours it finds free ones itself, which others may take first. */
const MAX_TRIES = 3;

function lostARace(error: unknown): boolean {
  return error instanceof CountersignError && error.message.includes("bind: address already in use");
}

async function startOnce(file: string, options: DevServerOptions): Promise<DevServer> {
  const ip = options.ip ?? DEFAULT_IP;
  const port = await portFor(ip, options.port ?? 0);
  const uiPort = options.uiPort === undefined ? null : await portFor(ip, options.uiPort);
  const address = `${ip}:${port}`;
  const args = devServerArguments({ ...options, ip, port, uiPort });
  const server = await startServerProcess({ file, args, environment: options.environment, log: options.log });
  if (server === null)
    throw new CountersignError("server_unavailable", `${file} cannot be run as a development server.`);
  try {
    await waitUntilReady(server, address, options);
  } catch (error) {
    await server.stop();
    throw error;
  }
  const uiUrl = uiPort === null ? null : `http://${ip}:${uiPort}`;
  return { address, uiUrl, pid: server.pid, exited: server.exited, stop: server.stop };
}

async function portFor(ip: string, wanted: number): Promise<number> {
  const claimed = await claimPort(ip, wanted);
  if (claimed.kind === "free") return claimed.port;
  throw new CountersignError(
    "server_unavailable",
    `Port ${wanted} on ${ip} cannot be used for a Temporal server (${claimed.reason}): stop what runs there, or choose another port.`,
  );
}

type Resolved = Omit<DevServerOptions, "port" | "uiPort" | "ip"> & {
  readonly ip: string;
  readonly port: number;
  readonly uiPort: number | null;
};

function devServerArguments(options: Resolved): readonly string[] {
  const args = [
    "server",
    "start-dev",
    "--ip",
    options.ip,
    "--port",
    String(options.port),
    "--namespace",
    options.namespace,
  ];
  args.push("--log-level", "warn");
  if (options.uiPort === null) args.push("--headless");
  else args.push("--ui-port", String(options.uiPort));
  if (options.dbFilename !== undefined) args.push("--db-filename", options.dbFilename);
  for (const { name, type } of options.searchAttributes ?? SEARCH_ATTRIBUTES)
    args.push("--search-attribute", `${name}=${type}`);
  for (const [key, value] of Object.entries(options.dynamicConfig ?? {})) {
    args.push("--dynamic-config-value", `${key}=${JSON.stringify(value)}`);
  }
  return args;
}

async function waitUntilReady(server: ServerProcess, address: string, options: DevServerOptions): Promise<void> {
  const endsAt = Date.now() + START_DEADLINE_MS;
  for (;;) {
    const reason = await whyNotReady(address, options);
    if (reason === null) return;
    if (server.hasExited() || Date.now() >= endsAt) throw startError(server, address, reason);
    await delay(POLL_MS);
  }
}

/**
 * Ready (null) = the namespace answers and keeps what it should keep; any failure on the way there means: not yet.
 * A connection of its own each time, because one that failed once answers with the same failure for ever.
 */
async function whyNotReady(address: string, { namespace, retentionMs }: DevServerOptions): Promise<unknown> {
  const connection = Connection.lazy({ address, connectTimeout: PROBE_MS });
  try {
    await connection.ensureConnected();
    return await connection.withDeadline(Date.now() + PROBE_MS, async () => {
      if ((await readRetentionMs(connection, namespace)) === null)
        return new Error(`namespace ${namespace} does not exist yet`);
      if (retentionMs !== undefined) await setRetention(connection, namespace, retentionMs);
      return null;
    });
  } catch (error) {
    return error;
  } finally {
    await connection.close();
  }
}

function startError(server: ServerProcess, address: string, cause: unknown): CountersignError {
  const said = server.lastLines().join("\n").trim();
  const how = server.hasExited() ? "ended at once" : `did not answer within ${START_DEADLINE_MS / 1000} s`;
  return new CountersignError(
    "server_unavailable",
    `The Temporal development server for ${address} ${how}${said === "" ? " without a word" : `; its last lines: ${said}`}.`,
    { cause },
  );
}
