/** What is no key is bad usage, not a key nobody used. */
import { parseEventKey } from "../delivery/names.ts";
import { CountersignError } from "../errors.ts";

const MAX_SHOWN = 100;

/** Throws `bad_argument` for text that cannot be the key of an event. */
export function requireKey(text: string): void {
  if (parseEventKey(text) !== null) return;
  const shown = JSON.stringify(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);
  throw new CountersignError("bad_argument", `KEY must be source/id, such as shop/evt_1; not ${shown}.`);
}
