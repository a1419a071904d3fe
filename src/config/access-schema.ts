/** The schemas of people and API keys. */
import type { z } from "zod";
import { decodeBase64 } from "../delivery/base64.ts";
import { isWellFormed } from "../delivery/visible-text.ts";
import { accept, listOf, recordOf, strictShape } from "./accept.ts";
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

const key = strictShape("an entry printed by `countersign keys create`", {
  id: text("the id of the key", 200),
  role: oneOf(["ingest", "viewer", "approver", "operator"]),
  person: text("the name of a person", 200).optional(),
  sources: listOf("a list of sources", text("the name of a source")).optional(),
  types: listOf("a list of event types", text("an event type, with *")).optional(),
  hash: text("the hash printed with the key"),
  expires: text("an RFC 3339 time").optional(),
});

export const keysSchema = listOf("a list of entries printed by `countersign keys create`", key);
