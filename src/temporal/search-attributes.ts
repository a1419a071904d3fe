/** The four search attributes of the product: their keys, and making sure that a server knows them. */
import { setTimeout as delay } from "node:timers/promises";
import type { ConnectionLike } from "@temporalio/client";
import { defineSearchAttributeKey, SearchAttributeType } from "@temporalio/common";
import proto from "@temporalio/proto";
import { CountersignError } from "../errors.ts";
import { grpcFailure, GRPC_STATUS, isAccessRefused } from "./grpc-status.ts";

/** Written only in exceptional states; absent means in progress, or delivered once the run is completed. */
export const STATE_ATTRIBUTE = defineSearchAttributeKey("CountersignState", SearchAttributeType.KEYWORD);
export const REASON_ATTRIBUTE = defineSearchAttributeKey("CountersignReason", SearchAttributeType.KEYWORD);
export const TYPE_ATTRIBUTE = defineSearchAttributeKey("CountersignType", SearchAttributeType.KEYWORD);
export const ENDPOINTS_ATTRIBUTE = defineSearchAttributeKey("CountersignEndpoints", SearchAttributeType.KEYWORD_LIST);

export interface SearchAttributeDefinition {
  readonly name: string;
  /** As the Temporal CLI spells it. */
  readonly type: "Keyword" | "KeywordList";
}

export const SEARCH_ATTRIBUTES: readonly SearchAttributeDefinition[] = [
  { name: STATE_ATTRIBUTE.name, type: "Keyword" },
  { name: REASON_ATTRIBUTE.name, type: "Keyword" },
  { name: TYPE_ATTRIBUTE.name, type: "Keyword" },
  { name: ENDPOINTS_ATTRIBUTE.name, type: "KeywordList" },
];

const { IndexedValueType } = proto.temporal.api.enums.v1;
const WIRE_TYPES = {
  Keyword: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  KeywordList: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD_LIST,
} as const;

const CALL_DEADLINE_MS = 10_000;
const MAPPING_DEADLINE_MS = 15_000;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 1_000;
/** Two processes may register at once; the server then refuses one write, and a second look finds it done. */
const REGISTER_TRIES = 5;

/**
 * Registers what is missing; does nothing when all are there. Safe to call from several processes at once.
 *
 * Throws `search_attributes_missing`, with the command to run, when registering is not permitted, fails, or a name
 * is taken by an attribute of another type.
 */
export async function ensureSearchAttributes(connection: ConnectionLike, namespace: string): Promise<void> {
  for (let remaining = REGISTER_TRIES; ; remaining -= 1) {
    try {
      const missing = await listMissing(connection, namespace);
      if (missing.length > 0) await register(connection, namespace, missing);
      return;
    } catch (error) {
      if (isAccessRefused(error) || grpcFailure(error)?.status === GRPC_STATUS.unimplemented) {
        return assertQueryable(connection, namespace, error);
      }
      if (remaining > 1 && isContention(error)) {
        await delay(FIRST_PAUSE_MS);
        continue;
      }
      throw error;
    }
  }
}

async function listMissing(
  connection: ConnectionLike,
  namespace: string,
): Promise<readonly SearchAttributeDefinition[]> {
  const { customAttributes } = await withDeadline(connection, () =>
    connection.operatorService.listSearchAttributes({ namespace }),
  );
  const known = customAttributes ?? {};
  const clash = SEARCH_ATTRIBUTES.find(
    ({ name, type }) => known[name] !== undefined && known[name] !== WIRE_TYPES[type],
  );
  // The server answers a registration under another type with success and changes nothing (1.32.0).
  if (clash !== undefined) {
    throw new CountersignError(
      "search_attributes_missing",
      `Search attribute ${clash.name} exists in namespace ${namespace} with another type than ${clash.type}: remove it with \`temporal operator search-attribute remove --namespace ${namespace} --name ${clash.name}\` and start again.`,
    );
  }
  return SEARCH_ATTRIBUTES.filter(({ name }) => known[name] === undefined);
}

async function register(
  connection: ConnectionLike,
  namespace: string,
  missing: readonly SearchAttributeDefinition[],
): Promise<void> {
  const searchAttributes = Object.fromEntries(missing.map(({ name, type }) => [name, WIRE_TYPES[type]]));
  try {
    await withDeadline(connection, () =>
      connection.operatorService.addSearchAttributes({ namespace, searchAttributes }),
    );
  } catch (error) {
    if (grpcFailure(error)?.status !== GRPC_STATUS.alreadyExists) throw error;
  }
}

function isContention(error: unknown): boolean {
  const status = grpcFailure(error)?.status;
  return (
    status === GRPC_STATUS.aborted || status === GRPC_STATUS.unavailable || status === GRPC_STATUS.failedPrecondition
  );
}

/**
 * Where the operator service is closed (Temporal Cloud, a restricted role) the attributes may still be there: a
 * visibility query naming them is refused only when they are not.
 */
async function assertQueryable(connection: ConnectionLike, namespace: string, refusal: unknown): Promise<void> {
  const query = SEARCH_ATTRIBUTES.map(({ name }) => `${name} IS NULL`).join(" AND ");
  try {
    await withDeadline(connection, () => connection.workflowService.countWorkflowExecutions({ namespace, query }));
  } catch (error) {
    if (grpcFailure(error)?.status !== GRPC_STATUS.invalidArgument) throw error;
    throw missingError(namespace, refusal);
  }
}

function missingError(namespace: string, cause: unknown): CountersignError {
  const flags = SEARCH_ATTRIBUTES.map(({ name, type }) => `--name ${name} --type ${type}`).join(" ");
  return new CountersignError(
    "search_attributes_missing",
    `The search attributes of Countersign are not registered in namespace ${namespace} and registering them is not permitted: run \`temporal operator search-attribute create --namespace ${namespace} ${flags}\` as an administrator.`,
    { cause },
  );
}

function withDeadline<T>(connection: ConnectionLike, call: () => Promise<T>): Promise<T> {
  return connection.withDeadline(Date.now() + CALL_DEADLINE_MS, call);
}

/**
 * Repeats `start` for up to 15 s while the server says it has no mapping for a search attribute: its parts learn of
 * a new attribute one after the other. Any other failure, and the last one, is thrown as it is.
 */
export async function withSearchAttributeRetry<T>(
  start: () => Promise<T>,
  deadlineMs: number = MAPPING_DEADLINE_MS,
): Promise<T> {
  const endsAt = Date.now() + deadlineMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    try {
      return await start();
    } catch (error) {
      if (!isMappingMissing(error) || Date.now() + pauseMs > endsAt) throw error;
    }
    await delay(pauseMs);
  }
}

/** The sentence is the server's own; its status alone (invalid argument) would also cover real mistakes. */
export function isMappingMissing(error: unknown): boolean {
  return (grpcFailure(error)?.details ?? "").includes("no mapping defined for search attribute");
}
