/** The schemas of people and API keys. */
import { listOf, recordOf, strictShape } from "./accept.ts";
import { oneOf, text } from "./scalars.ts";

const person = strictShape("an object", {
  groups: listOf("a list of groups", text("the name of a group", 200)).optional(),
  publicKey: text("an Ed25519 public key", 500).optional(),
});

export const peopleSchema = recordOf("an object of people by name", person);

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
