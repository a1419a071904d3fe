/** The schema of one endpoint: every key of the contract, those without effect yet included. */
import { z } from "zod";
import { HOUR_MS, SECOND_MS } from "../delivery/durations.ts";
import { accept, choose, isObject, keysMatch, listOf, recordOf, strictShape } from "./accept.ts";
import { isAddressBlock } from "./address.ts";
import { duration } from "./duration.ts";
import { checkHeaderValue, HEADER_VALUE_RULE } from "./header-rules.ts";
import { handlerReference } from "./names.ts";
import { reference } from "./reference.ts";
import { retry } from "./retry.ts";
import { flag, jsonValue, number, oneOf, text, whole } from "./scalars.ts";
import { checkSigningSecret, SIGNING_SECRET_RULE } from "./signing-secret.ts";
import { size } from "./size.ts";

const KIB = 1024;
const MAX_BODY_BYTES = 1024 * KIB;

const timeout = duration("a duration from '1ms' to '1h', such as '5s'", { minMs: 1, maxMs: HOUR_MS });
const interval = duration("a duration of at least 1 s, such as '30s'", { minMs: SECOND_MS });
const httpStatus = whole(100, 599);

const timeouts = strictShape("an object", {
  connect: timeout.default(5 * SECOND_MS),
  headers: timeout.optional(),
  total: timeout.default(20 * SECOND_MS),
});

const signing = strictShape("an object", {
  scheme: oneOf(["standard-webhooks"]),
  secrets: listOf("a list of 1 to 10 secrets", reference(SIGNING_SECRET_RULE, checkSigningSecret), { min: 1, max: 10 }),
});

const limits = strictShape("an object", {
  rate: strictShape("an object", {
    perSecond: accept("a number above 0, at most 100000", (value) =>
      typeof value === "number" && value > 0 && value <= 100_000 ? value : undefined,
    ),
  }).optional(),
  concurrency: whole(1, 100_000).optional(),
});

const circuit = choose<unknown>((value) => (value === false ? z.literal(false) : circuitObject));
const circuitObject = strictShape("false, or an object", {
  failures: whole(1, 1_000_000).optional(),
  share: number("a share from 0 to 1", { min: 0, max: 1 }).optional(),
  window: interval.optional(),
  minimum: whole(1, 1_000_000).optional(),
  open: interval.optional(),
  probes: whole(1, 1000).optional(),
});

const lookupAnswer = strictShape("an object", {
  status: httpStatus,
  json: recordOf("an object of expected values by path", jsonValue).optional(),
});
const reconcile = choose<unknown>((value) =>
  isObject(value) && "handler" in value ? reconcileByHandler : reconcileByUrl,
);
const reconcileByHandler = strictShape("an object", { handler: handlerReference });
const reconcileByUrl = strictShape("an object", {
  url: text("a URL, which may hold {idempotencyKey}, {source} and {id}", 2000),
  delivered: lookupAnswer,
  absent: lookupAnswer,
});

const classify = recordOf("an object of outcomes by status", oneOf(["delivered", "retry", "refused"])).check(
  keysMatch("a status from 100 to 599", /^[1-5]\d\d$/),
);

export const endpointSchema = strictShape("an object", {
  url: reference("an absolute https: URL", () => null).optional(),
  handler: handlerReference.optional(),
  method: oneOf(["POST", "PUT", "PATCH"]).default("POST"),
  headers: recordOf("an object of header values by name", reference(HEADER_VALUE_RULE, checkHeaderValue)).default({}),
  signing: signing.optional(),
  retry: retry.optional(),
  timeouts: timeouts.optional(),
  limits: limits.optional(),
  circuit: circuit.optional(),
  retryAfterScope: oneOf(["endpoint", "delivery"]).optional(),
  classify: classify.default({}),
  idempotent: flag.default(true),
  isolated: flag.default(false),
  reconcile: reconcile.optional(),
  // Its shape is settled together with ordered delivery; until then any value ends the start.
  order: z.unknown().optional(),
  format: oneOf(["bytes", "cloudevents"]).default("bytes"),
  allowPrivate: listOf(
    "a list of address blocks such as '127.0.0.0/8'",
    accept("an address block such as '127.0.0.0/8' or '::1/128'", (value) =>
      typeof value === "string" && isAddressBlock(value) ? value : undefined,
    ),
  ).default([]),
  ports: listOf("a list of ports", whole(1, 65_535)).default([]),
  maxBodyBytes: size("a size from '1B' to '1MiB', such as '256KiB'", { minBytes: 1, maxBytes: MAX_BODY_BYTES }).default(
    256 * KIB,
  ),
});
