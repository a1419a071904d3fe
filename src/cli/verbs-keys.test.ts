/** The verbs of API keys in this process: none of them needs a server. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { describe, expect, onTestFinished, test } from "vitest";
import { runCli } from "./main.ts";

/** Without a configuration above it. */
async function aFolder(config?: unknown): Promise<string> {
  const cwd = await mkdtemp(join(tmpdir(), "verbs-keys-"));
  onTestFinished(() => rm(cwd, { recursive: true }));
  if (config !== undefined) await writeFile(join(cwd, "countersign.config.json"), JSON.stringify(config));
  return cwd;
}

async function run(argv: readonly string[], cwd: string) {
  const said = { stdout: "", stderr: "" };
  const collecting = (name: keyof typeof said): Writable =>
    new Writable({
      write(chunk, _encoding, done) {
        said[name] += String(chunk);
        done();
      },
    });
  const [stdout, stderr] = [collecting("stdout"), collecting("stderr")];
  // Nothing listens there: whatever asked a server would fail.
  const environment = { TEMPORAL_ADDRESS: "127.0.0.1:1" };
  const exit = await runCli({ environment, cwd, stdin: Readable.from([]), stdout, stderr, argv });
  return { exit, ...said };
}

describe("keys create", () => {
  test("needs neither configuration nor server, and takes each option as often as it makes sense", async () => {
    const scope = ["--source", "shop", "--source", "billing", "--type", "order.*", "--type", "a,b"];
    const argv = ["keys", "create", "--role", "ingest", ...scope, "--person", "ana", "--expires", "90d", "--json"];
    const { exit, stdout, stderr } = await run(argv, await aFolder());
    expect([exit, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toMatchObject({
      key: expect.stringMatching(/^csk_/),
      entry: { role: "ingest", sources: ["shop", "billing"], types: ["order.*", "a,b"], person: "ana" },
    });
  });

  test("makes an entry that `keys list` shows once it stands in the configuration", async () => {
    const made = await run(["keys", "create", "--role", "ingest", "--source", "shop", "--json"], await aFolder());
    const { key, entry } = JSON.parse(made.stdout) as { readonly key: string; readonly entry: { readonly id: string } }; // our own output
    const cwd = await aFolder({ sources: { shop: {} }, keys: [entry] });
    const table = await run(["keys", "list"], cwd);
    expect(table).toMatchObject({ exit: 0, stderr: "", stdout: expect.stringContaining(`${entry.id}  ingest`) });
    const list = await run(["keys", "list", "--json"], cwd);
    expect(JSON.parse(list.stdout)).toMatchObject({ items: [{ id: entry.id, sources: ["shop"] }] });
    expect(`${table.stdout}${list.stdout}`).not.toContain(key.slice(-43));
  });

  test.each([
    ["of nobody's that decides", "approver", [], ["names no person, so everyone who has it may decide as anybody"]],
    ["of nobody's that operates", "operator", [], ["names no person, so everyone who has it may act as anybody"]],
    ["that only reads", "viewer", [], []],
    ["of somebody unknown", "approver", ["--person", "eve"], ['has no person "eve" in people (it has ana)']],
    [
      "for sources of which one is unknown",
      "ingest",
      ["--source", "shop", "--source", "shp", "--source", "countersign"],
      ['has no source "shp" (it has shop, stripe)', 'has no source "countersign" (it has shop, stripe)'],
    ],
    ["for what is there", "ingest", ["--source", "https://shop.example/", "--person", "ana"], []],
  ])("makes a key %s, and warns of what nobody meant on standard error alone", async (_what, role, more, warnings) => {
    const stripe = { verify: { scheme: "stripe", secrets: ["x"] } };
    const config = { sources: { shop: { aliases: ["https://shop.example/"] }, stripe }, people: { ana: {} } };
    const cwd = await aFolder(config);
    const { exit, stdout, stderr } = await run(["keys", "create", "--role", role, ...more, "--json"], cwd);
    expect([exit, Object.keys(JSON.parse(stdout) as object)]).toEqual([0, ["key", "entry"]]);
    const lines = stderr.split("\n").filter((line) => line !== "");
    expect(lines).toEqual(warnings.map((words) => expect.stringContaining(words)));
    for (const line of lines) expect(line).toMatch(/^warning: .*\.$/);
  });

  test("warns of a key for every source where each has a provider that signs", async () => {
    const cwd = await aFolder({ sources: { stripe: { verify: { scheme: "stripe", secrets: ["x"] } } } });
    const { exit, stderr } = await run(["keys", "create", "--role", "ingest", "--json"], cwd);
    expect([exit, stderr]).toEqual([0, expect.stringContaining("may send for none; name one with --source.")]);
  });

  test.each([
    ["is not valid", { keys: [{ id: "a1" }] }, []],
    ["is named and not there", undefined, ["--config", "nowhere.json"]],
  ])(
    "makes a key beside a configuration that %s, and says that nothing was looked up there",
    async (_what, config, more) => {
      const cwd = await aFolder(config);
      const { exit, stdout, stderr } = await run([...more, "keys", "create", "--role", "ingest", "--source", "x"], cwd);
      expect([exit, stdout]).toEqual([0, expect.stringMatching(/^csk_/)]);
      expect(stderr).toContain("cannot be used, so nothing was looked up there.");
    },
  );

  test.each([
    ["no role", []],
    ["a role that is none", ["--role", "admin"]],
    ["a scope of a viewer", ["--role", "viewer", "--source", "shop"]],
    ["an expiry that is past", ["--role", "viewer", "--expires", "1999-01-01T00:00:00Z"]],
    ["a word too many", ["--role", "viewer", "shop"]],
  ])("with %s is bad usage", async (_what, argv) => {
    const { exit, stdout, stderr } = await run(["keys", "create", "--json", ...argv], await aFolder());
    expect([exit, stdout]).toEqual([2, ""]);
    expect(JSON.parse(stderr)).toMatchObject({ code: "bad_argument" });
  });
});

describe("keys list", () => {
  test.each([
    ["no configuration", undefined, "config_not_found"],
    ["a key that is none", { keys: [{ id: "a1" }] }, "config_invalid"],
  ])("with %s is exit 2", async (_what, config, code) => {
    const { exit, stdout, stderr } = await run(["keys", "list", "--json"], await aFolder(config));
    expect([exit, stdout]).toEqual([2, ""]);
    expect(JSON.parse(stderr)).toMatchObject({ code });
  });
});

test("keys alone says what is missing, and its help what roles there are", async () => {
  const cwd = await aFolder();
  expect(await run(["keys"], cwd)).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining("A command is missing."),
  });
  const { exit, stdout } = await run(["keys", "create", "--help"], cwd);
  expect(exit).toBe(0);
  expect(stdout).toMatch(/ingest sends events and can do nothing else/);
});
