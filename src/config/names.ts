/** Names of sources, endpoints and handlers, as the configuration says them. */
import { parseHandlerReference } from "../delivery/names.ts";
import { accept } from "./accept.ts";

/** The rule of `isName` in words, for messages. */
export const NAME_RULE = "a lower-case letter, then up to 62 lower-case letters, digits and hyphens";

/** The source of our own test events; nobody may configure it. */
export const RESERVED_SOURCE = "countersign";

export const handlerReference = accept("name@version of a handler, such as 'refund@1'", (value) =>
  typeof value === "string" && parseHandlerReference(value) !== null ? value : undefined,
);
