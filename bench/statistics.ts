/** From rounds to figures: pure arithmetic. */
import type { Round, Sample } from "./scenario.ts";

/** One line of the report; the names are public, see docs/benchmarks.md. */
export interface Figures {
  readonly scenario: string;
  readonly events: number;
  readonly concurrency: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly transitionsPerEvent: number;
  readonly historyEventsPerEvent: number;
  /** Of the process that holds worker and producer. */
  readonly cpuMsPerEvent: number;
  /** Of the Temporal server; null where it cannot be read. */
  readonly serverCpuMsPerEvent: number | null;
  readonly rssMb: number;
  /** Median beside the control's; only where a scenario compares. */
  readonly ratio?: number;
  readonly ratioP95?: number;
}

/** The figures in which one scenario is compared with another: first / second. */
export interface Comparison {
  readonly of: string;
  readonly over: string;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly transitionsPerEvent: number;
  readonly cpuMsPerEvent: number;
}

/** Splits a number of events over rounds as evenly as it goes; a round of fewer than `atLeast` is not worth having. */
export function split(events: number, { parts, atLeast }: { parts: number; atLeast: number }): readonly number[] {
  const used = Math.max(1, Math.min(parts, Math.floor(events / Math.max(1, atLeast))));
  return Array.from({ length: used }, (_, index) => Math.floor((events + index) / used));
}

/** Nearest rank: the smallest value that at least `percent` of all values do not exceed. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  const rank = Math.max(1, Math.ceil((percent / 100) * sorted.length));
  return sorted[rank - 1] ?? Number.NaN;
}

/** Throws when there is no round, or an empty one: nothing can be said about nothing. */
export function summarize(scenario: string, rounds: readonly Round[]): Figures {
  if (rounds.length === 0 || rounds.some(({ samples }) => samples.length === 0))
    throw new TypeError(`Scenario ${scenario} has measured nothing`);
  const samples = rounds.flatMap((round) => round.samples);
  const times = samples.map(latencyMs);
  const workedOn = sum(rounds.map((round) => round.workedOn));
  const serverCpu = rounds.flatMap(({ serverCpuMs }) => serverCpuMs ?? []);
  return {
    scenario,
    events: samples.length,
    concurrency: Math.max(...rounds.map((round) => round.concurrency)),
    perSecond: rounded((1000 * samples.length) / sum(rounds.map(({ samples: own }) => spanMs(own)))),
    p50Ms: rounded(percentile(times, 50)),
    p95Ms: rounded(percentile(times, 95)),
    transitionsPerEvent: rounded(sum(samples.map(({ transitions }) => transitions)) / samples.length),
    historyEventsPerEvent: rounded(sum(samples.map(({ historyEvents }) => historyEvents)) / samples.length),
    cpuMsPerEvent: rounded(sum(rounds.map(({ cpuMs }) => cpuMs)) / workedOn),
    serverCpuMsPerEvent: serverCpu.length < rounds.length ? null : rounded(sum(serverCpu) / workedOn),
    rssMb: Math.round(Math.max(...rounds.map(({ rssBytes }) => rssBytes)) / 1024 ** 2),
    ...ratiosOf(times, rounds),
  };
}

export function compare(of: Figures, over: Figures): Comparison {
  const ratio = (name: "perSecond" | "p50Ms" | "p95Ms" | "transitionsPerEvent" | "cpuMsPerEvent"): number =>
    rounded(of[name] / over[name]);
  return {
    of: of.scenario,
    over: over.scenario,
    perSecond: ratio("perSecond"),
    p50Ms: ratio("p50Ms"),
    p95Ms: ratio("p95Ms"),
    transitionsPerEvent: ratio("transitionsPerEvent"),
    cpuMsPerEvent: ratio("cpuMsPerEvent"),
  };
}

function ratiosOf(times: readonly number[], rounds: readonly Round[]): Pick<Figures, "ratio" | "ratioP95"> {
  const control = rounds.flatMap((round) => (round.control ?? []).map(latencyMs));
  if (control.length === 0) return {};
  const ratio = (percent: number): number => rounded(percentile(times, percent) / percentile(control, percent));
  return { ratio: ratio(50), ratioP95: ratio(95) };
}

/** Of one event; the server's clock and the driver's are this machine's. */
function latencyMs({ submittedAtMs, closedAtMs }: Sample): number {
  return Math.max(1, closedAtMs - submittedAtMs);
}

function spanMs(samples: readonly Sample[]): number {
  const from = Math.min(...samples.map(({ submittedAtMs }) => submittedAtMs));
  return Math.max(1, Math.max(...samples.map(({ closedAtMs }) => closedAtMs)) - from);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
