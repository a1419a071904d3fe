/** The door for events: untrusted input becomes a `BusinessEvent`, or a sentence says why not. */
import { CountersignError } from "../errors.ts";
import { contentTypeOf, isJsonContentType } from "./content-type.ts";
import { EVENT_MEMBERS } from "./event-members.ts";
import type { BusinessEvent, Evidence } from "./event.ts";
import { isWellFormed } from "./visible-text.ts";

/**
 * Reads an event out of any value.
 *
 * Members that an event does not have (CloudEvents extension attributes, say) are
 * accepted and dropped. An optional member that is undefined or null counts as
 * absent, as the CloudEvents JSON format has it; `data` is the exception: its
 * null is a value. Whether the source is known is decided elsewhere.
 *
 * Throws `bad_id` for the member `id`, `bad_event` for everything else; the
 * message names the member, what was found and what is accepted.
 */
export function parseEvent(value: unknown): BusinessEvent {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new CountersignError("bad_event", "An event is a JSON object with at least source, id and type.");
  }
  const members: Readonly<Record<string, unknown>> = { ...value };
  const entries = Object.entries(EVENT_MEMBERS).flatMap(([name, rule]) => {
    const found = presentValue(name, members[name]);
    if (found === undefined && !rule.required) return [];
    const problem = found === undefined ? "is missing" : rule.problem(found);
    if (problem !== null) throw refusal(name, `${problem}; accepted: ${rule.accepted}`);
    return [[name, found] as const];
  });
  // Each member has just been checked against its own rule, and the table holds every member.
  const event = Object.fromEntries(entries) as unknown as BusinessEvent;
  checkBody(event);
  return event.evidence === undefined ? event : { ...event, evidence: event.evidence.map(knownEvidence) };
}

function presentValue(name: string, value: unknown): unknown {
  return value === null && name !== "data" ? undefined : value;
}

function refusal(name: string, problem: string): CountersignError {
  return new CountersignError(name === "id" ? "bad_id" : "bad_event", `Event member "${name}" ${problem}.`);
}

/** The body is said once, and a body that is not JSON is text that UTF-8 can carry. */
function checkBody(event: BusinessEvent): void {
  const { data } = event;
  if (data === undefined) return;
  if (event.data_base64 !== undefined) {
    throw refusal("data", "stands beside data_base64; accepted: at most one of the two");
  }
  const contentType = contentTypeOf(event);
  if (isJsonContentType(contentType)) return;
  if (typeof data !== "string") {
    throw refusal("data", `is not text although datacontenttype is ${contentType}; accepted: a string, or data_base64`);
  }
  if (!isWellFormed(data)) {
    throw refusal(
      "data",
      "holds a lone surrogate, which UTF-8 cannot carry; accepted: well-formed text, or data_base64",
    );
  }
}

function knownEvidence({ title, url, text }: Evidence): Evidence {
  return { title, ...(url === undefined ? {} : { url }), ...(text === undefined ? {} : { text }) };
}
