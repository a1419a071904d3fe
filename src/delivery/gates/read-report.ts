/** Reads what a worker reports of an endpoint out of untrusted input; null = it cannot be understood. */
import { DAY_MS, SECOND_MS } from "../durations.ts";
import { membersOf } from "../message-members.ts";
import type { CircuitSettings } from "./circuit.ts";
import type { ReportKind, TroubleReport } from "./control-facts.ts";

const MAX_TEXT = 200;
const MAX_COUNT = 1_000_000_000;
/** As long as a configuration may say: a report that is refused is said again for a minute, and then lost. */
const MAX_WAIT_MS = 3650 * DAY_MS;

type Members = Readonly<Record<string, unknown>>;

export function readReport(value: unknown): TroubleReport | null {
  const members = membersOf(value);
  const { worker, configVersion, lastCode, kind } = members;
  const circuit = readCircuit(members["circuit"]);
  if (circuit === undefined || !isText(worker) || !isText(configVersion) || !isText(lastCode)) return null;
  if (!isKind(kind)) return null;
  const head = { worker, configVersion, circuit, lastCode };
  switch (kind) {
    case "credentials-refused":
    case "endpoint-gone":
      return { ...head, kind };
    case "failures": {
      const counts = countsOf(members, ["failures", "successes", "trailingFailures"]);
      return counts === null ? null : { ...head, kind, ...counts };
    }
    case "throttled": {
      const { retryAfterMs, id } = members;
      if (!isWithin(retryAfterMs, 0, MAX_WAIT_MS) || (id !== undefined && !isText(id))) return null;
      return { ...head, kind, retryAfterMs, ...(id === undefined ? {} : { id }) };
    }
    case "probe": {
      const counts = countsOf(members, ["begun", "succeeded", "failed", "others"]);
      const { round } = members;
      return counts === null || typeof round !== "number" ? null : { ...head, kind, round, ...counts };
    }
    case "in-flight": {
      const counts = countsOf(members, ["count"]);
      return counts === null ? null : { ...head, kind, ...counts };
    }
  }
}

const KINDS: readonly unknown[] = [
  "failures",
  "credentials-refused",
  "endpoint-gone",
  "throttled",
  "probe",
  "in-flight",
] satisfies readonly ReportKind[];

function isKind(value: unknown): value is ReportKind {
  return KINDS.includes(value);
}

function countsOf<Name extends string>(members: Members, names: readonly Name[]): Record<Name, number> | null {
  const counts = names.flatMap((name): readonly (readonly [Name, number])[] => {
    const count = members[name];
    return isWithin(count, 0, MAX_COUNT) && Number.isInteger(count) ? [[name, count]] : [];
  });
  // Every name is there, or the lengths would differ.
  return counts.length === names.length ? (Object.fromEntries(counts) as Record<Name, number>) : null;
}

/** Null = off, undefined = not understood. */
function readCircuit(value: unknown): CircuitSettings | null | undefined {
  if (value === null) return null;
  const { failures, share, windowMs, minimum, openMs, probes } = membersOf(value);
  if (!isWithin(failures, 1, MAX_COUNT) || !isWithin(minimum, 1, MAX_COUNT) || !isWithin(probes, 1, MAX_COUNT))
    return undefined;
  if (!isWithin(share, 0, 1)) return undefined;
  if (!isWithin(windowMs, SECOND_MS, MAX_WAIT_MS) || !isWithin(openMs, SECOND_MS, MAX_WAIT_MS)) return undefined;
  return { failures, share, windowMs, minimum, openMs, probes };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.length <= MAX_TEXT;
}

function isWithin(value: unknown, min: number, max: number): value is number {
  return typeof value === "number" && value >= min && value <= max;
}
