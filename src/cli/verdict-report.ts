/** What became of a person's word: said, and as an exit code. */
import type { DecisionAction } from "../delivery/approval.ts";
import type { Verdict } from "../delivery/event-state.ts";
import { CountersignError } from "../errors.ts";
import type { CliContext } from "./context.ts";
import { refusalSentence } from "./refusal-sentence.ts";
import { safeText, shellWord } from "./safe-text.ts";

export interface SpokenWord {
  readonly key: string;
  /** As in "the replay of KEY". */
  readonly noun: string;
  /** Said once it has counted. */
  readonly sentence: string;
  /** Present = it was a decision. */
  readonly action?: DecisionAction;
  /** A further sentence for one that did not count; absent = none. */
  readonly hint?: string;
}

/** Throws `refused` when it did not count. */
export function reportVerdict({ terminal, json }: CliContext, verdict: Verdict, word: SpokenWord): number {
  const { counted, refusedBecause, at } = verdict;
  const { key, noun, sentence, action, hint } = word;
  if (json) terminal.json({ counted, refusedBecause, at });
  if (!counted) {
    const message = `The ${noun} of ${safeText(key)} did not count (${refusedBecause ?? "no reason given"}): ${refusalSentence(refusedBecause, action)}. ${hint === undefined ? "" : `${hint} `}Nothing was changed; see \`countersign show ${shellWord(key)}\`.`;
    throw new CountersignError("refused", message, { details: { key, refusedBecause } });
  }
  if (json) return 0;
  terminal.out(sentence);
  terminal.out(terminal.colors.dim(`See what happens: countersign show ${shellWord(key)}`));
  return 0;
}

/** `KEY is amended.`, from the words after the key. */
export function keySentence({ terminal }: CliContext, key: string, words: string): string {
  return `${terminal.colors.bold(safeText(key))} ${words}.`;
}
