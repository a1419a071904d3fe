/** Whose key a request carries. */
import type { ApiKey } from "../config/config.ts";
import { matchesHash } from "./key-hash.ts";
import { readKey } from "./key-text.ts";

/**
 * `unknown`: no entry has this id, or the secret is not the one of the entry; which of the two is
 * nobody's business. `expired` is told only to who has the right secret.
 */
export type AuthenticationFailure = "missing" | "malformed" | "unknown" | "expired";

export type Authentication =
  | { readonly ok: true; readonly key: ApiKey }
  | {
      readonly ok: false;
      readonly because: AuthenticationFailure;
      /** As the request says it, for a log line; null = it says none. */
      readonly keyId: string | null;
    };

/** Of no secret: SHA-256 of anything is all zeros with a chance of one in 2^256. */
const HASH_OF_NOBODY = `sha256:${"0".repeat(64)}`;

/**
 * Judges the value of an `Authorization` header: `Bearer csk_…` (RFC 6750 §2.1; the scheme in any case).
 *
 * An id without an entry costs the same hash and the same comparison as one with an entry. Two
 * entries with one id do not exist: the configuration refuses them.
 */
export function authenticate(
  keys: readonly ApiKey[],
  authorization: string | null | undefined,
  nowMs: number,
): Authentication {
  if (authorization === null || authorization === undefined || authorization.trim() === "")
    return { ok: false, because: "missing", keyId: null };
  const presented = readKey(/^bearer +(\S+)$/i.exec(authorization.trim())?.[1] ?? "");
  if (presented === null) return { ok: false, because: "malformed", keyId: null };
  const { id: keyId, secret } = presented;
  const key = keys.find(({ id }) => id === keyId);
  const isItsSecret = matchesHash(secret, key?.hash ?? HASH_OF_NOBODY);
  if (key === undefined || !isItsSecret) return { ok: false, because: "unknown", keyId };
  return isExpired(key, nowMs) ? { ok: false, because: "expired", keyId } : { ok: true, key };
}

/** From the very moment of its expiry on. */
export function isExpired({ expiresAtMs }: Pick<ApiKey, "expiresAtMs">, nowMs: number): boolean {
  return expiresAtMs !== null && nowMs >= expiresAtMs;
}
