import picocolors from "picocolors";
import { describe, expect, test } from "vitest";
import { aContext } from "../../../test/support/a-context.ts";
import { anApiKey } from "../../../test/support/an-api-key.ts";
import { parseConfig } from "../../config/parse-config.ts";
import type { CliContext } from "../context.ts";
import { keyLines, keysList } from "./keys-list.ts";

const NOW_MS = Date.UTC(2026, 10, 29);
const DAY_MS = 86_400_000;
const COLORS = picocolors.createColors(false);

const HASHES = ["a", "b", "c"].map((digit) => `sha256:${digit.repeat(64)}`);
const CONFIG = parseConfig(
  {
    sources: { shop: {}, billing: {} },
    people: { "ana@example.com": {} },
    keys: [
      { id: "a1", role: "ingest", sources: ["shop"], types: ["order.*"], hash: HASHES[0] },
      { id: "b2", role: "approver", person: "ana@example.com", hash: HASHES[1], expires: "1999-01-01T00:00:00Z" },
      { id: "c3", role: "ingest", hash: HASHES[2], expires: "9000-01-01T00:00:00Z" },
    ],
  },
  { path: null },
);

async function listed(json: boolean): Promise<string> {
  const { context, out, notes } = aContext({ json });
  const asked: unknown[] = [];
  const withConfig: CliContext = {
    ...context,
    config: (options) => {
      asked.push(options);
      return Promise.resolve(CONFIG);
    },
  };
  expect(await keysList(withConfig)).toBe(0);
  expect(notes).toEqual([]);
  // A configuration for `dev` has keys, too.
  expect(asked).toEqual([{ alsoAllowPrivate: ["127.0.0.0/8", "::1/128"] }]);
  return out.join("\n");
}

describe("keys list", () => {
  test("prints what programs need", async () => {
    expect(JSON.parse(await listed(true))).toEqual({
      items: [
        {
          id: "a1",
          role: "ingest",
          person: null,
          sources: ["shop"],
          types: ["order.*"],
          expires: null,
          expired: false,
        },
        {
          id: "b2",
          role: "approver",
          person: "ana@example.com",
          sources: [],
          types: null,
          expires: "1999-01-01T00:00:00.000Z",
          expired: true,
        },
        {
          id: "c3",
          role: "ingest",
          person: null,
          sources: ["shop", "billing"],
          types: null,
          expires: "9000-01-01T00:00:00.000Z",
          expired: false,
        },
      ],
    });
  });

  test("never prints a hash", async () => {
    for (const json of [true, false]) expect(await listed(json)).not.toMatch(/sha256|[abc]{8}/);
  });

  test("prints a table for people", () => {
    const keys = [
      anApiKey({ id: "a1", types: ["order.*", "refund"], expiresAtMs: NOW_MS + 89.5 * DAY_MS }).key,
      anApiKey({ id: "b2", role: "approver", person: "ana@example.com", expiresAtMs: NOW_MS - 3 * DAY_MS }).key,
      anApiKey({ id: "c3", sources: [] }).key,
    ];
    expect(keyLines(keys, NOW_MS, COLORS)).toEqual([
      "ID  ROLE      SCOPE                  PERSON           EXPIRES",
      "a1  ingest    shop: order.*, refund  -                2027-02-26 12:00:00 UTC (89 d)",
      "b2  approver  -                      ana@example.com  2026-11-26 00:00:00 UTC (expired 3 d ago)",
      "c3  ingest    no source: every type  -                never",
    ]);
  });

  test("lets no character through that a terminal obeys", () => {
    const keys = [anApiKey({ types: ["a\u202eb"], person: "eve\u001b[2J" }).key];
    const printed = keyLines(keys, NOW_MS, COLORS).join("");
    expect(printed).toContain("shop: a?b");
    expect(printed).toContain("eve?[2J");
  });

  test("says so when there are none", () => {
    expect(keyLines([], NOW_MS, COLORS)).toEqual([
      "The configuration has no keys. `countersign keys create` makes one.",
    ]);
  });
});
