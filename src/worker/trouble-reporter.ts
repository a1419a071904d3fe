/** What this process tells the workflows of endpoints: only where there is trouble, as aggregates. */
import type { AttemptWatch, BegunAttempt } from "../activities/dependencies.ts";
import type { Endpoint } from "../config/config.ts";
import type { AttemptRecord } from "../delivery/attempt.ts";
import { SECOND_MS } from "../delivery/durations.ts";
import type { CircuitSettings } from "../delivery/gates/circuit.ts";
import type { ProbeCounts, TroubleReport } from "../delivery/gates/control-facts.ts";
import { entryOf, type Gate, type GateMap, isShut, OPEN_GATE } from "../delivery/gates/gate-entry.ts";
import {
  EMPTY_TALLY,
  type EndpointVerdict,
  endpointVerdict,
  isDown,
  isWorthTelling,
  resultsOf,
  type Tally,
  tallied,
  throttleMs,
  told,
} from "../delivery/gates/trouble.ts";
import type { EndpointGates } from "./endpoint-gates.ts";
import type { ReportQueue } from "./report-queue.ts";

export type ThrottleReport = Extract<TroubleReport, { readonly kind: "throttled" }>;

export interface TroubleReporterParts {
  /** Name of this process in its reports. */
  readonly worker: string;
  readonly queue: Pick<ReportQueue, "say">;
  readonly gates: Pick<EndpointGates, "closeForTrip" | "closeForThrottle">;
  endpoint(name: string): Pick<Endpoint, "circuit" | "retryAfterScope"> | null;
  /** What the endpoint is in this process, see `endpointVersion`. */
  versionOf(name: string): string;
  /** As the registry shows it. */
  gate(name: string): Gate | null;
  /** Holds the lane on the server, all processes by the registry, and puts it on record without a worker; never throws. */
  holdLane(name: string, report: ThrottleReport): Promise<void>;
  /** Monotonic, milliseconds. */
  now(): number;
}

export interface TroubleReporter extends AttemptWatch {
  /** Looks at a copy of the registry: where a gate has closed, it tells what is still in flight. */
  follow(gates: GateMap): void;
  /** Resolves once every lane that it began to hold is held, and that was said. */
  settled(): Promise<void>;
}

/** What is known of one endpoint and not told yet. */
interface Notes {
  readonly endpoint: string;
  tally: Tally;
  spokenAtMs: number;
  probe: ProbeCounts | null;
  inFlight: number;
  toldInFlight: number;
  /** The longest Retry-After; `untilMs` is monotonic. */
  throttle: { readonly untilMs: number; readonly id: string } | null;
  throttles: number;
  refused: boolean;
  lastCode: string;
}

/** After its own report a process goes on reporting until the registry says whether to. */
const SPOKEN_FOR_MS = 3 * SECOND_MS;

