/** Names of sources, endpoints and handlers, as the configuration says them. */
import { parseHandlerReference } from "../delivery/names.ts";
import { accept } from "./accept.ts";

/** The rule of `isName` in words, for messages. */
export const NAME_RULE = "a lower-case letter, then up to 62 lower-case letters, digits and hyphens";

export { RESERVED_SOURCE } from "../delivery/names.ts";

/** The names there are, in words for messages. */
export function listNames(noun: string, names: readonly string[]): string {
  if (names.length === 0) return `a configured ${noun}; none is configured`;
  const shown = names.slice(0, 20).join(", ");
  return `a configured ${noun}: ${shown}${names.length > 20 ? ` and ${names.length - 20} more` : ""}`;
}

export const handlerReference = accept("name@version of a handler, such as 'refund@1'", (value) =>
  typeof value === "string" && parseHandlerReference(value) !== null ? value : undefined,
);
