/** The answer to what never became a request: Node's parser gave up on it, or it is one we refuse to read as one. */
import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { type Problem, problemText } from "./problem.ts";

/** How long the last words may take before the connection is cut. */
const LINGER_MS = 500;

/** For a listener of `clientError`. */
export function answerBrokenRequest(error: Error, socket: Duplex): void {
  // Gone already, or told already: whatever it sends after that is not read.
  if (!socket.writable || ("code" in error && error.code === "ECONNRESET")) return void socket.destroy();
  answerBySocket(problemFor(error), socket);
}

/** RFC 9110 §9.3.6: we are no proxy. For a listener of `connect`, where there is no response to write to. */
export function refuseTunnel(socket: Duplex): void {
  socket.on("error", () => socket.destroy());
  answerBySocket({ status: 400, code: "bad_request", detail: "There is no tunnel through this server." }, socket);
}

/** At once, so that no answer of the app comes behind it. */
function answerBySocket(problem: Problem, socket: Duplex): void {
  const { status } = problem;
  const body = problemText(problem);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    "content-type: application/problem+json",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/** The codes of Node's parser. */
function problemFor(error: Error): Problem {
  const code = "code" in error ? error.code : undefined;
  if (code === "HPE_HEADER_OVERFLOW")
    return { status: 431, code: "bad_request", detail: "The headers of this request are too large." };
  if (code === "ERR_HTTP_REQUEST_TIMEOUT")
    return { status: 408, code: "request_timeout", detail: "The request did not arrive in time." };
  return { status: 400, code: "bad_request", detail: "This is not HTTP/1.1." };
}
