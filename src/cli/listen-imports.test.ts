/** `listen` and `--help` must start at once: nothing of Temporal, no configuration, no validation on their way. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

/** Follows static imports of values; `import("…")` is what loads the rest later. */
function loadedBy(entry: URL, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(entry.href)) return seen;
  seen.add(entry.href);
  const text = readFileSync(fileURLToPath(entry), "utf8");
  for (const match of text.matchAll(/^(?:import|export) (?!type )[^;]*?from "([^"]+)"|^import "([^"]+)"/gm)) {
    const target = match[1] ?? match[2] ?? "";
    if (target.startsWith(".")) loadedBy(new URL(target, entry), seen);
    else seen.add(target);
  }
  return seen;
}

test("nothing of Temporal is loaded before a command that needs it runs", () => {
  const loaded = [
    ...loadedBy(new URL("bin.ts", import.meta.url)),
    ...loadedBy(new URL("commands/listen.ts", import.meta.url)),
  ];
  expect(loaded).toContain("commander");
  expect(loaded.filter((module) => /@temporalio|zod|jiti|pino|undici/.test(module))).toEqual([]);
});

test("the check follows imports far enough to see Temporal where it is", () => {
  expect(
    [...loadedBy(new URL("with-client.ts", import.meta.url))].some((module) => module.includes("@temporalio")),
  ).toBe(false);
  expect(
    [...loadedBy(new URL("commands/worker.ts", import.meta.url))].some((module) => module.includes("@temporalio")),
  ).toBe(true);
});
