/** Ends a test run with one line a machine can read: `N passed, N failed`, and fails a run in which no test ran. */
import type { Reporter, TestModule } from "vitest/node";

export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** A file that could not be loaded and an error outside every test count as failures: no run may hide them. */
export function tally(modules: readonly TestModule[], errorsOutsideTests: number): Tally {
  const states = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state));
  const count = (wanted: string): number => states.filter((state) => state === wanted).length;
  const brokenFiles = modules.filter((module) => module.errors().length > 0).length;
  return {
    passed: count("passed"),
    failed: count("failed") + brokenFiles + errorsOutsideTests,
    skipped: count("skipped"),
  };
}

export function summaryLine({ passed, failed, skipped }: Tally): string {
  return `${passed} passed, ${failed} failed${skipped === 0 ? "" : `, ${skipped} skipped`}`;
}

/** One line per test that failed, or passed only when it was tried again; CI shows them at its end. */
export function troubleLines(modules: readonly TestModule[]): readonly string[] {
  return modules.flatMap((module) =>
    [...module.children.allTests()].flatMap((test) => {
      const { state, errors = [] } = test.result();
      const name = `${module.project.name} ${module.relativeModuleId} > ${test.fullName}`;
      const first = (errors[0]?.message ?? "").split("\n")[0] ?? "";
      if (state === "failed") return [`FAILED ${name}: ${first}`];
      return test.diagnostic()?.flaky === true ? [`RETRIED ${name}: ${first}`] : [];
    }),
  );
}

/** Vitest loads a reporter by path and takes its default export. */
export default class CiReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const counted = tally(modules, unhandledErrors.length);
    for (const line of troubleLines(modules)) console.log(line);
    console.log(`\n${summaryLine(counted)}`);
    if (counted.passed + counted.failed > 0) return;
    console.error("No test ran.");
    process.exitCode = 1;
  }
}
