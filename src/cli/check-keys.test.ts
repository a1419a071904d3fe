import { describe, expect, test } from "vitest";
import { anApiKey } from "../../test/support/an-api-key.ts";
import { exitOf } from "./check.ts";
import { checkKeys } from "./check-keys.ts";

const NOW_MS = Date.UTC(2026, 10, 29);
const DAY_MS = 86_400_000;

describe("checkKeys", () => {
  test("has nothing to say without keys, and counts those there are", () => {
    expect(checkKeys({ keys: [] }, NOW_MS)).toEqual([]);
    const keys = [anApiKey().key, anApiKey({ role: "viewer" }).key];
    expect(checkKeys({ keys }, NOW_MS)).toEqual([{ name: "keys", verdict: "ok", text: "2 keys" }]);
    expect(checkKeys({ keys: keys.slice(1) }, NOW_MS)).toEqual([{ name: "keys", verdict: "ok", text: "1 key" }]);
  });

  test.each([
    ["has expired", { expiresAtMs: NOW_MS }, "expired 0 s ago and is refused: remove its entry"],
    ["expires within two weeks", { expiresAtMs: NOW_MS + 14 * DAY_MS }, "expires in 14 d: create another"],
    ["decides in anybody's name", { role: "approver" }, "everyone who has it may decide as anybody: create"],
    ["acts in anybody's name", { role: "operator" }, "everyone who has it may act as anybody: create"],
    ["may send for no source", { sources: [] }, "may send for no source: add one"],
  ] as const)("warns of a key that %s, which fails nothing", (_what, changes, words) => {
    const { key } = anApiKey({ id: "a1", ...changes });
    const checks = checkKeys({ keys: [key] }, NOW_MS);
    expect(checks.slice(1)).toEqual([{ name: "key a1", verdict: "warn", text: expect.stringContaining(words) }]);
    expect(exitOf(checks)).toBe(0);
  });

  test("says nothing else of a key that has expired", () => {
    const { key } = anApiKey({ role: "approver", expiresAtMs: NOW_MS - 1 });
    expect(checkKeys({ keys: [key] }, NOW_MS)).toHaveLength(2);
  });

  test("leaves a key alone that is bound, scoped and good for longer", () => {
    const keys = [
      anApiKey({ expiresAtMs: NOW_MS + 14 * DAY_MS + 1 }).key,
      anApiKey({ role: "approver", person: "ana@example.com" }).key,
      anApiKey({ role: "operator", person: "ana@example.com" }).key,
      anApiKey({ role: "viewer" }).key,
    ];
    expect(checkKeys({ keys }, NOW_MS)).toHaveLength(1);
  });
});
