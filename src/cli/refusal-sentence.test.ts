import { describe, expect, test } from "vitest";
import type { Verdict } from "../delivery/event-state.ts";
import { refusalSentence } from "./refusal-sentence.ts";

const ALL: Readonly<Record<NonNullable<Verdict["refusedBecause"]>, true>> = {
  malformed: true,
  "unknown-delivery": true,
  "several-deliveries": true,
  "not-parked": true,
  "attempt-in-flight": true,
  "already-ended": true,
  "bad-amendment": true,
  held: true,
  "not-held": true,
  "not-waiting": true,
  "retry-after": true,
  "not-supported": true,
  "wrong-digest": true,
  "no-digest": true,
  "stale-revision": true,
  "unknown-person": true,
  "not-eligible": true,
  "own-request": true,
  "second-vote": true,
  "already-decided": true,
  expired: true,
  executed: true,
  "bad-signature": true,
  "no-note": true,
  "nothing-waits": true,
};
const REASONS = Object.keys(ALL) as (keyof typeof ALL)[]; // the keys of that very object

describe("refusalSentence", () => {
  test("has words of its own for every refusal, and for none", () => {
    const sentences = new Set([...REASONS, null].map((because) => refusalSentence(because)));
    expect(sentences.size).toBe(REASONS.length + 1);
    for (const sentence of sentences) expect(sentence).toMatch(/^[a-z].*[^.]$/);
  });

  test.each(["wrong-digest", "stale-revision"] as const)("says of %s that it changed since one looked", (because) => {
    expect(refusalSentence(because)).toContain("changed since you looked");
  });

  test("claims no attempt where one waits for its endpoint, and says where to look", () => {
    expect(refusalSentence("attempt-in-flight")).toMatch(/under way, or waits to begin; `countersign endpoints`/u);
  });

  test("tells who may not decide from who has nothing to withdraw", () => {
    expect(refusalSentence("not-eligible", "approve")).toBe("that person is no approver of it, or not yet");
    expect(refusalSentence("not-eligible", "reject")).toBe(refusalSentence("not-eligible", "approve"));
    expect(refusalSentence("not-eligible", "withdraw")).toBe("that person has no decision that stands");
    expect(refusalSentence("executed", "withdraw")).toBe(refusalSentence("executed"));
  });
});
