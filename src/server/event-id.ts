/** The id of an event that comes without one: from members that its source's `idFrom` names, never a hash of the body. */
import type { Config } from "../config/config.ts";
import { resolveSource } from "../config/match-routes.ts";
import { bodyOf } from "../delivery/body.ts";
import { isJsonContentType } from "../delivery/content-type.ts";
import type { BusinessEvent } from "../delivery/event.ts";
import { CountersignError } from "../errors.ts";
import { type Members, readForm, readJson } from "../signing/verify/members.ts";
import { joinMembers } from "../signing/verify/provider-event.ts";

/** The members of an event, not checked yet. */
type Raw = Readonly<Record<string, unknown>>;

/**
 * What the configuration of the event's source makes of it; undefined = its producer must name an id.
 *
 * `idFrom` of a source with `verify` names members of what a provider sends, so it says nothing here.
 */
export function configuredId(config: Config, members: Raw): string | undefined {
  const source = typeof members["source"] === "string" ? resolveSource(config, members["source"]) : null;
  if (source === null || source.idFrom === null || source.verify !== null) return undefined;
  return idFromMembers(source.idFrom, members);
}

/**
 * The texts at these paths, joined by `:`; `data.` leads into the body, other names are members of the event.
 *
 * Throws `bad_id` when one of them is missing, or is neither a text, a number nor a truth value.
 */
export function idFromMembers(paths: readonly string[], members: Raw): string {
  const body = bodyMembers(members);
  const text = (path: string): string | null => {
    if (path.startsWith(IN_BODY)) return body.text(path.slice(IN_BODY.length));
    const value = members[path];
    return typeof value === "string" && value !== "" ? value : null;
  };
  const id = joinMembers({ text }, paths);
  if (id !== null) return id;
  const missing = paths.filter((path) => text(path) === null).join(", ");
  throw new CountersignError(
    "bad_id",
    `The event has no id, and none can be made of ${missing}: each must be there once, as a text, a number or a truth value`,
  );
}

const IN_BODY = "data.";
const NO_MEMBERS: Members = { text: () => null };

/** Numbers keep their spelling here: as doubles, two long ones would be one id. */
function bodyMembers(members: Raw): Members {
  const { data, data_base64, datacontenttype } = members;
  const part = {
    ...(data === undefined ? {} : { data }),
    ...(typeof data_base64 === "string" ? { data_base64 } : {}),
    ...(typeof datacontenttype === "string" ? { datacontenttype } : {}),
  };
  const { bytes, contentType } = bodyOf(part as BusinessEvent); // all that is looked at there
  if (isJsonContentType(contentType)) return readJson(bytes) ?? NO_MEMBERS;
  return /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(contentType)
    ? (readForm(bytes) ?? NO_MEMBERS)
    : NO_MEMBERS;
}
