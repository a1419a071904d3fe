/** In whose name a request is made: `actor` of a decision or an action, `requestedBy` of an event. */
import type { ApiKey } from "../config/config.ts";

/**
 * The person the key is bound to, whatever the request claims; with a key of nobody's the name the
 * request gives; null = neither, and what needs an actor must be refused.
 */
export function actorFor({ person }: Pick<ApiKey, "person">, claimed: string | null | undefined): string | null {
  if (person !== null) return person;
  return claimed === null || claimed === undefined || claimed.trim() === "" ? null : claimed;
}
