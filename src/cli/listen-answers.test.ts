import { describe, expect, test } from "vitest";
import { answerText, inTurn, parseAnswers } from "./listen-answers.ts";

describe("parseAnswers", () => {
  test("reads statuses, the seconds of a Retry-After, cut and hang", () => {
    expect(parseAnswers("503:2, 200,cut,hang")).toEqual([
      { do: "answer", status: 503, retryAfter: "2" },
      { do: "answer", status: 200, retryAfter: null },
      { do: "cut" },
      { do: "hang" },
    ]);
  });

  test.each(["", "200,", "100", "600", "abc", "200:x", "503:-1", "CUT"])("refuses %j", (text) => {
    expect(() => parseAnswers(text)).toThrow(/--answer takes a list/);
  });
});

describe("inTurn", () => {
  test("gives one after the other and repeats the last", () => {
    const next = inTurn(parseAnswers("503,cut,200"));
    expect([next(), next(), next(), next()].map(answerText)).toEqual([
      "503",
      "connection cut without an answer",
      "200",
      "200",
    ]);
  });
});

describe("answerText", () => {
  test("names the Retry-After and the open connection", () => {
    expect(parseAnswers("503:2,hang").map(answerText)).toEqual([
      "503 with Retry-After 2",
      "no answer, connection held open",
    ]);
  });
});
