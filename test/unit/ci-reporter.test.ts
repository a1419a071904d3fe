/** What CI reads of a run: the last line, and the names of what was wrong. */
import { describe, expect, test } from "vitest";
import type { TestModule } from "vitest/node";
import { summaryLine, tally, troubleLines } from "../support/ci-reporter.ts";

interface Ran {
  readonly state: "passed" | "failed" | "skipped";
  readonly name?: string;
  readonly message?: string;
  readonly flaky?: boolean;
}

/** As much of a module as the reporter looks at. */
function aModule(tests: readonly Ran[], { errors = [] as readonly Error[] } = {}): TestModule {
  const allTests = tests.map(({ state, name = "does it", message, flaky = false }) => ({
    fullName: name,
    result: () => ({ state, errors: message === undefined ? [] : [{ message }] }),
    diagnostic: () => ({ flaky }),
  }));
  const module = {
    project: { name: "unit" },
    relativeModuleId: "src/a.test.ts",
    errors: () => errors,
    children: { allTests: () => allTests },
  };
  return module as unknown as TestModule; // the rest is not looked at
}

describe("the last line", () => {
  test("counts what passed and failed, and what was skipped where there is any", () => {
    const some = [aModule([{ state: "passed" }, { state: "failed" }]), aModule([{ state: "passed" }])];
    expect(summaryLine(tally(some, 0))).toBe("2 passed, 1 failed");
    expect(summaryLine(tally([aModule([{ state: "skipped" }])], 0))).toBe("0 passed, 0 failed, 1 skipped");
  });

  test("counts a file that could not be loaded and an error outside tests as failures", () => {
    const broken = aModule([], { errors: [new Error("no such module")] });
    expect(tally([broken, aModule([{ state: "passed" }])], 2)).toEqual({ passed: 1, failed: 3, skipped: 0 });
  });
});

describe("the lines before it", () => {
  test("name what failed and what passed only when tried again, with the first line of why", () => {
    const tests: readonly Ran[] = [
      { state: "passed" },
      { state: "failed", name: "law > holds", message: "expected 1 to be 2\nat line 3" },
      { state: "passed", name: "kill > survives", message: "timed out", flaky: true },
    ];
    expect(troubleLines([aModule(tests)])).toEqual([
      "FAILED unit src/a.test.ts > law > holds: expected 1 to be 2",
      "RETRIED unit src/a.test.ts > kill > survives: timed out",
    ]);
  });
});
