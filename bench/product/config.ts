/** The configuration of a product contender: endpoints of the destination, each routed to by the type of its name. */
import type { Config } from "../../src/config/config.ts";
import { parseConfig } from "../../src/config/parse-config.ts";
import type { RawConfig, RawEndpoint } from "../../src/config/raw-config.ts";
import type { Stage } from "../scenario.ts";

/** Each endpoint lives at the path of its name. */
export function configOf(
  stage: Stage,
  endpoints: Readonly<Record<string, RawEndpoint>>,
  rest: Partial<RawConfig> = {},
): Config {
  const raw: RawConfig = {
    // A queue of its own: the processes of several scenarios are up at the same time.
    temporal: { taskQueue: `countersign-${stage.scenario}` },
    sources: { bench: {} },
    endpoints: Object.fromEntries(
      Object.entries(endpoints).map(([name, endpoint]) => [
        name,
        { url: `${stage.destinationUrl}/${name}`, allowPrivate: ["127.0.0.0/8"], ...endpoint },
      ]),
    ),
    routes: Object.keys(endpoints).map((name) => ({ match: { type: name }, to: [name] })),
    ...rest,
  };
  return parseConfig(raw, { path: null });
}
