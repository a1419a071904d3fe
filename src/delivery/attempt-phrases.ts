/** One attempt in words, for people: what happened, and what is certain about it. */
import type { AttemptCode, AttemptRecord } from "./attempt.ts";

type PlainCode = Exclude<AttemptCode, `http_${number}`>;

/** Each completes "<endpoint> …". */
const PHRASES: Readonly<Record<PlainCode, string>> = {
  connect_refused: "refused the connection",
  connect_reset: "reset the connection while it was being made",
  connect_timeout: "did not accept a connection in time",
  unreachable: "could not be reached over the network",
  dns_not_found: "has a host name that does not exist",
  dns_failed: "could not be looked up in the DNS",
  tls_expired: "shows an expired certificate",
  tls_not_yet_valid: "shows a certificate that is not yet valid",
  tls_wrong_host: "shows a certificate for another host",
  tls_self_signed: "shows a self-signed certificate",
  tls_unknown_ca: "shows a certificate of an unknown authority",
  tls_revoked: "shows a revoked certificate",
  tls_protocol: "speaks no TLS on that port, or too old a version",
  tls_reset: "closed the connection during the TLS handshake",
  timeout_headers: "did not answer in time",
  timeout_total: "did not answer in time",
  reset_after_send: "reset the connection after the request was sent",
  closed_after_send: "closed the connection after the request was sent",
  response_malformed: "answered something that is not HTTP",
  response_headers_too_large: "answered with headers that are too large",
  blocked_address: "has an address that may not be called",
  request_invalid: "could not be called because the request cannot be formed",
  transport_failed: "could not be called for a reason without a name of its own",
  handler_done: "has done its work",
  handler_failed: "failed in its handler",
  handler_refused: "refused the event in its handler",
  worker_lost: "was being called when the worker was lost",
  canceled: "was being called when the attempt was canceled",
};

/** What happened, as the words after the endpoint's name. */
export function phraseOf({ code, status }: Pick<AttemptRecord, "code" | "status">): string {
  return isPlainCode(code) ? PHRASES[code] : `answered ${status ?? code.slice("http_".length)}`;
}

function isPlainCode(code: AttemptCode): code is PlainCode {
  return Object.hasOwn(PHRASES, code);
}

/** What is certain about the request's fate, as a clause; null when the answer says it all. */
export function certaintyOf({ certainty, outcome }: AttemptRecord): string | null {
  switch (certainty) {
    case "not-sent":
      return "nothing was sent";
    case "unknown":
      return "the request may have taken effect";
    case "answered":
      return outcome === "uncertain" ? "the answer does not tell whether it took effect" : null;
  }
}

/** Text from outside, safe to print: anything but printable ASCII shows as `?`. */
export function printable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, "?");
}
