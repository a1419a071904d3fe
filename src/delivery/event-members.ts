/** The members of an event: what each accepts, and what is wrong with a value that it does not. */
import { decodeBase64 } from "./base64.ts";
import { momentMs } from "./calendar.ts";
import { isContentType } from "./content-type.ts";
import type { BusinessEvent } from "./event.ts";
import { jsonProblem } from "./json-value.ts";
import { eventIdProblem } from "./names.ts";
import { visibleTextProblem, type TextLimit } from "./visible-text.ts";

export interface EventMember {
  readonly required: boolean;
  /** Completes "accepted: …". */
  readonly accepted: string;
  /** What is wrong, worded to follow the member's name; null when nothing is. */
  problem(value: unknown): string | null;
}

/** Every member, in the order in which they are checked. A new member of `BusinessEvent` is a type error here. */
export const EVENT_MEMBERS: Readonly<Record<keyof BusinessEvent, EventMember>> = {
  source: text({ max: 200, unit: "bytes" }, "required"),
  id: {
    required: true,
    accepted: "1–160 bytes of visible text",
    problem: ofString(eventIdProblem),
  },
  type: text({ max: 200, unit: "characters" }, "required"),
  time: member("an RFC 3339 date and time such as 2026-11-29T10:00:00Z", isRfc3339),
  subject: text({ max: 1000, unit: "characters" }, "optional"),
  datacontenttype: member("a media type such as application/json", isContentType),
  data: { required: false, accepted: "any JSON value", problem: jsonProblem },
  data_base64: member(
    "base64 of RFC 4648 section 4, padded, without line breaks",
    (value) => decodeBase64(value) !== null,
  ),
  specversion: member('"1.0"', (value) => value === "1.0"),
  requestedBy: text({ max: 200, unit: "characters" }, "optional"),
  evidence: {
    required: false,
    accepted: "a list of { title, url?, text? }, all texts, the title not empty and the url http or https",
    problem: evidenceProblem,
  },
  traceparent: member("a W3C trace context such as 00-<32 hex digits>-<16 hex digits>-01", isTraceparent),
  synthetic: {
    required: false,
    accepted: "true or false",
    problem: (value) => (typeof value === "boolean" ? null : `is ${describe(value)}`),
  },
};

function text(limit: TextLimit, presence: "required" | "optional"): EventMember {
  return {
    required: presence === "required",
    accepted: `1–${limit.max} ${limit.unit} of visible text`,
    problem: ofString((value) => visibleTextProblem(value, limit)),
  };
}

function member(accepted: string, isAccepted: (value: string) => boolean): EventMember {
  return {
    required: false,
    accepted,
    problem: ofString((value) => (isAccepted(value) ? null : `is ${describe(value)}`)),
  };
}

function ofString(problem: (value: string) => string | null): EventMember["problem"] {
  return (value) => (typeof value === "string" ? problem(value) : `is ${describe(value)}`);
}

/** What was found, short enough for a sentence. */
function describe(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return Array.isArray(value) ? "a list" : `of type ${typeof value}`;
}

const RFC3339 =
  /^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})T(?<hour>\d{2}):(?<minute>\d{2}):(?<second>\d{2})(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;

/** RFC 3339 §5.6 with up to nine digits of a second; dates that do not exist are refused. */
function isRfc3339(value: string): boolean {
  const groups = RFC3339.exec(value)?.groups;
  if (groups === undefined) return false;
  const part = (name: string): number => Number(groups[name]);
  const date = { year: part("year"), month: part("month"), day: part("day") };
  return momentMs({ ...date, hour: part("hour"), minute: part("minute"), second: part("second") }) !== null;
}

/** W3C Trace Context §3.2: all-zero IDs and version ff are invalid; later versions may append fields. */
function isTraceparent(value: string): boolean {
  if (!/^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(?:-[\x21-\x7e]{1,200})?$/.test(value)) return false;
  if (value.startsWith("ff") || (value.startsWith("00") && value.length !== 55)) return false;
  return !/^0+$/.test(value.slice(3, 35)) && !/^0+$/.test(value.slice(36, 52));
}

function evidenceProblem(value: unknown): string | null {
  if (!Array.isArray(value)) return `is ${describe(value)}`;
  const index = value.findIndex((item: unknown) => !isEvidence(item));
  return index === -1 ? null : `holds something else at position ${index + 1}`;
}

function isEvidence(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { title, url, text: body }: Partial<Record<string, unknown>> = { ...value };
  if (typeof title !== "string" || title.trim() === "") return false;
  if (url !== undefined && !(typeof url === "string" && /^https?:\/\/[\x21-\x7e]+$/i.test(url))) return false;
  return body === undefined || typeof body === "string";
}
