/** The audit of one event as a table: when, who, what, on which proposal. */
import type { AuditAction, AuditRecord } from "../audit/audit-record.ts";
import { safeText } from "./safe-text.ts";
import { tableLines } from "./table.ts";
import type { Colors } from "./terminal.ts";

const HEAD = ["WHEN (UTC)", "WHO", "WHAT", "ENDPOINT", "REV", "DIGEST", "MORE"];

/** One line per record; digests by their first twelve digits. */
export function auditLines(key: string, records: readonly AuditRecord[], colors: Colors): readonly string[] {
  const [head = "", ...lines] = tableLines(HEAD, records.map(cells));
  return [
    colors.bold(safeText(key)),
    colors.dim(head),
    ...lines.map((line, index) => (records[index]?.counted === false ? colors.dim(line) : line)),
    "",
    colors.dim("From the history alone. Digests are shown by their first 12 digits; --json has them whole."),
  ];
}

function cells(record: AuditRecord): readonly string[] {
  const { at, actor, endpoint, revision, digest } = record;
  return [
    whenText(at),
    actor === null ? "(countersign)" : safeText(actor) || "(nobody named)",
    whatText(record),
    safeText(endpoint ?? "-"),
    revision === null ? "-" : String(revision),
    digest === null ? "-" : safeText(digest.replace(/^sha256:/, "").slice(0, DIGEST_DIGITS)),
    moreText(record),
  ];
}

const DIGEST_DIGITS = 12;

/** `2026-11-29 10:00:00.000`; what is no time stays as it is. */
function whenText(at: string): string {
  const ms = Date.parse(at);
  return Number.isNaN(ms) ? safeText(at) : new Date(ms).toISOString().replace("T", " ").replace("Z", "");
}

/** As it is said once it has counted. */
const DONE: Readonly<Record<AuditAction, string>> = {
  accepted: "accepted",
  proposed: "asked for approval",
  lapsed: "ran out of its time for approval",
  replaced: "proposal replaced",
  approve: "approved",
  reject: "rejected",
  withdraw: "took the vote back",
  executed: "executed under approval",
  attempt: "attempt",
  lookup: "lookup",
  replay: "replayed",
  discard: "discarded",
  "mark-delivered": "marked as delivered",
  amend: "amended",
  hurry: "hurried",
  hold: "held",
  release: "released",
  parked: "parked for a person",
  ended: "ended",
  conflict: "other content refused",
  "ended-outside": "ended outside in Temporal",
};

function whatText(record: AuditRecord): string {
  const { action, actor, counted, number, outcome, state } = record;
  if (action === "attempt") return `attempt ${number}: ${outcome}`;
  if (action === "lookup") return `lookup of attempt ${number}: ${record.found}`;
  if (action === "ended") return `ended: ${state}`;
  if (counted === false) return `${action} did not count`;
  return actor !== null && counted === null ? `${action}, not judged yet` : DONE[action];
}

/** Why, with what certainty, in whose words. */
function moreText(record: AuditRecord): string {
  const { refusedBecause, note, signed, requestedBy, reason, code, certainty, fingerprint, via, action } = record;
  const facts = [
    refusedBecause === null ? null : refusedBecause.replaceAll("-", " "),
    signed === true ? "signed" : null,
    typeof requestedBy === "string" ? `requested by ${safeText(requestedBy)}` : null,
    reason === undefined ? null : reason.replaceAll("-", " "),
    code === undefined ? null : safeText(code),
    certainty === undefined ? null : CERTAINTY[certainty],
    action === "conflict" && via !== undefined ? `by ${safeText(via)}` : null,
    fingerprint === undefined ? null : `content ${safeText(fingerprint.slice(0, FINGERPRINT_LENGTH))}`,
    note === null ? null : `"${safeText(note)}"`,
  ];
  return facts.filter((fact) => fact !== null).join(", ");
}

const FINGERPRINT_LENGTH = "sha256:".length + DIGEST_DIGITS;

const CERTAINTY: Readonly<Record<NonNullable<AuditRecord["certainty"]>, string | null>> = {
  "not-sent": "nothing was sent",
  unknown: "may have taken effect",
  answered: null,
};
