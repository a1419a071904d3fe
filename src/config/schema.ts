/** The schema of the whole configuration: shape and values; what hangs together is checked in `cross-checks.ts`. */
import type { z } from "zod";
import { DAY_MS, SECOND_MS } from "../delivery/durations.ts";
import { keysSchema, peopleSchema } from "./access-schema.ts";
import { listOf, recordOf, strictShape } from "./accept.ts";
import { duration } from "./duration.ts";
import { endpointSchema } from "./endpoint-schema.ts";
import { routeSchema } from "./route-schema.ts";
import { pattern, text } from "./scalars.ts";
import { sourceSchema } from "./source-schema.ts";

const temporal = strictShape("an object", {
  namespace: text("the name of a Temporal namespace", 200).default("default"),
  // Lanes are named `<taskQueue>/lane/<endpoint>`, and Temporal bounds the whole at 1,000 bytes.
  taskQueue: text("the name of a task queue", 200).default("countersign"),
});

const deployment = strictShape("an object", {
  // Temporal joins name and build with these two characters and refuses them in the name.
  name: pattern("a name of 1 to 200 characters without . and :", /^(?!__)[^.:\p{Cc}]{1,200}$/u),
  build: text("the id of a build, of 1 to 200 characters", 200),
});

export const configSchema = strictShape("an object", {
  temporal: temporal.optional(),
  sources: recordOf("an object of sources by name", sourceSchema).default({}),
  endpoints: recordOf("an object of endpoints by name", endpointSchema).default({}),
  handlers: listOf("a list of module paths", text("the path of a module, such as './src/handlers.ts'")).default([]),
  routes: listOf("a list of routes", routeSchema).default([]),
  people: peopleSchema.default({}),
  keys: keysSchema.default([]),
  dedupeWindow: duration("a duration of at least 1 s, such as '7d'", { minMs: SECOND_MS }).default(7 * DAY_MS),
  deployment: deployment.optional(),
});

/** A configuration whose shape and values are right. */
export type CheckedConfig = z.output<typeof configSchema>;
export type CheckedSource = CheckedConfig["sources"][string];
export type CheckedEndpoint = CheckedConfig["endpoints"][string];
export type CheckedRoute = CheckedConfig["routes"][number];
export type CheckedApproval = NonNullable<CheckedRoute["approval"]>;
