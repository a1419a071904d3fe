/** The HTTP API without a socket, on the facade of a stage: requests are handed to the app. */
import { randomBytes } from "node:crypto";
import type { ServerLimits } from "../../src/server/limits.ts";
import { formatKey, KEY_BYTES, makeKey } from "../../src/access/key-text.ts";
import { hashSecret } from "../../src/access/key-hash.ts";
import type { Countersign } from "../../src/client/countersign.ts";
import type { Config } from "../../src/config/config.ts";
import type { RawConfig } from "../../src/config/raw-config.ts";
import { type App, createApp } from "../../src/server/create-app.ts";
import { createContext, schemesOf } from "../../src/server/create-context.ts";
import type { ServerContext } from "../../src/server/server-context.ts";
import { createLogger } from "../../src/telemetry/logger.ts";

type RawKey = NonNullable<RawConfig["keys"]>[number];

export interface AKey {
  /** What a client sends. */
  readonly bearer: string;
  /** What of it nobody may see. */
  readonly secret: string;
  /** What stands in the configuration. */
  readonly entry: RawKey;
}

export function aKey(entry: Omit<RawKey, "id" | "hash">): AKey {
  const { id, secret } = makeKey(randomBytes(KEY_BYTES));
  return { bearer: `Bearer ${formatKey({ id, secret })}`, secret, entry: { id, hash: hashSecret(secret), ...entry } };
}

export interface AppParts {
  readonly countersign: Countersign;
  readonly config: Config;
  readonly limits?: Partial<ServerLimits>;
  readonly changes?: Partial<ServerContext>;
}

export interface AnApp {
  readonly app: App;
  readonly context: ServerContext;
}

export function anApp({ countersign, config, limits = {}, changes = {} }: AppParts): AnApp {
  const schemes = schemesOf(config, {});
  const log = createLogger("silent");
  const context = {
    ...createContext({ countersign, config, schemes, log, limits, stopping: () => false }),
    // Nobody waits in a test; how long it would be is a test of its own.
    pause: async () => await Promise.resolve(),
    ...changes,
  };
  return { app: createApp(context), context };
}

/** The status and the parsed body of an answer. */
export async function read(response: Response | Promise<Response>) {
  const answer = await response;
  const text = await answer.text();
  const isJson = text !== "" && /json/.test(answer.headers.get("content-type") ?? "");
  // Tests say what they expect of it.
  const body = (isJson ? JSON.parse(text) : text) as Readonly<Record<string, unknown>>;
  return { status: answer.status, headers: answer.headers, body };
}
