/** The members of an event that its state shows; never its body. */
import type { BusinessEvent } from "./event.ts";
import { eventKey } from "./names.ts";

export interface EventIdentity {
  readonly key: string;
  readonly source: string;
  readonly id: string;
  readonly type: string;
  readonly synthetic: boolean;
}

export function identityOf(event: BusinessEvent): EventIdentity {
  const { source, id, type } = event;
  return { key: eventKey(source, id), source, id, type, synthetic: event.synthetic === true };
}
