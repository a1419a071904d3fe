/** How much one request, and all of them together, may take. */
import { SECOND_MS } from "../delivery/durations.ts";

const KIB = 1024;
const MIB = 1024 * KIB;

export interface ServerLimits {
  /** Start line and headers of a request. */
  readonly maxHeaderBytes: number;
  /** From the first byte of a connection to the end of the headers. */
  readonly headerTimeMs: number;
  /** `POST /v1/events`: a body of 1 MiB, as base64 or escaped, and its envelope. */
  readonly maxEventBytes: number;
  /** `POST /v1/hooks/…`: the body itself. */
  readonly maxHookBytes: number;
  /** From the end of the headers to the end of the body. */
  readonly bodyTimeMs: number;
  /** Of bodies that are being read or worked on, all together; whoever has shown no key gets half of it at most. */
  readonly maxBufferedBytes: number;
  /** Events on their way to Temporal at one time. */
  readonly maxInFlight: number;
  /** After that a producer is told to come again. */
  readonly acceptTimeMs: number;
  /** Events in one batch. */
  readonly maxBatch: number;
  /** Answers to failed keys held back at one time. */
  readonly maxHeldBack: number;
  readonly maxConnections: number;
  /** How long a quiet connection stays open: longer than load balancers keep theirs. */
  readonly keepAliveMs: number;
  /** From an answer that is made to the client having read it, as far as the system's buffers let us see. */
  readonly readTimeMs: number;
  /** At a stop: how long requests are still taken, each answer asking its client to connect anew. */
  readonly lameDuckMs: number;
  /** At a stop: how long requests in flight may take after that. */
  readonly drainMs: number;
}

export const DEFAULT_LIMITS: ServerLimits = {
  maxHeaderBytes: 16 * KIB,
  headerTimeMs: 10 * SECOND_MS,
  maxEventBytes: 2 * MIB,
  maxHookBytes: MIB,
  bodyTimeMs: 10 * SECOND_MS,
  maxBufferedBytes: 64 * MIB,
  maxInFlight: 256,
  acceptTimeMs: 8 * SECOND_MS,
  maxBatch: 100,
  maxHeldBack: 100,
  maxConnections: 10_000,
  keepAliveMs: 75 * SECOND_MS,
  readTimeMs: 30 * SECOND_MS,
  lameDuckMs: SECOND_MS,
  drainMs: 15 * SECOND_MS,
};

/** What a client is told to wait before it comes again. */
export const RETRY_AFTER_SECONDS = 5;
