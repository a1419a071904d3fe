/** A decision on record as lines of a timeline: who, when, on what, and whether it counted. */
import type { DecisionRecord } from "../delivery/approval.ts";
import { shortDigest } from "./digest-argument.ts";
import { refusalSentence } from "./refusal-sentence.ts";
import { safeText } from "./safe-text.ts";
import type { Colors } from "./terminal.ts";
import { clockText, momentText } from "./time-text.ts";

/** The head line, and one with the facts. */
export function decisionLines(decision: DecisionRecord, { bold, dim, red }: Colors): readonly string[] {
  const { action, actor, at, digest, revision, note, counted, refusedBecause, signed } = decision;
  const said = note === "" ? "" : `: ${safeText(note)}`;
  const verdict = counted ? "counted" : red(`did not count: ${refusalSentence(refusedBecause, action)}`);
  const facts = [
    momentText(at),
    digest === null ? "no digest" : `digest ${safeText(shortDigest(digest))}`,
    ...(revision === null ? [] : [`revision ${revision}`]),
    ...(signed ? ["signed"] : []),
  ];
  return [
    `${clockText(at)}  ${bold(action)} by ${safeText(actor) || "nobody"}${said}`,
    `${verdict} ${dim(`(${facts.join(", ")})`)}`,
  ];
}
