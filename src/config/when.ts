/** The schema of `when`: operators by dotted path, or a function of the event. */
import type { z } from "zod";
import type { BusinessEvent } from "../delivery/event.ts";
import { accept, choose, hasNoIssues, keysMatch, listOf, recordOf, strictShape } from "./accept.ts";
import type { When, WhenOperators } from "./config.ts";
import { flag, jsonValue } from "./scalars.ts";

const ACCEPTED = "an object of operators by path, such as { 'data.amount': { gt: 500 } }, or a function of the event";
const PATH = /^(?:data|source|id|type|time|subject|datacontenttype|requestedBy|synthetic)(?:\.[^.]+)*$/;

const comparable = accept("a number or a string", (value) =>
  typeof value === "string" || (typeof value === "number" && Number.isFinite(value)) ? value : undefined,
);

const operators = strictShape("an object", {
  eq: jsonValue.optional(),
  ne: jsonValue.optional(),
  gt: comparable.optional(),
  gte: comparable.optional(),
  lt: comparable.optional(),
  lte: comparable.optional(),
  in: listOf("a list of JSON values", jsonValue, { min: 1 }).optional(),
  exists: flag.optional(),
}).refine((value) => Object.keys(value).length > 0, {
  error: "at least one of eq, ne, gt, gte, lt, lte, in, exists",
  when: hasNoIssues,
});

// `operators` is built key by key from WhenOperators; zod adds `undefined` to optional members, which `exactOptionalPropertyTypes` tells apart.
const declarative = recordOf(ACCEPTED, operators as unknown as z.ZodType<WhenOperators>).check(
  keysMatch("a path such as 'data.amount', 'type' or 'subject'", PATH),
);

const predicate = accept(ACCEPTED, (value) =>
  // A function of the configuration file; what it returns is checked at each call.
  typeof value === "function" ? (value as (event: BusinessEvent) => boolean) : undefined,
);

export const when: z.ZodType<When> = choose<When>((value) => (typeof value === "function" ? predicate : declarative));
