import { expect, test } from "vitest";
import { newControl } from "../delivery/gates/control.ts";
import type { ControlFact, PauseWord } from "../delivery/gates/control-facts.ts";
import { advanceControl } from "../delivery/gates/endpoint-control.ts";
import type { WithoutTime } from "../delivery/without-time.ts";
import { replacedPause } from "./replaced-pause.ts";

const NOON_MS = Date.parse("2026-11-29T12:00:00Z");
const FAR_MS = Date.parse("2026-11-29T18:00:00Z");
const ANA = { actor: "ana@example.com", reason: "vendor maintenance" };
const BO = { actor: "bo@example.com", reason: "a look" };
const ANAS = { who: ANA.actor, why: ANA.reason, until: "2026-11-29T18:00:00.000Z" };

type Happening = WithoutTime<ControlFact>;

function paused(word: Pick<PauseWord, "actor" | "reason">, untilMs: number | null = null): Happening {
  return { fact: "pause", word: { ...word, untilMs, forMs: null, earliestMs: 0 } };
}

const RESUMED: Happening = { fact: "resume", word: { ...BO, strict: false, rampMs: 0 } };

function after(...facts: readonly Happening[]) {
  return facts.reduce(
    (control, fact, nth) => advanceControl(control, { ...fact, atMs: NOON_MS + nth * 1000 }),
    newControl("crm"),
  );
}

test.each([
  ["nothing that is known", null],
  ["an open endpoint", after()],
  ["its own word alone", after(paused(BO))],
  ["a pause that had been resumed", after(paused(ANA), RESUMED, paused(BO))],
])("a pause after %s replaces none", (_, control) => {
  expect(replacedPause(control, BO)).toBeNull();
});

test.each([
  ["before the new word is taken in", after(paused(ANA, FAR_MS))],
  ["once it is", after(paused(ANA, FAR_MS), paused(BO))],
])("the pause of another is named, %s", (_, control) => {
  expect(replacedPause(control, BO)).toEqual(ANAS);
});

test("one's own earlier pause is named too", () => {
  expect(replacedPause(after(paused(ANA, FAR_MS), paused(ANA)), ANA)).toEqual(ANAS);
});
