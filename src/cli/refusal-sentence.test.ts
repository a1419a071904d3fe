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
    const sentences = new Set([...REASONS, null].map(refusalSentence));
    expect(sentences.size).toBe(REASONS.length + 1);
    for (const sentence of sentences) expect(sentence).toMatch(/^[a-z].*[^.]$/);
  });

  test.each(["wrong-digest", "stale-revision"] as const)("says of %s that it changed since one looked", (because) => {
    expect(refusalSentence(because)).toContain("changed since you looked");
  });
});
