/** Opens connections to the Temporal server this environment names, within a deadline. */
import { setTimeout as delay } from "node:timers/promises";
import { Channel, type ChannelCredentials, type ChannelOptions } from "@grpc/grpc-js";
import { Client, Connection } from "@temporalio/client";
import type { NativeConnection } from "@temporalio/worker";
import { CountersignError } from "../errors.ts";
import { type ConnectionProfile, type ProfileRequest, readConnectionProfile } from "./connection-profile.ts";
import { isAccessRefused } from "./grpc-status.ts";
import { isRefusedForGood } from "./loopback-refusal.ts";
import { renewingChannel } from "./renewing-channel.ts";
import { retryCalls } from "./retry-calls.ts";

const DEFAULT_DEADLINE_MS = 10_000;
const RETRY_MS = 250;
/** A server that was away for long is found again soon: gRPC's own pauses grow to two minutes. */
const MAX_RECONNECT_PAUSE_MS = 2_000;

/**
 * The server hands out a history by number of events: a few large ones are above the 4 MiB that gRPC takes by itself.
 * The SDK (1.24) means to allow this much, but its name for the option is not the one that grpc-js reads.
 */
const MAX_MESSAGE_BYTES = 128 * 1024 * 1024;

const CHANNEL_OPTIONS: ChannelOptions = {
  "grpc.max_receive_message_length": MAX_MESSAGE_BYTES,
  "grpc.max_reconnect_backoff_ms": MAX_RECONNECT_PAUSE_MS,
  // A new channel must not take up the connection on which another one hangs.
  "grpc.use_local_subchannel_pool": 1,
  channelFactoryOverride: (address: string, credentials: ChannelCredentials, options: ChannelOptions) =>
    renewingChannel(() => new Channel(address, credentials, options)),
};

export interface ConnectRequest extends ProfileRequest {
  /** From the call to the first answer; absent = 10 s. */
  readonly deadlineMs?: number;
  /** By which the server knows who calls; absent = the SDK's, by process id and host. */
  readonly identity?: string;
}

export interface Connected<C> {
  readonly client: Client;
  readonly connection: C;
  readonly address: string;
  /** The namespace in force, see `readConnectionProfile`. */
  readonly namespace: string;
  readonly close: () => Promise<void>;
}

/**
 * Connects a client that starts and reads workflows.
 *
 * Throws `temporal_unreachable` when nothing answers within the deadline (on loopback as soon as the port has
 * refused for 2 s), `config_invalid` when the profile cannot be read.
 */
export function connectClient(request: ConnectRequest): Promise<Connected<Connection>> {
  return connectWith(request, async (profile, { endsAt, signal }) => {
    const connection = Connection.lazy({
      ...profile.options,
      channelArgs: CHANNEL_OPTIONS,
      interceptors: [retryCalls],
      connectTimeout: Math.max(1, endsAt - Date.now()),
    });
    // Closing ends the wait for the channel, which would otherwise keep the process alive until its own time-out.
    signal.addEventListener("abort", () => void connection.close(), { once: true });
    try {
      await connection.ensureConnected();
      return connection;
    } catch (error) {
      await connection.close();
      throw error;
    }
  });
}

interface Patience {
  readonly endsAt: number;
  /** Aborted when the caller has been told that nothing answers; never after a success. */
  readonly signal: AbortSignal;
}

type Open<C> = (profile: ConnectionProfile, patience: Patience) => Promise<C>;

/** Opens, gives up at the deadline, explains. */
export async function connectWith<C extends Connection | NativeConnection>(
  request: ConnectRequest,
  open: Open<C>,
): Promise<Connected<C>> {
  const profile = readConnectionProfile(request);
  const deadlineMs = request.deadlineMs ?? DEFAULT_DEADLINE_MS;
  const giveUp = new AbortController();
  const timer = setTimeout(() => giveUp.abort(), deadlineMs);
  try {
    const opened = openUntil(profile, open, { endsAt: Date.now() + deadlineMs, signal: giveUp.signal });
    const connection = await Promise.race([opened, unreachable(profile.address, giveUp.signal)]);
    const { identity } = request;
    const named = identity === undefined ? {} : { identity };
    const client = new Client({ connection, namespace: profile.namespace, ...named });
    return {
      client,
      connection,
      address: profile.address,
      namespace: profile.namespace,
      close: () => connection.close(),
    };
  } catch (error) {
    giveUp.abort();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** The native connection fails at once where the other one waits, so failed tries are repeated until the deadline. */
async function openUntil<C extends Connection | NativeConnection>(
  profile: ConnectionProfile,
  open: Open<C>,
  patience: Patience,
): Promise<C> {
  for (;;) {
    try {
      const connection = await open(profile, patience);
      // A native connect cannot be aborted: one that arrives after we gave up is closed, not leaked.
      if (patience.signal.aborted) await connection.close();
      return connection;
    } catch (error) {
      if (isAccessRefused(error)) throw accessRefusedError(profile.address, error);
      if (patience.signal.aborted || Date.now() + RETRY_MS >= patience.endsAt)
        throw unreachableError(profile.address, error);
      await delay(RETRY_MS);
    }
  }
}

/** Rejects at the deadline, or earlier when a loopback port keeps refusing. */
async function unreachable(address: string, signal: AbortSignal): Promise<never> {
  const ended = new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  if (!(await Promise.race([isRefusedForGood(address, signal), ended.then(() => false)]))) await ended;
  throw unreachableError(address);
}

function unreachableError(address: string, cause?: unknown): CountersignError {
  return new CountersignError(
    "temporal_unreachable",
    `No Temporal server answers at ${address}: start one with \`countersign dev\`, or name a running one in TEMPORAL_ADDRESS.`,
    { cause, details: { address } },
  );
}

function accessRefusedError(address: string, cause: unknown): CountersignError {
  return new CountersignError(
    "temporal_unreachable",
    `The Temporal server at ${address} refuses these credentials: check TEMPORAL_API_KEY, the TLS client certificate and TEMPORAL_NAMESPACE.`,
    { cause, details: { address } },
  );
}
