import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { aContext } from "../../../test/support/a-context.ts";
import { authenticate } from "../../access/authenticate.ts";
import { loadConfig } from "../../config/load-config.ts";
import { parseConfig } from "../../config/parse-config.ts";
import type { RawKey } from "../../config/raw-config.ts";
import { expiryOf, keysCreate, type KeysCreateCommand } from "./keys-create.ts";

const NOW_MS = Date.UTC(2026, 10, 29, 10, 0, 0, 1);

async function created(options: KeysCreateCommand): Promise<{ readonly key: string; readonly entry: RawKey }> {
  const { context, out } = aContext({ json: true });
  expect(await keysCreate(context, options)).toBe(0);
  expect(out).toHaveLength(1);
  return JSON.parse(out.join("")) as { readonly key: string; readonly entry: RawKey }; // our own output
}

const SHOP = { role: "ingest", source: ["shop"], type: ["order.*"] };

describe("keys create", () => {
  test("prints the key and its entry for programs, and no secret in the entry", async () => {
    const { key, entry } = await created({ ...SHOP, person: "ana@example.com", expires: "2030-01-31T00:00:00Z" });
    expect(entry).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{12}$/),
      role: "ingest",
      person: "ana@example.com",
      sources: ["shop"],
      types: ["order.*"],
      hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      expires: "2030-01-31T00:00:00Z",
    });
    const [, id, secret = ""] = /^csk_([0-9a-f]{12})_([\w-]{43})$/.exec(key) ?? [];
    expect(id).toBe(entry.id);
    expect(JSON.stringify(entry)).not.toContain(secret);
  });

  test("leaves out of the entry what was not said", async () => {
    const { entry } = await created({ role: "viewer" });
    expect(Object.keys(entry)).toEqual(["id", "role", "hash"]);
  });

  test("prints for people the key, then the entry as it stands in the configuration, and says what to do", async () => {
    const { context, out, notes } = aContext();
    expect(await keysCreate(context, { ...SHOP, person: "o'neil\\x", expires: "90d" })).toBe(0);
    const [key = "", entry = ""] = out;
    expect(key).toMatch(/^csk_[0-9a-f]{12}_[\w-]{43}$/);
    expect(entry).toMatch(
      /^\{ id: '[0-9a-f]{12}', role: 'ingest', person: 'o\\'neil\\\\x', sources: \['shop'\], types: \['order\.\*'\], hash: 'sha256:[0-9a-f]{64}', expires: '[\dT:-]+Z' \},$/,
    );
    expect(out).toHaveLength(2);
    expect(notes.join("")).not.toContain(key.slice(-43));
    expect(notes).toEqual([expect.stringContaining("shown this once"), expect.stringContaining("add it to `keys`")]);
  });

  test("makes another key each time", async () => {
    const [one, other] = [await created(SHOP), await created(SHOP)];
    expect([one.key === other.key, one.entry.id === other.entry.id, one.entry.hash === other.entry.hash]).toEqual([
      false,
      false,
      false,
    ]);
  });

  test("makes entries that the configuration takes, and keys that they let in", async () => {
    const sources = fc.uniqueArray(fc.constantFrom("shop", "billing", "https://shop.example/'"), { minLength: 1 });
    const types = fc.array(fc.constantFrom("order.*", "*", "it's"), { minLength: 1, maxLength: 3 });
    const scope = fc.record({ role: fc.constant("ingest"), source: sources, type: types }, { requiredKeys: ["role"] });
    const others = fc.record({ role: fc.constantFrom("viewer", "approver", "operator") });
    const rest = fc.record(
      { person: fc.constant("ana@example.com"), expires: fc.constantFrom("90d", "1h", "9999-01-01T00:00:00Z") },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(fc.oneof(scope, others), rest, async (what, who) => {
        const { key, entry } = await created({ ...what, ...who });
        const raw = {
          sources: { shop: { aliases: ["https://shop.example/'"] }, billing: {} },
          people: { "ana@example.com": {} },
          keys: [entry],
        };
        const { keys } = parseConfig(raw, { path: null });
        expect(authenticate(keys, `Bearer ${key}`, Date.now())).toEqual({ ok: true, key: keys[0] });
        expect(keys[0]).toMatchObject({ role: what.role, person: who.person ?? null });
      }),
    );
  });

  test.each(["countersign.config.ts", "countersign.config.json"])(
    "prints an entry that can be pasted as it is into %s, and a key that it lets in",
    async (file) => {
      const isJson = file.endsWith(".json");
      const folder = await mkdtemp(join(tmpdir(), "keys-create-"));
      onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
      const written = async (entry: string) => {
        const rest = `"sources": { "shop": { "aliases": ["it's \\"ours\\""] } }, "people": { "o'neil\\\\x": {} }`;
        const text = `{ ${rest}, "keys": [${entry}] }`;
        await writeFile(join(folder, file), isJson ? text : `export default ${text};`);
      };
      await written("");
      const { context, out, notes } = aContext({ cwd: folder });
      const config = async () => await loadConfig({ cwd: folder, environment: {} });
      const options = { ...SHOP, source: ['it\'s "ours"'], person: "o'neil\\x", expires: "90d" };
      expect(await keysCreate({ ...context, config }, options)).toBe(0);
      expect(notes.join("\n")).not.toContain("warning");
      const [key = "", entry = ""] = out;
      await written(entry);
      const { keys } = await config();
      expect(authenticate(keys, `Bearer ${key}`, Date.now())).toEqual({ ok: true, key: keys[0] });
      expect(keys).toMatchObject([{ role: "ingest", sources: ["shop"], types: ["order.*"], person: "o'neil\\x" }]);
    },
  );

  test.each([
    [{ role: "admin" }, `--role: found "admin"; accepted: 'ingest', 'viewer', 'approver', 'operator'.`],
    [{ role: "viewer", source: ["shop"] }, "--source: bounds nothing with this role, only with 'ingest'; remove it."],
    [{ role: "operator", type: ["*"] }, "--type: bounds nothing with this role, only with 'ingest'; remove it."],
    [{ ...SHOP, source: ["shop", ""] }, '--source: found ""; accepted: the name or an alias of a source.'],
    [{ ...SHOP, type: [" "] }, '--type: found " "; accepted: an event type, with * for any run of characters.'],
    [{ ...SHOP, person: "" }, '--person: found ""; accepted: the name of a person.'],
    [{ ...SHOP, expires: "9999-12-31T23:59:59-23:00" }, "--expires: found "],
    [{ ...SHOP, expires: "90" }, "--expires takes how long the key is good, such as 90d"],
  ])("refuses %j and prints no key", async (options, message) => {
    const { context, out } = aContext({ json: true });
    await expect(keysCreate(context, options)).rejects.toMatchObject({
      code: "bad_argument",
      message: expect.stringContaining(message),
    });
    expect(out).toEqual([]);
  });
});

describe("expiryOf", () => {
  test.each([
    ["90d", "2027-02-27T10:00:01Z"],
    ["1ms", "2026-11-29T10:00:01Z"],
    ["2h", "2026-11-29T12:00:01Z"],
    ["2027-01-01T00:00:00+01:00", "2026-12-31T23:00:00Z"],
    ["2026-11-29T10:00:00.002Z", "2026-11-29T10:00:01Z"],
  ])("%s is %s, never sooner", (text, expires) => {
    expect(expiryOf(text, NOW_MS)).toBe(expires);
  });

  test.each(["", "0d", "-1d", "soon", "4000d", "2026-11-29", "2026-11-29T10:00:00.001Z", "1999-01-01T00:00:00Z"])(
    "refuses %j",
    (text) => {
      expect(() => expiryOf(text, NOW_MS)).toThrow(expect.objectContaining({ code: "bad_argument" }));
    },
  );
});
