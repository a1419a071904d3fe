import picocolors from "picocolors";
import { describe, expect, test } from "vitest";
import { anAttempt } from "../../test/support/an-event.ts";
import type { AttemptRecord, Outcome } from "../delivery/attempt.ts";
import { attemptLines } from "./attempt-lines.ts";

function lines(changes: Partial<AttemptRecord>, colors = picocolors.createColors(false)): readonly string[] {
  return attemptLines({ endpoint: "crm", attempt: anAttempt(changes) }, colors);
}

describe("attemptLines", () => {
  test("says each fact the endpoint handed over on a line of its own", () => {
    expect(
      lines({ location: "https://new.example/x", reference: "rf_1", via: "lane", heldMs: 90_000 }).slice(1),
    ).toEqual(["pointed to https://new.example/x", "reference rf_1", "waited 1 min 30 s in its lane"]);
  });

  test("says that a Retry-After could not be used", () => {
    expect(lines({ retryAfterRaw: "soon\u001b" }).slice(1)).toEqual(["Retry-After: soon? (cannot be used)"]);
  });

  test("shows a wait without a header: a handler may ask for one", () => {
    expect(lines({ code: "handler_failed", retryAfterMs: 5000 }).slice(1)).toEqual(["asked to wait 5 s"]);
  });

  test.each<[Outcome, string]>([
    ["delivered", "\u001b[32m"],
    ["retry", "\u001b[33m"],
    ["uncertain", "\u001b[33m"],
    ["refused", "\u001b[31m"],
    ["canceled", "\u001b[2m"],
  ])("colors %s", (outcome, start) => {
    expect(lines({ outcome }, picocolors.createColors(true))[0]).toContain(`${start}${outcome}`);
  });
});
