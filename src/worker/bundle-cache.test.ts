import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type BundleCache, cachedBundle } from "./bundle-cache.ts";

let folder: string;
let bundled: number;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "countersign-bundle-"));
  bundled = 0;
  await mkdir(join(folder, "workflows"));
  await writeFile(join(folder, "workflows", "event.ts"), "one");
  await writeFile(join(folder, "package.json"), "{}");
});

afterEach(async () => await rm(folder, { recursive: true, force: true }));

function aCache(changes: Partial<BundleCache> = {}): BundleCache {
  return {
    directory: join(folder, "cache"),
    sources: { folders: [join(folder, "workflows")], files: [join(folder, "package.json")] },
    bundle: async () => await Promise.resolve(`bundle ${(bundled += 1)}`),
    ...changes,
  };
}

const text = async (path: string | null) => await readFile(path ?? "none", "utf8");

describe("the bundle of the sources", () => {
  test("is made once, and found again", async () => {
    const first = await cachedBundle(aCache());
    expect(await cachedBundle(aCache())).toBe(first);
    expect([await text(first), bundled]).toEqual(["bundle 1", 1]);
    expect(await readdir(join(folder, "cache"))).toHaveLength(1);
  });

  test.each([
    ["workflows/event.ts", "two"],
    ["workflows/other.ts", "new"],
    ["workflows/payload-converter.cjs", "new"],
    ["package.json", '{"version":"2"}'],
  ])("is made anew once %s changes", async (file, content) => {
    await cachedBundle(aCache());
    await writeFile(join(folder, file), content);
    expect(await text(await cachedBundle(aCache()))).toBe("bundle 2");
  });

  test("stays the same when only a test changes", async () => {
    const first = await cachedBundle(aCache());
    await writeFile(join(folder, "workflows", "event.test.ts"), "expect");
    expect(await cachedBundle(aCache())).toBe(first);
  });

  test("made by several processes at once is whole in each", async () => {
    for (let round = 0; round < 50; round += 1) {
      const cache = aCache({ directory: join(folder, `cache-${round}`) });
      const paths = await Promise.all([1, 2, 3].map(async () => await cachedBundle(cache)));
      expect(new Set(paths).size).toBe(1);
      expect(await text(paths[0] ?? null)).toMatch(/^bundle \d+$/);
    }
  });

  test("does not pile up: those of earlier days go", async () => {
    const old = await cachedBundle(aCache());
    await utimes(old ?? "none", new Date(0), new Date(0));
    await writeFile(join(folder, "workflows", "event.ts"), "two");
    await cachedBundle(aCache());
    expect(await readdir(join(folder, "cache"))).toHaveLength(1);
  });

  test("is left to the worker where it cannot be kept or made", async () => {
    expect(await cachedBundle(aCache({ directory: join(folder, "package.json", "cache") }))).toBeNull();
    expect(await cachedBundle(aCache({ bundle: async () => await Promise.reject(new Error("no")) }))).toBeNull();
  });
});
