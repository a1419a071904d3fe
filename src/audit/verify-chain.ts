/** Which line of a file is the first that an export cannot have written there, and in which way. */
import { CHAIN_VERSION } from "./chain.ts";
import type { FileLine } from "./file-lines.ts";
import type { FlatLine, LineValue } from "./flat-line.ts";
import { type ReadLine, readLine } from "./read-line.ts";

/**
 * `edited`: its own hash is wrong. `out-of-sequence`: it does not follow the line before it, so lines are missing,
 * moved or replaced. `truncated`: the end is missing, or closes more lines than there are. `other-head`: whole, but
 * not the file whose head hash was kept.
 */
export type ChainProblem =
  | "not-json"
  | "unknown-line"
  | "edited"
  | "out-of-sequence"
  | "truncated"
  | "after-end"
  | "other-head";

export interface BadLine {
  /** Counts from 1; one above the last line where that is missing. */
  readonly line: number;
  readonly problem: ChainProblem;
  readonly sentence: string;
}

export interface Verification {
  readonly ok: boolean;
  /** All lines of the file. */
  readonly lines: number;
  /** Records before the first bad line. */
  readonly records: number;
  /** Head hash of a whole file; null = it is not whole. */
  readonly head: string | null;
  readonly firstBad: BadLine | null;
}

/** How far a file has been looked at. */
export interface ChainProgress {
  readonly lines: number;
  readonly records: number;
  /** Hash of the first line. */
  readonly opening: string | null;
  readonly lastHash: string | null;
  /** Hash of the end line. */
  readonly head: string | null;
  readonly firstBad: BadLine | null;
}

export const NOTHING_READ: ChainProgress = {
  lines: 0,
  records: 0,
  opening: null,
  lastHash: null,
  head: null,
  firstBad: null,
};

/** Never throws, whatever the line holds. */
export function verifyLine(progress: ChainProgress, line: FileLine): ChainProgress {
  const read = { ...progress, lines: progress.lines + 1 };
  if (progress.firstBad !== null) return { ...read, firstBad: onSecondThought(progress.firstBad) };
  const judged = judgeLine(progress, line);
  if (!("problem" in judged)) return { ...read, ...judged };
  return { ...read, firstBad: { line: read.lines, ...judged } };
}

/** What the whole file is; `expectedHead` = the head hash that was kept elsewhere, null = none was. */
export function conclude(progress: ChainProgress, expectedHead: string | null): Verification {
  const { lines, records, head } = progress;
  const firstBad = progress.firstBad ?? missingEnd(progress) ?? otherHead(progress, expectedHead);
  return { ok: firstBad === null, lines, records, head: firstBad === null ? head : null, firstBad };
}

type Fault = Omit<BadLine, "line">;
type Judged = Fault | Partial<ChainProgress>;

/** An end line that closes more than precedes it is a shortened file, unless more lines follow it. */
function onSecondThought(bad: BadLine): BadLine {
  if (bad.problem !== "truncated") return bad;
  const sentence = "The end line stands here, but closes other lines than those before it, and lines follow.";
  return { ...bad, problem: "out-of-sequence", sentence };
}

function judgeLine(progress: ChainProgress, line: FileLine): Judged {
  if (progress.head !== null) return fault("after-end", "The export has ended: this line was added to it.");
  const isFirst = progress.lines === 0;
  const read = readLine(line.text);
  if (read.kind === "bad") {
    const cutOff = read.problem === "not-json" && !line.terminated && isBeginning(line.text, isFirst);
    return cutOff ? CUT_OFF : fault(read.problem, read.sentence);
  }
  if (isFirst !== (read.kind === "head")) return isFirst ? NO_HEAD : SECOND_HEAD;
  return judgeMembers(progress, read);
}

/** As far as it goes a line of an export; cut within a character it is no text. */
function isBeginning(text: string | null, isFirst: boolean): boolean {
  return text === null ? !isFirst : text.startsWith("{");
}

function judgeMembers(progress: ChainProgress, read: Exclude<ReadLine, { kind: "bad" }>): Judged {
  const { members, hash } = read;
  switch (read.kind) {
    case "head":
      if (members["v"] === CHAIN_VERSION) return { opening: hash };
      return fault("unknown-line", `This export is of another version than ${CHAIN_VERSION}, which is known here.`);
    case "record":
      return judgeRecord(progress, members) ?? { records: progress.records + 1, lastHash: hash };
    case "end":
      return judgeEnd(progress, members) ?? { head: hash };
  }
}

function judgeRecord({ records, lastHash }: ChainProgress, members: FlatLine): Fault | null {
  const expected = records + 1;
  if (members["seq"] !== expected) {
    const found = numberText(members["seq"]);
    return fault(
      "out-of-sequence",
      `Record ${found} stands where record ${expected} should: lines are missing, or stand in another order.`,
    );
  }
  return members["prevHash"] === lastHash ? null : fault("out-of-sequence", BROKEN_LINK);
}

function judgeEnd({ records, lastHash, opening }: ChainProgress, members: FlatLine): Fault | null {
  if (members["count"] !== records) {
    const closed = numberText(members["count"]);
    return fault("truncated", `The end line closes ${closed} records, but ${records} stand before it.`);
  }
  if (members["prevHash"] !== lastHash) return fault("out-of-sequence", BROKEN_LINK);
  return members["opening"] === opening ? null : fault("out-of-sequence", OTHER_OPENING);
}

const BROKEN_LINK = "The line does not follow the one before it: one of the two was replaced.";
const OTHER_OPENING = "The end line closes another first line than this file has: that one was replaced.";
const CUT_OFF = fault("truncated", "The file ends within this line.");
const NO_HEAD = fault("out-of-sequence", "An export begins with a head line, which is missing here.");
const SECOND_HEAD = fault("out-of-sequence", "A second head line stands here: files were put together.");

function missingEnd({ lines, head }: ChainProgress): BadLine | null {
  if (head !== null) return null;
  return { line: lines + 1, ...fault("truncated", "The end line is missing: the file was cut off before it.") };
}

function otherHead({ lines, head }: ChainProgress, expected: string | null): BadLine | null {
  if (expected === null || head === expected) return null;
  const sentence = "The lines are consistent, but this is not the file whose head hash was kept.";
  return { line: lines, ...fault("other-head", sentence) };
}

function numberText(value: LineValue | undefined): string {
  return typeof value === "number" ? String(value) : "without a number";
}

function fault(problem: ChainProblem, sentence: string): Fault {
  return { problem, sentence };
}
