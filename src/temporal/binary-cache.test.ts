import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { cacheDirectory, fillCacheEntry } from "./binary-cache.ts";

describe("the per-user cache", () => {
  test.each([
    ["linux", { HOME: "/home/ana" }, "/home/ana/.cache/countersign"],
    ["linux", { HOME: "/home/ana", XDG_CACHE_HOME: "/var/cache/ana" }, "/var/cache/ana/countersign"],
    ["darwin", { HOME: "/Users/ana", XDG_CACHE_HOME: "/ignored" }, "/Users/ana/Library/Caches/countersign"],
    ["win32", { LOCALAPPDATA: "/local" }, join("/local", "countersign", "Cache")],
  ] as const)("on %s with %o is %s", (platform, environment, expected) => {
    expect(cacheDirectory(environment, platform)).toBe(expected);
  });

  test("that cannot be written is a reason, not an exception", async () => {
    // A file where a folder would have to be.
    const entry = { cacheDirectory: join(import.meta.filename, "cache"), name: "x", program: "x" };
    const result = await fillCacheEntry(entry, () => Promise.resolve({ kind: "failed", reason: "never asked" }));
    expect(result).toMatchObject({ kind: "failed", reason: expect.stringMatching(/^cannot write to .*\(ENOTDIR\)$/) });
  });
});
