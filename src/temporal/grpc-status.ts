/** The gRPC status codes this folder reacts to, and how to find one in an error of either kind of connection. */

/** Numbers of the gRPC core specification, "Status codes and their use in gRPC". */
export const GRPC_STATUS = {
  canceled: 1,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  alreadyExists: 6,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  aborted: 10,
  unimplemented: 12,
  unavailable: 14,
  unauthenticated: 16,
} as const;

/** How deep a chain of causes is followed; the SDK wraps once, interceptors may wrap again. */
const MAX_CAUSES = 8;

export interface GrpcFailure {
  readonly status: number;
  /** The server's own sentence; empty when it sent none. */
  readonly details: string;
}

/** Finds the first gRPC failure in an error and its causes; null when there is none. */
export function grpcFailure(error: unknown): GrpcFailure | null {
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && current instanceof Error; depth += 1) {
    if ("code" in current && typeof current.code === "number") {
      const details = "details" in current && typeof current.details === "string" ? current.details : current.message;
      return { status: current.code, details };
    }
    current = current.cause;
  }
  return null;
}

const SILENCE: readonly number[] = [GRPC_STATUS.canceled, GRPC_STATUS.deadlineExceeded, GRPC_STATUS.unavailable];

/** No answer came: nothing is known to have been done. We cancel no call ourselves; a server that stops does, and a proxy. */
export function isSilence(status: number | undefined): boolean {
  return status !== undefined && SILENCE.includes(status);
}

/**
 * How the native connection words the two refusals: it passes no status on when connecting, only the sentence its
 * gRPC library has for it.
 */
const NATIVE_REFUSALS = /does not have (?:valid authentication credentials|permission to execute)/;

/** True when the server refuses the caller: wrong or missing credentials, or no right to this call. */
export function isAccessRefused(error: unknown): boolean {
  const status = grpcFailure(error)?.status;
  if (status !== undefined) return status === GRPC_STATUS.permissionDenied || status === GRPC_STATUS.unauthenticated;
  return error instanceof Error && NATIVE_REFUSALS.test(error.message);
}
