/** What every verb of the facade works with. */
import type { Client } from "@temporalio/client";
import type { Config } from "../config/config.ts";
import { CountersignError } from "../errors.ts";
import { grpcFailure, GRPC_STATUS, isSilence } from "../temporal/grpc-status.ts";

export interface Session {
  readonly client: Client;
  readonly config: Config;
  /** True only where a worker of this process shares the connection: then starts may be eager. */
  readonly eager: boolean;
  /** How long one call may take, in milliseconds; absent = 10 s. */
  readonly deadlineMs?: number;
  /** Makes sure, once, that the search attributes exist. */
  prepared(): Promise<void>;
  /** Makes sure that this namespace can take our starts; asks the server at most every few seconds. */
  ready(): Promise<StartConditions>;
}

export interface StartConditions {
  /** Whether the next start may ask to be eager. */
  readonly eager: boolean;
}

/** A server that hangs must not hang its caller. */
const CALL_DEADLINE_MS = 10_000;

export async function withDeadline<T>(
  session: Session,
  call: () => Promise<T>,
  deadlineMs = session.deadlineMs ?? CALL_DEADLINE_MS,
): Promise<T> {
  try {
    return await session.client.withDeadline(Date.now() + deadlineMs, call);
  } catch (error) {
    throw explainSilence(error);
  }
}

/** A server that is gone, hangs or has too much to do → `temporal_unreachable`; any other error stays what it is. */
export function explainSilence(error: unknown): unknown {
  const status = grpcFailure(error)?.status;
  if (status === GRPC_STATUS.resourceExhausted) {
    const message =
      "The Temporal server has too much to do just now (RESOURCE_EXHAUSTED); nothing is known to have been done";
    return new CountersignError("temporal_unreachable", message, { cause: error });
  }
  if (!isSilence(status)) return error;
  return new CountersignError(
    "temporal_unreachable",
    "The Temporal server does not answer; nothing is known to have been done",
    {
      cause: error,
    },
  );
}
