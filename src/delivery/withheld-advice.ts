/** What a person is told where our own configuration stands in the way of an attempt. */
import type { WithheldReason } from "./facts.ts";

/** Null = it failed on our side, and only the worker's log knows why. */
export function withheldAdvice(endpoint: string, reason: WithheldReason | null): string {
  const next = "Nothing was sent. Mend the configuration, restart the workers, then replay; or discard.";
  switch (reason) {
    case "not-routed":
      return `The worker's configuration does not route this event to endpoint ${endpoint}. ${next}`;
    case "unknown-endpoint":
      return `The worker's configuration has no endpoint ${endpoint}. ${next}`;
    case "body-too-large":
      return `The body is larger than endpoint ${endpoint} takes (maxBodyBytes). Nothing was sent. Amend it, or mend the configuration and replay; or discard.`;
    case "body-not-json":
      return "The amended body is not JSON, as its content type says, or names a member twice. Nothing was sent. Amend it again; or discard.";
    case "no-requester":
      return "The approval must know who asked for this (requireRequester), and the event has no requestedBy. Nothing was sent. Discard it, and send the event under a new id with a requester.";
    case null:
      return `The attempt to ${endpoint} failed on our side; the worker's log has the reason. ${next}`;
  }
}
