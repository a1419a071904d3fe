import { defineConfig } from "vitest/config";

const withTemporalServer = {
  pool: "forks" as const,
  // Most of their time is waiting: for clocks, and for processes that are killed. Each file has a server of its own.
  maxWorkers: 2,
  globalSetup: ["test/support/temporal-server.ts", "test/support/compiled-scripts.ts"],
  hookTimeout: 60_000,
  // Real processes, sockets and clocks on machines we share: in CI a test may be tried once more, and the run says
  // so at its end (RETRIED). Such a line is a fault to mend; at home nothing is tried twice.
  retry: process.env["CI"] === undefined ? 0 : 1,
};

export default defineConfig({
  test: {
    reporters: ["default", "./test/support/ci-reporter.ts"],
    coverage: {
      provider: "v8",
      include: ["src/**/*.ts"],
      exclude: ["src/**/*.test.ts"],
      reporter: [["text", { skipFull: true }], "json-summary"],
      // The decisions are covered whole by unit tests; the shells around them by the `server` and `e2e` projects.
      thresholds: {
        "src/{access,delivery}/**": { statements: 100, branches: 100, functions: 100, lines: 100 },
        "src/{config,egress,signing}/**": { statements: 90, branches: 90, functions: 90, lines: 90 },
        // What asks Temporal before it answers is tested on a real one.
        "src/server/**": { statements: 80, branches: 70, functions: 80, lines: 80 },
      },
    },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "test/unit/**/*.test.ts"],
          pool: "forks",
          // One process runs many files, so what a file changes for all it must put back. To load everything anew for
          // each of them would take twice the time of the tests.
          isolate: false,
          // Laws take seconds, and many times that on a busy machine.
          testTimeout: 90_000,
        },
      },
      {
        extends: true,
        test: {
          ...withTemporalServer,
          name: "server",
          sequence: { groupOrder: 1 },
          include: ["test/server/**/*.test.ts"],
          isolate: false,
          testTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          ...withTemporalServer,
          name: "e2e",
          sequence: { groupOrder: 2 },
          include: ["test/e2e/**/*.test.ts"],
          testTimeout: 180_000,
        },
      },
    ],
  },
});
