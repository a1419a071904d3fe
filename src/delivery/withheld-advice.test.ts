import { describe, expect, test } from "vitest";
import type { WithheldReason } from "./facts.ts";
import { withheldAdvice } from "./withheld-advice.ts";

/** A new reason is a type error here until it has words that say what to do. */
const WORDS: Readonly<Record<WithheldReason, string>> = {
  "not-routed": "does not route this event to endpoint crm",
  "unknown-endpoint": "has no endpoint crm",
  "body-too-large": "larger than endpoint crm takes",
  "body-not-json": "is not JSON",
  "no-requester": "has no requestedBy",
};

describe("withheldAdvice", () => {
  test.each(Object.entries(WORDS))(
    "says for %s what is wrong, that nothing was sent, and a way out",
    (reason, words) => {
      // A key of the table above.
      const advice = withheldAdvice("crm", reason as WithheldReason);
      expect(advice).toContain(words);
      expect(advice).toContain("Nothing was sent.");
      expect(advice).toMatch(/discard/iu);
    },
  );

  test("sends somebody to the worker's log where it failed on our side", () => {
    const advice = withheldAdvice("crm", null);
    expect(advice).toContain("the worker's log has the reason. Nothing was sent.");
  });
});
