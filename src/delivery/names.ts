/** Names, keys and IDs: each format exists once, here. */
import { isDigest } from "./digest.ts";
import { CountersignError } from "../errors.ts";
import { visibleTextProblem } from "./visible-text.ts";

/** Sources, endpoints and handlers: `[a-z][a-z0-9-]{0,62}`. They are identities. */
export function isName(text: string): boolean {
  return /^[a-z][a-z0-9-]{0,62}$/.test(text);
}

/**
 * What is wrong with an event ID, worded to follow its name; null when nothing is.
 *
 * An ID is 1–160 bytes of UTF-8 of visible text, kept as given: slashes, colons,
 * percent signs and inner spaces are part of it, so `a b`, `a+b` and `a%20b` are
 * three events. What `visibleTextProblem` refuses is refused.
 */
export function eventIdProblem(id: string): string | null {
  return visibleTextProblem(id, { max: 160, unit: "bytes" });
}

export function isEventId(id: string): boolean {
  return eventIdProblem(id) === null;
}

/** The event's key, which is also the ID of its workflow. `source` is a configured name, never an alias. */
export function eventKey(source: string, id: string): string {
  return `${source}/${id}`;
}

export interface EventKeyParts {
  readonly source: string;
  readonly id: string;
}

/** Splits a key at its first slash (a name holds none); null when it is not a key. */
export function parseEventKey(key: string): EventKeyParts | null {
  const slash = key.indexOf("/");
  const source = key.slice(0, Math.max(0, slash));
  const id = key.slice(slash + 1);
  return isName(source) && isEventId(id) ? { source, id } : null;
}

const ENDPOINT_PREFIX = "endpoint:";

/** No event key collides with the IDs below: they hold a colon before any slash, and a name holds none. */
export function endpointWorkflowId(endpoint: string): string {
  return `${ENDPOINT_PREFIX}${endpoint}`;
}

/** The other way round; null = it is not the ID of an endpoint's workflow. */
export function endpointOfWorkflow(workflowId: string): string | null {
  const endpoint = workflowId.slice(ENDPOINT_PREFIX.length);
  return workflowId.startsWith(ENDPOINT_PREFIX) && isName(endpoint) ? endpoint : null;
}

/** The registry of gates: one workflow per namespace. */
export const GATES_WORKFLOW_ID = "countersign:gates";

/**
 * ID of the record that another content came under a used key; at most 250 bytes.
 *
 * Throws `bad_argument` when `fingerprint` is not `sha256:` + 64 hex digits.
 */
export function conflictWorkflowId(key: string, fingerprint: string): string {
  if (!isDigest(fingerprint)) {
    const found = JSON.stringify(fingerprint.slice(0, 100));
    throw new CountersignError("bad_argument", `A fingerprint is "sha256:" and 64 hex digits, not ${found}.`);
  }
  return `conflict:${key}:${fingerprint.slice(PREFIX_LENGTH, PREFIX_LENGTH + 16)}`;
}

const PREFIX_LENGTH = "sha256:".length;

/** Name of the task queue on which the work for one endpoint waits. */
export function laneQueue(taskQueue: string, endpoint: string): string {
  return `${taskQueue}/lane/${endpoint}`;
}

export interface HandlerReference {
  readonly name: string;
  /** Letters, digits, `.`, `_` and `-`, starting with a letter or digit; at most 63 characters. */
  readonly version: string;
}

/** Reads `name@version`; null when it is not one. */
export function parseHandlerReference(text: string): HandlerReference | null {
  const at = text.indexOf("@");
  const name = text.slice(0, Math.max(0, at));
  const version = text.slice(at + 1);
  return isName(name) && /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(version) ? { name, version } : null;
}

/** The source of events of our own: tests and notices. Nobody may configure it. */
export const RESERVED_SOURCE = "countersign";
