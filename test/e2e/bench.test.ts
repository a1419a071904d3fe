/** `npm run bench` from outside: what it prints, and the counts that do not depend on the machine. */
import { describe, expect, test } from "vitest";
import type { Report } from "../../bench/report.ts";
import { runScript } from "../support/run-npm.ts";

const MEMBERS = [
  "scenario",
  "events",
  "concurrency",
  "perSecond",
  "p50Ms",
  "p95Ms",
  "transitionsPerEvent",
  "historyEventsPerEvent",
  "cpuMsPerEvent",
  "rssMb",
] as const;

const SCENARIOS = ["bare-floor", "first-try", "accept"].flatMap((name) => ["--scenario", name]);
/** An eager start with a local activity; a start alone. */
const WHOLE = { transitionsPerEvent: 2, historyEventsPerEvent: 6 };
const ACCEPTED = { transitionsPerEvent: 1, historyEventsPerEvent: 2 };

describe("npm run bench", () => {
  test("prints one document in which a first try costs the server what the bare floor costs, and accepting one start", async () => {
    const { exitCode, stdout, stderr } = await runScript("bench", ["--json", "--events", "5", ...SCENARIOS]);
    expect(exitCode, stderr).toBe(0);
    const { environment, scenarios, comparisons } = JSON.parse(stdout) as Report; // fails unless it is exactly one document
    expect(environment).toMatchObject({
      node: process.versions.node,
      temporalServer: expect.stringMatching(/^\d+\.\d+/u),
    });
    expect(scenarios.map(({ scenario }) => scenario)).toEqual(["bare-floor", "first-try", "accept"]);
    for (const figures of scenarios) {
      for (const member of MEMBERS) expect(figures).toHaveProperty(member);
      const { p50Ms, p95Ms, perSecond, cpuMsPerEvent, rssMb } = figures;
      for (const measured of [p50Ms, perSecond, cpuMsPerEvent, rssMb]) expect(measured).toBeGreaterThan(0);
      expect(p95Ms).toBeGreaterThanOrEqual(p50Ms);
      const counts = figures.scenario === "accept" ? ACCEPTED : WHOLE;
      expect(figures).toMatchObject({ events: 5, concurrency: 5, ...counts });
    }
    expect(scenarios.at(-1)?.ratio).toBeGreaterThan(0);
    expect(comparisons).toMatchObject([{ of: "first-try", over: "bare-floor", transitionsPerEvent: 1 }]);
  });

  test("refuses an unknown scenario before it starts anything", async () => {
    const { exitCode, stdout, stderr } = await runScript("bench", ["--scenario", "fastest"]);
    expect(exitCode).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toContain('There is no scenario "fastest"');
  });
});
