/** The schema of one endpoint: every key of the contract, those without effect yet included. */
import { z } from "zod";
import { HOUR_MS, SECOND_MS } from "../delivery/durations.ts";
import { accept, keysMatch, listOf, recordOf, strictShape } from "./accept.ts";
import { isAddressBlock } from "./address.ts";
import { circuit } from "./circuit.ts";
import { duration } from "./duration.ts";
import { checkHeaderValue, HEADER_VALUE_RULE } from "./header-rules.ts";
import { handlerReference } from "./names.ts";
import { reconcileSchema } from "./reconcile.ts";
import { reference } from "./reference.ts";
import { retry } from "./retry.ts";
import { flag, oneOf, whole } from "./scalars.ts";
import { checkSigningSecret, SIGNING_SECRET_RULE } from "./signing-secret.ts";
import { size } from "./size.ts";

const KIB = 1024;
const MAX_BODY_BYTES = 1024 * KIB;

const timeout = duration("a duration from '1ms' to '1h', such as '5s'", { minMs: 1, maxMs: HOUR_MS });

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
  reconcile: reconcileSchema.optional(),
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