export function createTroubleReporter(given: TroubleReporterParts): TroubleReporter {
  const all = new Map<string, Notes>();
  const holding = new Set<Promise<void>>();
  const parts: TroubleReporterParts = {
    ...given,
    async holdLane(name, report) {
      const held = given.holdLane(name, report);
      holding.add(held);
      await held.finally(() => holding.delete(held));
    },
  };
  const notesOf = (name: string): Notes => {
    const notes = all.get(name) ?? newNotes(name);
    all.set(name, notes);
    return notes;
  };
  return {
    begin(attempt) {
      const notes = notesOf(attempt.endpoint);
      notes.inFlight += 1;
      if (attempt.round !== null) noteProbe(parts, notes, { round: attempt.round, begun: 1 });
      return { end: (record) => end(parts, notes, { attempt, record }) };
    },
    follow(gates) {
      for (const [name, notes] of all) {
        const isClosed = isShut(entryOf(gates, name) ?? OPEN_GATE);
        if (isClosed && notes.inFlight !== notes.toldInFlight) tellInFlight(parts, notes);
        if (!isClosed) notes.toldInFlight = 0;
      }
    },
    async settled() {
      await Promise.all(holding);
      // What waits for them speaks in turns of its own.
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

function newNotes(endpoint: string): Notes {
  return {
    endpoint,
    tally: EMPTY_TALLY,
    spokenAtMs: Number.NEGATIVE_INFINITY,
    probe: null,
    inFlight: 0,
    toldInFlight: 0,
    throttle: null,
    throttles: 0,
    refused: false,
    lastCode: "",
  };
}

interface Ended {
  readonly attempt: BegunAttempt;
  /** Null = it was not made after all. */
  readonly record: AttemptRecord | null;
}

function end(parts: TroubleReporterParts, notes: Notes, { attempt, record }: Ended): void {
  const { round, counts, retryAfterMaxMs } = attempt;
  notes.inFlight -= 1;
  const verdict = record === null ? "says-nothing" : endpointVerdict(record);
  if (record !== null) notes.lastCode = record.code;
  if (round !== null) noteProbe(parts, notes, { round, ...probeResult(verdict) });
  const forMs = record === null ? null : throttleMs(record, retryAfterMaxMs);
  if (forMs !== null) noteThrottle(parts, notes, forMs);
  if (verdict === "credentials-refused" || verdict === "endpoint-gone") {
    if (counts || round !== null) noteRefusal(parts, notes, verdict);
  } else if (verdict !== "says-nothing" && counts && round === null) noteResult(parts, notes, verdict);
}

function probeResult(verdict: EndpointVerdict): Partial<ProbeCounts> {
  if (verdict === "works") return { succeeded: 1 };
  return verdict === "says-nothing" ? { others: 1 } : { failed: 1 };
}

type MoreProbes = Pick<ProbeCounts, "round"> & Partial<ProbeCounts>;

function noteProbe(parts: TroubleReporterParts, notes: Notes, more: MoreProbes): void {
  const { round, begun = 0, succeeded = 0, failed = 0, others = 0 } = more;
  const known = notes.probe?.round === round ? notes.probe : { round, begun: 0, succeeded: 0, failed: 0, others: 0 };
  notes.probe = {
    round,
    begun: known.begun + begun,
    succeeded: known.succeeded + succeeded,
    failed: known.failed + failed,
    others: known.others + others,
  };
  parts.queue.say({ endpoint: notes.endpoint, kind: "probe" }, () => {
    const { probe } = notes;
    notes.probe = null;
    return probe === null ? null : { ...head(parts, notes), kind: "probe", ...probe };
  });
}

/** Honored whoever got it, also a replay: the endpoint spoke for all. */
function noteThrottle(parts: TroubleReporterParts, notes: Notes, forMs: number): void {
  const { endpoint } = notes;
  if (parts.endpoint(endpoint)?.retryAfterScope !== "endpoint") return;
  if (!parts.gates.closeForThrottle(endpoint, forMs)) return;
  notes.throttles += 1;
  const id = `${parts.worker}:${notes.throttles}`;
  notes.throttle = { untilMs: parts.now() + forMs, id };
  const report: ThrottleReport = { ...head(parts, notes), kind: "throttled", retryAfterMs: forMs, id };
  void parts.holdLane(endpoint, report).then(() =>
    parts.queue.say({ endpoint, kind: "throttled" }, () => {
      const { throttle } = notes;
      notes.throttle = null;
      if (throttle === null) return null;
      const retryAfterMs = Math.max(0, throttle.untilMs - parts.now());
      return { ...head(parts, notes), kind: "throttled", retryAfterMs, id: throttle.id };
    }),
  );
}

type RefusalKind = Extract<EndpointVerdict, "credentials-refused" | "endpoint-gone">;

function noteRefusal(parts: TroubleReporterParts, notes: Notes, kind: RefusalKind): void {
  const { endpoint } = notes;
  if ((parts.endpoint(endpoint)?.circuit ?? null) === null) return;
  parts.gates.closeForTrip(endpoint);
  notes.refused = true;
  const { lastCode } = notes;
  parts.queue.say({ endpoint, kind }, () => {
    if (!notes.refused) return null;
    notes.refused = false;
    return { ...head(parts, notes), kind, lastCode };
  });
}

function noteResult(parts: TroubleReporterParts, notes: Notes, verdict: "works" | "fails"): void {
  const { endpoint } = notes;
  const circuit = parts.endpoint(endpoint)?.circuit ?? null;
  if (circuit === null) return;
  const facts = (): { readonly circuit: CircuitSettings; readonly watched: boolean } => ({
    circuit,
    watched: parts.gate(endpoint)?.watched === true || parts.now() - notes.spokenAtMs < SPOKEN_FOR_MS,
  });
  notes.tally = tallied(notes.tally, verdict, { ...facts(), atMs: parts.now() });
  if (verdict === "fails" && isDown(notes.tally, circuit)) parts.gates.closeForTrip(endpoint);
  if (!isWorthTelling(notes.tally, facts())) return;
  parts.queue.say({ endpoint, kind: "failures" }, () => {
    if (!isWorthTelling(notes.tally, facts())) return null;
    const results = resultsOf(notes.tally);
    notes.tally = told(notes.tally);
    if (results.failures > 0) notes.spokenAtMs = parts.now();
    return { ...head(parts, notes), kind: "failures", ...results };
  });
}

function tellInFlight(parts: TroubleReporterParts, notes: Notes): void {
  parts.queue.say({ endpoint: notes.endpoint, kind: "in-flight" }, () => {
    const { inFlight: count } = notes;
    if (count === notes.toldInFlight) return null;
    notes.toldInFlight = count;
    return { ...head(parts, notes), kind: "in-flight", count };
  });
}

type Head = Pick<TroubleReport, "worker" | "configVersion" | "circuit" | "lastCode">;

function head(parts: TroubleReporterParts, { endpoint, lastCode }: Notes): Head {
  const circuit = parts.endpoint(endpoint)?.circuit ?? null;
  return { worker: parts.worker, configVersion: parts.versionOf(endpoint), circuit, lastCode };
}
