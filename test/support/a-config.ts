/** Builders of configurations: endpoints at a destination, each with a route of its own. */
import { randomUUID } from "node:crypto";
import type { Config } from "../../src/config/config.ts";
import { parseConfig } from "../../src/config/parse-config.ts";
import type { RawConfig, RawEndpoint, RawRoute } from "../../src/config/raw-config.ts";

export interface ConfigParts {
  /** Where endpoints without `url` and `handler` live: `<base>/<name>`. */
  readonly baseUrl: string;
  readonly endpoints: Readonly<Record<string, RawEndpoint>>;
  /** Besides one route per endpoint, from the type of its name. */
  readonly routes?: readonly RawRoute[];
  readonly taskQueue?: string;
  readonly rest?: Partial<RawConfig>;
}

/** Two quick retries without jitter: what a test can wait for. */
const QUICK: NonNullable<RawEndpoint["retry"]> = { schedule: ["1s", "1s"], jitter: 0 };

/** One test's failures must not hold the deliveries of the next: who tests the gates of endpoints switches them on. */
const APART: RawEndpoint = { retry: QUICK, circuit: false, retryAfterScope: "delivery" };

/** Sources `shop` and `billing`; loopback allowed; circuits off; an event of type `<endpoint>` goes to that endpoint. */
export function aConfig(parts: ConfigParts): Config {
  const endpoints = Object.fromEntries(
    Object.entries(parts.endpoints).map(([name, endpoint]) => [name, withDefaults(parts.baseUrl, name, endpoint)]),
  );
  const own = Object.keys(endpoints).map((name): RawRoute => ({ match: { type: name }, to: [name] }));
  return parseConfig(
    {
      temporal: { taskQueue: parts.taskQueue ?? `queue-${randomUUID()}` },
      sources: { shop: { aliases: ["https://shop.example/orders"] }, billing: {} },
      endpoints,
      routes: [...own, ...(parts.routes ?? [])],
      ...parts.rest,
    },
    { path: null },
  );
}

function withDefaults(baseUrl: string, name: string, endpoint: RawEndpoint): RawEndpoint {
  if (endpoint.handler !== undefined) return { ...APART, ...endpoint };
  const near = { url: `${baseUrl}/${name}`, allowPrivate: ["127.0.0.0/8"], ...APART, ...endpoint };
  const { reconcile } = endpoint;
  if (reconcile === undefined || !("url" in reconcile) || typeof reconcile.url !== "string") return near;
  // A lookup at the same destination, as a path.
  const url = reconcile.url.startsWith("/") ? `${baseUrl}${reconcile.url}` : reconcile.url;
  return { ...near, reconcile: { ...reconcile, url } };
}
