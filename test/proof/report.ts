/** A proof's report, as Markdown: what was played where and when, and how often each claim was found to hold. */
import { execFileSync } from "node:child_process";
import { availableParallelism, cpus, totalmem } from "node:os";
import type { Finding } from "../scenarios/finding.ts";

export interface Played {
  readonly title: string;
  readonly claims: readonly string[];
  readonly count: number;
  readonly findings: readonly Finding[];
  readonly tookMs: number;
}

export interface ReportFacts {
  readonly name: string;
  readonly played: readonly Played[];
  readonly startedMs: number;
}

export function reportOf({ name, played, startedMs }: ReportFacts): string {
  const failed = played.flatMap(({ findings }) => findings.filter(({ holds }) => !holds));
  const lines = [
    `# Proof: ${name}`,
    "",
    `Printed by \`npm run proof -- ${name}\`. ${new Date(startedMs).toISOString()}, commit ${commit()}, ${machine()}.`,
    "",
    ...played.flatMap(partOf),
    failed.length === 0 ? "Every claim holds." : `${failed.length} findings speak against a claim.`,
  ];
  return `${lines.join("\n")}\n`;
}

function partOf({ title, claims, count, findings, tookMs }: Played): readonly string[] {
  const against = findings.filter(({ holds }) => !holds);
  return [
    `## ${title}`,
    "",
    `Count ${count}, ${(tookMs / 1000).toFixed(0)} s.`,
    "",
    ...claims.map((claim) => lineOf(claim, findings)),
    "",
    ...against.map(({ claim, subject, seen }) => `- AGAINST "${claim}": ${subject}: ${seen}`),
    ...(against.length === 0 ? [] : [""]),
  ];
}

/** A list and no table: a formatter that aligns tables would change what was printed. */
function lineOf(claim: string, findings: readonly Finding[]): string {
  const relevant = findings.filter((finding) => finding.claim === claim);
  const held = relevant.filter(({ holds }) => holds).length;
  return `- ${claim}: holds in ${held} of ${relevant.length}${figuresOf(relevant)}`;
}

function figuresOf(findings: readonly Finding[]): string {
  const times = findings.flatMap(({ measuredS }) => measuredS ?? []).toSorted((left, right) => left - right);
  const [least, median, most] = [times[0], times[Math.floor(times.length / 2)], times.at(-1)].map(figureOf);
  const seconds = times.length === 0 ? "" : `; seconds: ${least} at least, ${median} in the median, ${most} at most`;
  return [seconds, ...findings.flatMap(({ figure }) => (figure === undefined ? [] : `; ${figure}`))].join("");
}

function figureOf(seconds: number | undefined): string {
  return seconds === undefined ? "" : seconds.toFixed(seconds < 1 ? 3 : 1);
}

/** With `+` when files differ from it. */
function commit(): string {
  const git = (...args: readonly string[]): string => execFileSync("git", args, { encoding: "utf8" }).trim();
  try {
    return `${git("rev-parse", "--short", "HEAD")}${git("status", "--porcelain") === "" ? "" : "+"}`;
  } catch {
    return "unknown";
  }
}

function machine(): string {
  const model = cpus()[0]?.model.trim() ?? "unknown processor";
  return `${availableParallelism()} × ${model}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, ${process.platform}, Node ${process.versions.node}`;
}
