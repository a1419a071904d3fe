import picocolors from "picocolors";
import { expect, test } from "vitest";
import type { ResumeReport } from "../client/endpoint-control.ts";
import { refusedResume, resumeLines } from "./resume-lines.ts";

const COLORS = picocolors.createColors(false);
const REPORT: ResumeReport = {
  endpoint: "crm",
  at: "2026-11-29T10:00:00.000Z",
  counted: true,
  refusedBecause: null,
  workers: 1,
};

test.each([
  [{}, "where they succeed, it opens at once, where one fails, its circuit holds it again."],
  [{ probe: true }, "where they succeed, it opens at once, where one fails, it is paused again as before."],
  [{ ramp: "10m" }, "what waits drains faster and faster over 10m, where one fails, its circuit holds it again."],
])("a resume %j says what follows", (order, words) => {
  const text = resumeLines(REPORT, order, COLORS).join("\n");
  expect(text).toContain("crm goes on: a few attempts try it first; ");
  expect(text).toContain(words);
  expect(text).toContain("See how it goes: countersign endpoints crm");
});

test("one that no worker has answered takes effect later, and says so", () => {
  const [line = ""] = resumeLines({ ...REPORT, counted: null }, {}, COLORS);
  expect(line).toMatch(/^No worker has answered\. The resume of crm is kept on the Temporal server/u);
  expect(line).not.toContain("goes on");
});

test.each([
  ["not-held", "nothing holds it, as far as its record knows"],
  ["throttled", "never cut short"],
  ["already-resuming", "it is being tried already"],
  ["malformed", "who says it"],
  [null, "no reason given"],
] as const)("one that did not count (%s) says why", (refusedBecause, words) => {
  const sentence = refusedResume({ ...REPORT, counted: false, refusedBecause });
  expect(sentence).toMatch(/^The resume of crm did not count \(.*\. See `countersign endpoints crm`\.$/u);
  expect(sentence).toContain(words);
});
