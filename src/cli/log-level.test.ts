import { expect, test } from "vitest";
import { logLevelOf } from "./log-level.ts";

test("takes COUNTERSIGN_LOG, else the fallback, and refuses what is no level", () => {
  expect(logLevelOf({ COUNTERSIGN_LOG: "debug" })).toBe("debug");
  expect(logLevelOf({ COUNTERSIGN_LOG: "" }, "warn")).toBe("warn");
  expect(logLevelOf({})).toBe("info");
  expect(() => logLevelOf({ COUNTERSIGN_LOG: "loud" })).toThrow('not "loud"');
});
