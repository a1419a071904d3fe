/** `keys list`: who may do what, by the configuration; never a hash. */
import { isExpired } from "../../access/authenticate.ts";
import type { ApiKey } from "../../config/config.ts";
import type { CliContext } from "../context.ts";
import { safeText } from "../safe-text.ts";
import { tableLines } from "../table.ts";
import type { Colors } from "../terminal.ts";
import { leftText, momentText } from "../time-text.ts";
import { clientConfig } from "../with-client.ts";

/** Needs no server. Throws what `loadConfig` throws. */
export async function keysList(context: CliContext): Promise<number> {
  const { terminal, json } = context;
  const { keys } = await clientConfig(context);
  const nowMs = Date.now();
  if (json) terminal.json({ items: keys.map((key) => itemOf(key, nowMs)) });
  else for (const line of keyLines(keys, nowMs, terminal.colors)) terminal.out(line);
  return 0;
}

function itemOf(key: ApiKey, nowMs: number) {
  const { id, role, person, sources, types } = key;
  return { id, role, person, sources, types, expires: expiryOf(key), expired: isExpired(key, nowMs) };
}

function expiryOf({ expiresAtMs }: ApiKey): string | null {
  return expiresAtMs === null ? null : new Date(expiresAtMs).toISOString();
}

export function keyLines(keys: readonly ApiKey[], nowMs: number, { dim }: Colors): readonly string[] {
  if (keys.length === 0) return ["The configuration has no keys. `countersign keys create` makes one."];
  const rows = keys.map((key) => [
    key.id,
    key.role,
    safeText(scopeText(key)),
    key.person === null ? "-" : safeText(key.person),
    expiryText(key, nowMs),
  ]);
  const [head = "", ...lines] = tableLines(["ID", "ROLE", "SCOPE", "PERSON", "EXPIRES"], rows);
  return [dim(head), ...lines];
}

function scopeText({ role, sources, types }: ApiKey): string {
  if (role !== "ingest") return "-";
  return `${sources.join(", ") || "no source"}: ${types === null ? "every type" : types.join(", ")}`;
}

function expiryText(key: ApiKey, nowMs: number): string {
  const expiry = expiryOf(key);
  return expiry === null ? "never" : `${momentText(expiry)} (${leftText(expiry, nowMs)})`;
}
