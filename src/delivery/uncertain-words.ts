/** What is known of an uncertain attempt, in words: how far its request got, and what a lookup found. */
import { phraseOf } from "./attempt-phrases.ts";
import type { AttemptRecord } from "./attempt.ts";
import type { LookupRecord } from "./lookup.ts";

/** Null = the bytes of the request were not seen. */
export function howFarItGot({ phase, bytesSent = 0, bytesReceived = 0, durationMs }: AttemptRecord): string | null {
  if (phase === undefined) return null;
  const sent = phase === "sent" ? "the whole request was sent; " : "the request was not sent whole; at most ";
  return `${sent}${bytesSent} bytes went out and ${bytesReceived} came back in ${durationMs} ms`;
}

/** What the lookup found, as a clause of its own. */
export function lookupClause(lookup: LookupRecord): string {
  switch (lookup.found) {
    case "delivered":
      return `a lookup found its effect${basis(lookup)}`;
    case "absent":
      return `a lookup found that it had no effect${basis(lookup)}`;
    case "unclear":
      return unclear(lookup);
  }
}

function basis({ status, matched = {} }: LookupRecord): string {
  const members = Object.entries(matched).map(([path, value]) => `${path} ${JSON.stringify(value)}`);
  const parts = [...(status === undefined ? [] : [String(status)]), ...members];
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
}

function unclear({ by, code, status, tries }: LookupRecord): string {
  if (code === "not_configured") return "no lookup is configured for it any more";
  if (code === "handler_done") return `the lookup's handler cannot tell${often(tries)}`;
  if (by === "handler") return `the lookup's handler failed${often(tries)}`;
  if (status !== undefined) return `the lookup's answer, ${status}, does not tell${often(tries)}`;
  return `whoever was asked in the lookup ${phraseOf({ code })}${often(tries)}`;
}

function often(tries: number): string {
  return tries === 1 ? "" : `, asked ${tries} times`;
}
