/** One page of a list, and where the next one begins: for callers that keep no iterator between two questions. */
import type { WorkflowExecutionInfo } from "@temporalio/client";
import { TypedSearchAttributes } from "@temporalio/common";
import proto from "@temporalio/proto";
import { sha256 } from "../config/digests.ts";
import { CountersignError } from "../errors.ts";
import {
  ENDPOINTS_ATTRIBUTE,
  REASON_ATTRIBUTE,
  STATE_ATTRIBUTE,
  TYPE_ATTRIBUTE,
} from "../temporal/search-attributes.ts";
import { APPROVAL_MEMO } from "../workflows/messages.ts";
import { type EventRow, type ListFilter, queryOf, rowOf, type RunInList } from "./list-events.ts";
import { type Decode, decoderOf, millis } from "./payloads.ts";
import { type Session, withDeadline } from "./session.ts";

export interface PageRequest {
  /** `nextCursor` of the page before; absent = the first page. */
  readonly cursor?: string | undefined;
  /** 1–1000 rows. */
  readonly limit: number;
}

export interface EventPage {
  readonly items: readonly EventRow[];
  /** Null = there is no further page; a page after a cursor may still be empty. */
  readonly nextCursor: string | null;
}

/** Newest first, eventually consistent. Throws `bad_argument` for a filter or cursor that cannot be. */
export async function listPage(
  session: Session,
  filter: ListFilter,
  { cursor, limit }: PageRequest,
): Promise<EventPage> {
  const query = queryOf(filter);
  const { rows, nextPageToken } = await readRows(session, { query, pageSize: limit, token: tokenOf(cursor, query) });
  return { items: rows, nextCursor: cursorOf(nextPageToken, query) };
}

export interface RowsRequest {
  readonly query: string;
  readonly pageSize: number;
  /** Of the server; empty = the first page. */
  readonly token: Uint8Array;
}

/** One call to the server; an empty token = there is no further page. */
export async function readRows(
  session: Session,
  { query, pageSize, token }: RowsRequest,
): Promise<{ readonly rows: readonly EventRow[]; readonly nextPageToken: Uint8Array }> {
  await session.prepared();
  const { client } = session;
  const request = { namespace: client.options.namespace, query, pageSize, nextPageToken: token };
  const answer = await withDeadline(session, () => client.workflowService.listWorkflowExecutions(request));
  const decode = decoderOf(client);
  const runs = await Promise.all((answer.executions ?? []).map(async (raw) => await runOf(raw, decode)));
  return { rows: runs.map(rowOf), nextPageToken: answer.nextPageToken ?? new Uint8Array() };
}

const CHECK_BYTES = 8;

/** The server's token behind a check: it answers one that is damaged only after trying for its whole deadline. */
function cursorOf(token: Uint8Array, query: string): string | null {
  return token.length === 0 ? null : Buffer.concat([checkOf(token, query), token]).toString("base64url");
}

function tokenOf(cursor: string | undefined, query: string): Uint8Array {
  if (cursor === undefined) return new Uint8Array();
  const bytes = Buffer.from(cursor, "base64url");
  const token = bytes.subarray(CHECK_BYTES);
  if (checkOf(token, query).equals(bytes.subarray(0, CHECK_BYTES))) return token;
  throw new CountersignError("bad_argument", "The cursor is not one of this list: take nextCursor as it was given");
}

function checkOf(token: Uint8Array, query: string): Buffer {
  return sha256(Buffer.concat([Buffer.from(`${query}\n`), token])).subarray(0, CHECK_BYTES);
}

type RawRun = proto.temporal.api.workflow.v1.IWorkflowExecutionInfo;

async function runOf(raw: RawRun, decode: Decode): Promise<RunInList> {
  const fields = raw.searchAttributes?.indexedFields ?? {};
  const approval = raw.memo?.fields?.[APPROVAL_MEMO];
  return {
    workflowId: raw.execution?.workflowId ?? "",
    status: { name: STATUS_NAMES.get(raw.status ?? 0) ?? "UNKNOWN" },
    startTime: new Date(millis(raw.startTime)),
    typedSearchAttributes: new TypedSearchAttributes([
      ...keyword(STATE_ATTRIBUTE, fields),
      ...keyword(REASON_ATTRIBUTE, fields),
      ...keyword(TYPE_ATTRIBUTE, fields),
      ...keywords(fields),
    ]),
    memo: approval === undefined ? {} : { [APPROVAL_MEMO]: await decode(approval) },
  };
}

const { WorkflowExecutionStatus } = proto.temporal.api.enums.v1;

/** As the SDK spells them: `CANCELLED` with two l. */
const STATUS_NAMES: ReadonlyMap<number, WorkflowExecutionInfo["status"]["name"]> = new Map([
  [WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_RUNNING, "RUNNING"],
  [WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_COMPLETED, "COMPLETED"],
  [WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_FAILED, "FAILED"],
  [WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_CANCELED, "CANCELLED"],
  [WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_TERMINATED, "TERMINATED"],
  [WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_TIMED_OUT, "TIMED_OUT"],
]);

type Fields = NonNullable<NonNullable<RawRun["searchAttributes"]>["indexedFields"]>;

function keyword(key: typeof STATE_ATTRIBUTE, fields: Fields) {
  const value = valueOf(fields, key.name);
  return typeof value === "string" ? [{ key, value }] : [];
}

/** A list of one comes as a text. */
function keywords(fields: Fields) {
  const value = valueOf(fields, ENDPOINTS_ATTRIBUTE.name);
  const list = (Array.isArray(value) ? value : [value]).filter((item) => typeof item === "string");
  return list.length === 0 ? [] : [{ key: ENDPOINTS_ATTRIBUTE, value: list }];
}

/** Search attributes are plain JSON, whatever codec the payloads have. */
function valueOf(fields: Fields, name: string): unknown {
  const data = Object.hasOwn(fields, name) ? fields[name]?.data : undefined;
  return data === undefined || data === null ? undefined : JSON.parse(Buffer.from(data).toString("utf8"));
}
