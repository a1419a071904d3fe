/** An API key for tests: its text, as a client sends it, and what the configuration knows of it. */
import { randomBytes } from "node:crypto";
import { hashSecret } from "../../src/access/key-hash.ts";
import { formatKey, KEY_BYTES, makeKey } from "../../src/access/key-text.ts";
import type { ApiKey } from "../../src/config/config.ts";

export interface KeyForTests {
  readonly text: string;
  readonly key: ApiKey;
}

/** An ingest key for the source `shop` and every type, of nobody, that never expires. */
export function anApiKey(changes: Partial<ApiKey> = {}): KeyForTests {
  const parts = makeKey(randomBytes(KEY_BYTES));
  const key: ApiKey = {
    id: parts.id,
    role: "ingest",
    person: null,
    sources: changes.role === undefined || changes.role === "ingest" ? ["shop"] : [],
    types: null,
    hash: hashSecret(parts.secret),
    expiresAtMs: null,
    ...changes,
  };
  return { text: formatKey({ ...parts, id: key.id }), key };
}
