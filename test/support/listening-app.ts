/** The HTTP API on a real socket, without Temporal: events go to a fake that notes them. */
import { afterEach } from "vitest";
import type { Countersign } from "../../src/client/countersign.ts";
import type { Receipt } from "../../src/client/submit.ts";
import { listen, type Listener } from "../../src/server/listen.ts";
import type { ServerLimits } from "../../src/server/limits.ts";
import type { ServerContext } from "../../src/server/server-context.ts";
import type { Config } from "../../src/config/config.ts";
import { aConfig } from "./a-config.ts";
import { type AKey, aKey, anApp } from "./an-app.ts";
import { rawConnection, type RawConnection, rawRequest } from "./raw-http.ts";

/** May send from `shop`; the whole fake has no other key. */
export const SHOP_KEY: AKey = aKey({ role: "ingest", sources: ["shop"] });

/** `/v1/hooks/stripe` verifies with this. */
const STRIPE_SECRET = "stripe secret";

export const LISTENING_CONFIG: Config = aConfig({
  baseUrl: "https://crm.example",
  endpoints: { crm: {} },
  rest: {
    sources: { shop: {}, stripe: { verify: { scheme: "stripe", secrets: [STRIPE_SECRET] } } },
    keys: [SHOP_KEY.entry],
  },
});

export interface ListeningApp {
  readonly url: string;
  readonly listener: Listener;
  readonly context: ServerContext;
  /** Ids of what was submitted. */
  readonly submitted: readonly string[];
  /** Resolves the submits that wait. */
  release(): void;
  /** A raw connection, cut when the app is closed. */
  open(): Promise<RawConnection>;
  close(): Promise<void>;
}

export interface ListeningOptions {
  readonly limits?: Partial<ServerLimits>;
  /** Submits wait for `release`. */
  readonly slow?: boolean;
  readonly changes?: Partial<ServerContext>;
}

/** Called once by a test file: each of its tests starts what it needs, and all of it is closed after the test. */
export function useListeningApps(): (options?: ListeningOptions) => Promise<ListeningApp> {
  const running: ListeningApp[] = [];
  afterEach(async () => {
    await Promise.all(running.splice(0).map(async (app) => await app.close()));
  });
  return async (options) => {
    const app = await startListening(options);
    running.push(app);
    return app;
  };
}

async function startListening({ limits, slow = false, changes }: ListeningOptions = {}): Promise<ListeningApp> {
  const submitted: string[] = [];
  let release = (): void => undefined;
  const gate = slow ? new Promise<void>((resolve) => (release = resolve)) : null;
  const submit = async (event: unknown): Promise<Receipt> => {
    const { id } = event as { readonly id: string }; // parsed by the door
    submitted.push(id);
    await gate;
    return { key: `shop/${id}`, duplicate: false, state: "in-progress", workflowId: `shop/${id}`, runId: "r" };
  };
  let stopping = false;
  const { app, context } = anApp({
    // Nothing else of the facade is called here.
    countersign: { submit } as Partial<Countersign> as Countersign,
    config: LISTENING_CONFIG,
    limits: { lameDuckMs: 0, ...limits },
    changes: { stopping: () => stopping, ...changes },
  });
  const opened = await listen(app, { host: "127.0.0.1", port: 0, limits: context.limits });
  const listener = { ...opened, close: async () => ((stopping = true), await opened.close()) };
  const connections: RawConnection[] = [];
  return {
    url: opened.url,
    listener,
    context,
    submitted,
    release: () => release(),
    async open() {
      const connection = await rawConnection(opened.url);
      connections.push(connection);
      return connection;
    },
    async close() {
      for (const { socket } of connections) socket.destroy();
      await listener.close();
    },
  };
}

export const SHOP_HEADERS = { authorization: SHOP_KEY.bearer, "content-type": "application/json" } as const;

export function shopEvent(id: string): string {
  return JSON.stringify({ source: "shop", id, type: "crm" });
}

/** A whole request that brings one event. */
export function eventRequest(id: string, headers: Readonly<Record<string, string>> = {}): string {
  const body = shopEvent(id);
  return rawRequest("/v1/events", { ...SHOP_HEADERS, "content-length": String(body.length), ...headers }, body);
}
