/** What a local destination answers, as told on the command line: `503:2,200,cut,hang`. */
import { CountersignError } from "../errors.ts";

export type ListenAnswer =
  /** `retryAfter`: seconds, as sent in the header; null = no header. */
  | { readonly do: "answer"; readonly status: number; readonly retryAfter: string | null }
  /** Reads the whole request, then closes the connection without a word: the lost answer. */
  | { readonly do: "cut" }
  /** Reads the whole request and never answers. */
  | { readonly do: "hang" };

export const ACCEPTING: ListenAnswer = { do: "answer", status: 200, retryAfter: null };

/** Reads the list of `--answer`; throws `bad_argument` naming the part that is wrong. */
export function parseAnswers(text: string): readonly ListenAnswer[] {
  return text.split(",").map((part) => parseAnswer(part.trim()));
}

function parseAnswer(part: string): ListenAnswer {
  if (part === "cut" || part === "hang") return { do: part };
  const match = /^([2-5]\d\d)(?::(\d{1,9}))?$/.exec(part);
  if (match !== null) return { do: "answer", status: Number(match[1]), retryAfter: match[2] ?? null };
  throw new CountersignError(
    "bad_argument",
    `--answer takes a list such as 503:2,200: statuses from 200 to 599, each with the seconds of a Retry-After if you like, cut or hang; not ${JSON.stringify(part)}.`,
  );
}

/** One after the other, the last one for ever; `answers` is not empty. */
export function inTurn(answers: readonly ListenAnswer[]): () => ListenAnswer {
  let next = 0;
  return () => {
    const answer = answers[Math.min(next, answers.length - 1)] ?? ACCEPTING;
    next += 1;
    return answer;
  };
}

/** As people read it: `503 with Retry-After 2`. */
export function answerText(answer: ListenAnswer): string {
  switch (answer.do) {
    case "answer":
      return answer.retryAfter === null
        ? String(answer.status)
        : `${answer.status} with Retry-After ${answer.retryAfter}`;
    case "cut":
      return "connection cut without an answer";
    case "hang":
      return "no answer, connection held open";
  }
}
