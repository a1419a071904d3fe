/** The six ways a command ends. */
import type { ErrorCode } from "../errors.ts";

export const EXIT = {
  done: 0,
  failed: 1,
  /** Bad usage, bad input or bad configuration. */
  badUsage: 2,
  notFound: 3,
  /** It did not count, conflicts, or has no route. */
  refused: 4,
  temporalUnreachable: 5,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** `internal`: a failure without a code of ours. */
export type ShownCode = ErrorCode | "internal";

/**
 * The exit code of an error.
 *
 * The verb matters twice: only `send` takes an event from the person who typed, and `amend` a
 * body, so elsewhere a bad one is a fact about a run; and `worker --only nope` is bad usage, while `test nope` asks
 * for something that is not there.
 */
export function exitCodeOf(code: ShownCode, verb: string): ExitCode {
  switch (code) {
    case "endpoint_held":
    case "internal":
    case "search_attributes_missing":
    case "server_unavailable":
    case "timeout":
    case "unsupported_server":
      return EXIT.failed;
    case "bad_event":
    case "bad_id":
      return verb === "send" ? EXIT.badUsage : EXIT.failed;
    case "body_too_large":
    case "duplicate_member":
    case "invalid_json":
      return verb === "send" || verb === "amend" ? EXIT.badUsage : EXIT.failed;
    case "bad_argument":
    case "config_invalid":
    case "config_not_found":
    case "handler_missing":
    case "missing_env":
      return EXIT.badUsage;
    case "unknown_endpoint":
      return verb === "worker" ? EXIT.badUsage : EXIT.notFound;
    case "not_found":
      return EXIT.notFound;
    case "conflict":
    case "no_route":
    case "refused":
    case "requester_required":
    case "unknown_source":
      return EXIT.refused;
    case "temporal_unreachable":
      return EXIT.temporalUnreachable;
  }
}
