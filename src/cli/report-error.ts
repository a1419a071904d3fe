/** The one place where an error becomes words and an exit code. */
import { CommanderError } from "commander";
import { type CountersignError, isCountersignError } from "../errors.ts";
import { grpcFailure, GRPC_STATUS, isAccessRefused, isSilence } from "../temporal/grpc-status.ts";
import { EXIT, type ExitCode, exitCodeOf, type ShownCode } from "./exit-code.ts";
import { safeLines } from "./safe-text.ts";
import type { Terminal } from "./terminal.ts";

export interface Complaint {
  readonly code: ShownCode;
  /** Full sentences for a person. */
  readonly message: string;
  readonly details: CountersignError["details"];
}

export interface FailedCommand {
  /** Empty when the arguments named none. */
  readonly verb: string;
  readonly json: boolean;
  readonly terminal: Terminal;
}

/** Says what went wrong on standard error and answers with the exit code. */
export function reportError(error: unknown, { verb, json, terminal }: FailedCommand): ExitCode {
  if (error instanceof CommanderError && error.exitCode === 0) return EXIT.done;
  const complaint = complaintOf(error, verb);
  const { bold, red } = terminal.noteColors;
  if (json) terminal.note(JSON.stringify(problemOf(complaint)));
  else terminal.note(`${red(bold("error:"))} ${safeLines(complaint.message)} [${complaint.code}]`);
  return exitCodeOf(complaint.code, verb);
}

/** RFC 9457; `code` and the facts of the error are extension members. */
export function problemOf({ code, message, details }: Complaint): Readonly<Record<string, unknown>> {
  const standard = { type: `urn:countersign:problem:${code}`, title: TITLES[code], detail: message, code };
  return { ...standard, ...details, ...standard };
}

export function complaintOf(error: unknown, verb: string): Complaint {
  if (isCountersignError(error))
    return { code: error.code, message: endSentence(error.message), details: error.details };
  if (error instanceof CommanderError) return { code: "bad_argument", message: usageMessage(error, verb), details: {} };
  const failure = grpcFailure(error);
  if (failure !== null) return serverComplaint(error, failure);
  const message = error instanceof Error ? error.message : String(error);
  return { code: "internal", message: `This should not have happened: ${endSentence(message)}`, details: {} };
}

/** A call that failed after the connection stood: the server left, is overloaded, or refuses. */
function serverComplaint(
  error: unknown,
  { status, details: words }: { readonly status: number; readonly details: string },
): Complaint {
  if (isAccessRefused(error)) {
    return {
      code: "temporal_unreachable",
      message: `The Temporal server refuses this call: ${endSentence(words)}`,
      details: {},
    };
  }
  if (isSilence(status)) {
    const message = `The Temporal server stopped answering: ${endSentence(words)} Try again, or run \`countersign doctor\`.`;
    return { code: "temporal_unreachable", message, details: {} };
  }
  if (status === GRPC_STATUS.notFound)
    return { code: "not_found", message: `The Temporal server says: ${endSentence(words)}`, details: {} };
  return { code: "internal", message: `The Temporal server says: ${endSentence(words)}`, details: {} };
}

/** "error: unknown option '--foo'\n(Did you mean --for?)" → a sentence and where to read on. */
function usageMessage({ code, message }: CommanderError, verb: string): string {
  // A group of commands that was named alone; commander only has "(outputHelp)" to say about it.
  const complaint = code === "commander.help" ? "a command is missing" : message;
  const words = complaint
    .replace(/^error: /, "")
    .replaceAll(/\s+/g, " ")
    .trim();
  const sentence = endSentence(`${words.charAt(0).toUpperCase()}${words.slice(1)}`);
  return `${sentence} See \`countersign ${verb === "" ? "" : `${verb} `}--help\`.`;
}

function endSentence(words: string): string {
  return /[.?!]\)?$/.test(words) ? words : `${words}.`;
}

const TITLES: Readonly<Record<ShownCode, string>> = {
  bad_argument: "The command cannot be understood",
  bad_event: "This is not an event",
  bad_id: "This is not an event id",
  body_too_large: "The body is too large",
  config_invalid: "The configuration is not valid",
  config_not_found: "There is no configuration",
  conflict: "The key was used for other content",
  duplicate_member: "A member is there twice",
  endpoint_held: "The endpoint is held",
  handler_missing: "A handler is missing",
  internal: "Unexpected failure",
  invalid_json: "This is not JSON",
  missing_env: "An environment variable is missing",
  no_route: "No route matches",
  not_found: "There is no such thing",
  refused: "It did not count",
  requester_required: "It must be known who asks",
  search_attributes_missing: "The search attributes are missing",
  server_unavailable: "A server could not be started",
  temporal_unreachable: "Temporal does not answer",
  timeout: "It took too long",
  unknown_endpoint: "There is no such endpoint",
  unknown_source: "There is no such source",
  unsupported_server: "The Temporal server is too old",
};
