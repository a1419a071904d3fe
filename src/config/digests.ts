/** SHA-256 where `delivery/` only says over what. */
import { createHash } from "node:crypto";
import { idempotencyKeyInput } from "../delivery/fingerprint.ts";
import type { Endpoint } from "./config.ts";
import { displayUrl } from "./resolve-endpoint.ts";

export function sha256(bytes: Uint8Array): Buffer {
  return createHash("sha256").update(bytes).digest();
}

/** `cs1_` + base64url: the same for every attempt and replay of one delivery; only an amendment has a revision above 1. */
export function idempotencyKeyFor(key: string, endpoint: string, revision: number): string {
  return `cs1_${sha256(idempotencyKeyInput({ key, endpoint, revision })).toString("base64url")}`;
}

/** Digest of what an endpoint is; secrets, retry, time-outs and limits are not part of it. */
export function configVersionOf(endpoint: Endpoint): string {
  const { name, method, headers, signing, format } = endpoint;
  const parts = [name, method, displayUrl(endpoint), Object.keys(headers).toSorted(), signing?.scheme ?? null, format];
  return `sha256:${sha256(Buffer.from(JSON.stringify(parts))).toString("hex")}`;
}
