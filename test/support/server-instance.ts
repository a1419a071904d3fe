/** One process of `serve`, as far as it can be told apart from outside: a client, an app and a socket of its own. */
import type { Config } from "../../src/config/config.ts";
import { connect } from "../../src/client/connect.ts";
import { closeClient } from "../../src/server/close-client.ts";
import type { ServerLimits } from "../../src/server/limits.ts";
import { listen } from "../../src/server/listen.ts";
import type { ServerContext } from "../../src/server/server-context.ts";
import { anApp, read } from "./an-app.ts";

export interface InstanceOptions {
  readonly config: Config;
  /** Of the Temporal server. */
  readonly address: string;
  readonly limits?: Partial<ServerLimits>;
  /** Such as `now`, where a test moves the clock. */
  readonly changes?: Partial<ServerContext>;
}

export interface ServerInstance {
  readonly url: string;
  readonly context: ServerContext;
  /** The status, the headers and the parsed body of the answer to a POST. */
  post(
    path: string,
    body: string | Uint8Array<ArrayBuffer>,
    headers: Readonly<Record<string, string>>,
  ): ReturnType<typeof read>;
  stop(): Promise<void>;
}

export async function startInstance({ config, address, limits, changes }: InstanceOptions): Promise<ServerInstance> {
  const countersign = await connect({ config, address, environment: {} });
  await countersign.count();
  let stopping = false;
  const { app, context } = anApp({
    countersign,
    config,
    limits: { lameDuckMs: 0, ...limits },
    changes: { stopping: () => stopping, ...changes },
  });
  const { url, close } = await listen(app, { host: "127.0.0.1", port: 0, limits: context.limits });
  return {
    url,
    context,
    post: async (path, body, headers) => await read(fetch(`${url}${path}`, { method: "POST", body, headers })),
    async stop() {
      stopping = true;
      await close();
      await closeClient(countersign, context.capacity);
    },
  };
}
