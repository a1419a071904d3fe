/**
 * Reads what a producer handed to a run, as text, before anything parsed it: a parser would round big numbers and
 * drop repeated member names without a word.
 */
import type { Client } from "@temporalio/client";
import type { Payload } from "@temporalio/common";
import { grpcFailure, GRPC_STATUS } from "./grpc-status.ts";

const CALL_DEADLINE_MS = 10_000;
/** The encoding every Temporal SDK and CLI uses for JSON values. */
const JSON_ENCODING = "json/plain";

export interface StartInputRequest {
  readonly workflowId: string;
  /** Absent = the latest run. */
  readonly runId?: string;
}

/** Facts of the first event of a history. */
export interface StartInput {
  /** The first argument exactly as sent; null when there is none or it is not UTF-8 text encoded as JSON. */
  readonly text: string | null;
  readonly argumentCount: number;
  readonly workflowType: string;
  readonly taskQueue: string;
  /** When the server accepted the start. */
  readonly startedAt: Date;
  /** Who started it, as the caller named itself; unauthenticated. */
  readonly identity: string;
}

/** Null when there is no such run. Payloads pass through the client's codecs, but no payload converter. */
export async function readStartInput(
  client: Client,
  { workflowId, runId }: StartInputRequest,
): Promise<StartInput | null> {
  try {
    return await client.withDeadline(Date.now() + CALL_DEADLINE_MS, () =>
      read(client, { workflowId, runId: runId ?? "" }),
    );
  } catch (error) {
    if (grpcFailure(error)?.status === GRPC_STATUS.notFound) return null;
    throw error;
  }
}

async function read(client: Client, execution: Required<StartInputRequest>): Promise<StartInput | null> {
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace: client.options.namespace,
    execution,
    maximumPageSize: 1,
  });
  const event = history?.events?.[0];
  const started = event?.workflowExecutionStartedEventAttributes;
  if (event === undefined || started === null || started === undefined) return null;
  const payloads = started.input?.payloads ?? [];
  const [first] = payloads;
  return {
    text: first === undefined ? null : textOf(await decode(client, first)),
    argumentCount: payloads.length,
    workflowType: started.workflowType?.name ?? "",
    taskQueue: started.taskQueue?.name ?? "",
    startedAt: new Date(
      Number(event.eventTime?.seconds ?? 0) * 1_000 + Math.floor((event.eventTime?.nanos ?? 0) / 1_000_000),
    ),
    identity: started.identity ?? "",
  };
}

/** Codecs are undone from the last to the first, as the SDK applies them from the first to the last. */
async function decode(client: Client, payload: Payload): Promise<Payload | undefined> {
  let payloads = [payload];
  for (const codec of client.options.loadedDataConverter.payloadCodecs.toReversed())
    payloads = await codec.decode(payloads);
  return payloads[0];
}

function textOf(payload: Payload | undefined): string | null {
  const encoding = payload?.metadata?.["encoding"];
  if (encoding === undefined || encoding === null || Buffer.from(encoding).toString("latin1") !== JSON_ENCODING)
    return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(payload?.data ?? new Uint8Array());
  } catch {
    return null;
  }
}
