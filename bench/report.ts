/** What a run says: one JSON document, or the same as tables for a reader. */
import { type Comparison, compare, type Figures } from "./statistics.ts";

/** Without it a figure means nothing. */
export interface Environment {
  /** ISO 8601, when the run began. */
  readonly at: string;
  /** With `-dirty` when files differ from it; null outside a repository. */
  readonly commit: string | null;
  readonly node: string;
  readonly temporalServer: string;
  readonly cpus: number;
  readonly cpuModel: string;
  /** One-minute load average of the machine when the run began: what others were doing. */
  readonly loadAverage: number;
}

export interface Report {
  readonly environment: Environment;
  readonly scenarios: readonly Figures[];
  readonly comparisons: readonly Comparison[];
}

/** What is worth comparing, when both have been run. */
const PAIRS = [
  ["first-try", "bare-floor"],
  ["first-try", "bare-plain"],
] as const;

export function reportOf(environment: Environment, scenarios: readonly Figures[]): Report {
  const named = (name: string): Figures | undefined => scenarios.find(({ scenario }) => scenario === name);
  const comparisons = PAIRS.flatMap(([first, second]) => {
    const of = named(first);
    const over = named(second);
    return of === undefined || over === undefined ? [] : [compare(of, over)];
  });
  return { environment, scenarios, comparisons };
}

/** Markdown, so that it can be pasted. */
export function asText({ environment, scenarios, comparisons }: Report): string {
  const { at, commit, node, temporalServer, cpus, cpuModel, loadAverage } = environment;
  const header =
    `${at}, commit ${commit ?? "unknown"}, Node ${node}, Temporal server ${temporalServer}, ` +
    `${cpus} cores (${cpuModel}), load average ${loadAverage} at the start`;
  const parts = [header, table(scenarios.map(figuresRow))];
  if (comparisons.length > 0) parts.push(table(comparisons.map(comparisonRow)));
  for (const { scenario, ratio, ratioP95 } of scenarios) {
    if (ratio !== undefined) parts.push(`${scenario}: ${ratio} times the control's median, ${ratioP95} times its p95`);
  }
  return parts.join("\n\n");
}

type Row = Readonly<Record<string, string | number>>;

function figuresRow(figures: Figures): Row {
  return {
    scenario: figures.scenario,
    events: figures.events,
    concurrency: figures.concurrency,
    "per second": figures.perSecond,
    "p50 ms": figures.p50Ms,
    "p95 ms": figures.p95Ms,
    transitions: figures.transitionsPerEvent,
    "history events": figures.historyEventsPerEvent,
    "CPU ms": figures.cpuMsPerEvent,
    "server CPU ms": figures.serverCpuMsPerEvent ?? "–",
    "RSS MB": figures.rssMb,
  };
}

function comparisonRow(comparison: Comparison): Row {
  return {
    comparison: `${comparison.of} / ${comparison.over}`,
    "per second": comparison.perSecond,
    "p50 ms": comparison.p50Ms,
    "p95 ms": comparison.p95Ms,
    transitions: comparison.transitionsPerEvent,
    "CPU ms": comparison.cpuMsPerEvent,
  };
}

function table(rows: readonly Row[]): string {
  const names = Object.keys(rows[0] ?? {});
  const cells = [names, ...rows.map((row) => names.map((name) => String(row[name])))];
  const widths = names.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  const line = (texts: readonly string[]): string =>
    `| ${texts.map((text, column) => pad(text, widths[column] ?? 0, column)).join(" | ")} |`;
  const rule = `|${widths.map((width, column) => `${"-".repeat(width + 1)}${column === 0 ? "-" : ":"}`).join("|")}|`;
  const [head = [], ...body] = cells;
  return [line(head), rule, ...body.map(line)].join("\n");
}

function pad(text: string, width: number, column: number): string {
  return column === 0 ? text.padEnd(width) : text.padStart(width);
}
