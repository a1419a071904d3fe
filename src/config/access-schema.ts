/** The schemas of people and API keys. */
import type { z } from "zod";
import { decodeBase64 } from "../delivery/base64.ts";
import { isWellFormed, visibleTextProblem } from "../delivery/visible-text.ts";
import { accept, listOf, recordOf, strictShape } from "./accept.ts";
import { isDigest } from "../delivery/digest.ts";
import { isKeyId, KEY_ROLES } from "./key-entry.ts";
import { parseMomentMs } from "./moment.ts";
import { oneOf, text } from "./scalars.ts";

const ED25519_BYTES = 32;

/** One form only, so that one key has one spelling. */
const publicKey = accept(
  "an Ed25519 public key: its 32 bytes in base64, as `countersign people keygen` prints it",
  (value) => (typeof value === "string" && decodeBase64(value)?.length === ED25519_BYTES ? value : undefined),
);

const group = text("the name of a group", 200).refine(isWellFormed, { error: "the name of a group" });

export const personSchema = strictShape("an object", {
  groups: listOf("a list of groups", group).default([]),
  publicKey: publicKey.optional(),
});

export const peopleSchema = recordOf("an object of people by name", personSchema);

/** A person whose shape and values are right. */
export type CheckedPerson = z.output<typeof personSchema>;

const hash = accept("'sha256:' and 64 hex digits in lower case, as `countersign keys create` prints it", (value) =>
  typeof value === "string" && isDigest(value) ? value : undefined,
);

const id = accept("the id printed with the key: 1 to 32 lower-case letters and digits", (value) =>
  typeof value === "string" && isKeyId(value) ? value : undefined,
);

/** As far as a type of an event goes, and the stars between. */
const typePattern = accept("an event type, with * for any run of characters", (value) =>
  typeof value === "string" && visibleTextProblem(value, { max: 255, unit: "characters" }) === null ? value : undefined,
);

const time = accept("an RFC 3339 time, such as '2030-01-31T00:00:00Z'", (value) =>
  typeof value === "string" ? (parseMomentMs(value) ?? undefined) : undefined,
);

/** The rule for names of `people`, so that nothing else is ever printed. */
const personName = accept("the name of a person", (value) =>
  typeof value === "string" && visibleTextProblem(value, { max: 200, unit: "bytes" }) === null ? value : undefined,
);

export const keySchema = strictShape("an entry printed by `countersign keys create`", {
  id,
  role: oneOf(KEY_ROLES),
  person: personName.optional(),
  sources: listOf("a list of at least one source", text("the name or an alias of a source"), { min: 1 }).optional(),
  types: listOf("a list of at least one event type", typePattern, { min: 1 }).optional(),
  hash,
  expires: time.optional(),
});

export const keysSchema = listOf("a list of entries printed by `countersign keys create`", keySchema);

/** An entry whose shape and values are right; `expires` in milliseconds since 1970. */
export type CheckedKey = z.output<typeof keySchema>;
