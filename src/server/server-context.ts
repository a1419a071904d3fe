/** What every handler works with. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Context } from "hono";
import type { SlowDown } from "../access/slow-down.ts";
import type { Countersign } from "../client/countersign.ts";
import type { Config } from "../config/config.ts";
import type { VerifyScheme } from "../signing/verify/settings.ts";
import type { Logger } from "../telemetry/logger.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { Capacity } from "./capacity.ts";
import type { ServerLimits } from "./limits.ts";

export interface ServerContext {
  readonly countersign: Countersign;
  readonly config: Config;
  /** By source name, with their secrets: never logged. */
  readonly schemes: ReadonlyMap<string, VerifyScheme>;
  readonly limits: ServerLimits;
  readonly capacity: Capacity;
  readonly slowDown: SlowDown;
  readonly metrics: Metrics;
  readonly log: Logger;
  now(): number;
  pause(durationMs: number): Promise<void>;
  /** The process is about to end: connections are not kept. */
  stopping(): boolean;
}

/** Absent `incoming`: the request was handed to the app without a socket. */
export interface HttpEnv {
  readonly Bindings: {
    readonly incoming?: Pick<IncomingMessage, "headersDistinct" | "socket"> & IncomingMessage;
    readonly outgoing?: ServerResponse;
  };
}

export type HttpContext = Context<HttpEnv>;
export type Answer = (context: HttpContext) => Promise<Response>;
