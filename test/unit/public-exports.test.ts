/** What users can import: a name leaves or joins this list on purpose, with a line in the changelog. */
import { describe, expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };

describe("the public exports", () => {
  test("of countersign are these", async () => {
    expect(Object.keys(await import("../../src/index.ts")).toSorted()).toEqual([
      "CountersignError",
      "connect",
      "decisionBytes",
      "defineConfig",
      "env",
      "isCountersignError",
    ]);
  });

  test("of countersign/worker are these", async () => {
    expect(Object.keys(await import("../../src/worker/index.ts")).toSorted()).toEqual([
      "NonRetryableError",
      "RetryableError",
      "handler",
      "startWorker",
    ]);
  });

  test("are reached by these subpaths, types before code", () => {
    expect(Object.keys(manifest.exports)).toEqual([".", "./worker", "./package.json"]);
    for (const target of [manifest.exports["."], manifest.exports["./worker"]])
      expect(Object.keys(target)).toEqual(["types", "default"]);
  });
});
