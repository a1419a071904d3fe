/** The verbs of the audit in this process, as far as they go without a Temporal server. */
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { describe, expect, onTestFinished, test } from "vitest";
import { anExport, aRecord } from "../../test/support/an-export.ts";
import type { Invocation } from "./context.ts";
import { runCli } from "./main.ts";

async function run(argv: readonly string[], changes: Partial<Invocation> = {}) {
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
  const exit = await runCli({ environment, cwd: "/", stdin: Readable.from([]), stdout, stderr, ...changes, argv });
  return { exit, ...said };
}

async function aFolder(files: Readonly<Record<string, string>>): Promise<string> {
  const cwd = await mkdtemp(join(tmpdir(), "verbs-audit-"));
  onTestFinished(() => rm(cwd, { recursive: true }));
  for (const [name, content] of Object.entries(files)) await writeFile(join(cwd, name), content);
  return cwd;
}

const { lines: LINES, summary: SUMMARY } = await anExport([[aRecord({ actor: "ana@example.com" }), aRecord()]]);
const WHOLE = `${LINES.join("\n")}\n`;
const FILES = {
  "whole.jsonl": WHOLE,
  "edited.jsonl": WHOLE.replace("ana@", "eve@"),
  "cut.jsonl": WHOLE.slice(0, -10),
  "countersign.config.json": "{}",
};

describe("audit verify", () => {
  test("finds an export whole, without a configuration and without a server", async () => {
    const cwd = await aFolder({ "whole.jsonl": WHOLE });
    const { exit, stdout, stderr } = await run(["audit", "verify", "whole.jsonl"], { cwd });
    expect([exit, stderr]).toEqual([0, ""]);
    expect(stdout).toContain(`whole  2 records in 4 lines, head ${SUMMARY.head}`);
    expect(stdout).toContain("can recompute every hash in it");
  });

  test("reads standard input", async () => {
    const stdin = Readable.from([WHOLE]);
    expect(await run(["audit", "verify", "-", "--json"], { stdin })).toEqual({
      exit: 0,
      stdout: `${JSON.stringify({ ok: true, lines: 4, records: 2, head: SUMMARY.head, firstBad: null })}\n`,
      stderr: "",
    });
    expect((await run(["audit", "verify", "-"])).stdout).toBe(
      "line 1: truncated  The end line is missing: the file was cut off before it.\n",
    );
  });

  test("is exit 1 and names the first bad line and what is wrong with it", async () => {
    const cwd = await aFolder(FILES);
    const edited = await run(["audit", "verify", "edited.jsonl"], { cwd });
    expect([edited.exit, edited.stderr]).toEqual([1, ""]);
    expect(edited.stdout).toMatch(
      /^line 2: edited {2}The line was changed.*\n0 records before it hold; 4 lines in all\.\n$/,
    );
    const cut = await run(["audit", "verify", "cut.jsonl", "--json"], { cwd });
    expect(cut.exit).toBe(1);
    expect(JSON.parse(cut.stdout)).toEqual({
      ok: false,
      lines: 4,
      records: 2,
      head: null,
      firstBad: { line: 4, problem: "truncated", sentence: expect.any(String) },
    });
  });

  test("compares the head hash that was kept", async () => {
    const cwd = await aFolder(FILES);
    const same = await run(["audit", "verify", "whole.jsonl", "--head", SUMMARY.head], { cwd });
    expect([same.exit, same.stdout.includes("Its head is the one you kept")]).toEqual([0, true]);
    const other = await run(["audit", "verify", "whole.jsonl", "--head", `sha256:${"0".repeat(64)}`], { cwd });
    expect([other.exit, other.stdout.includes("line 4: other-head")]).toEqual([1, true]);
  });

  test.each([
    ["a file that is not there", ["nope.jsonl"], 3, "not_found"],
    ["a folder", ["."], 2, "bad_argument"],
    ["no file", [], 2, "bad_argument"],
    ["two files", ["whole.jsonl", "whole.jsonl"], 2, "bad_argument"],
    ["a head that is no hash", ["whole.jsonl", "--head", "abc"], 2, "bad_argument"],
  ])("with %s ends as bad usage or not found", async (_what, argv, exit, code) => {
    const answer = await run(["audit", "verify", "--json", ...argv], { cwd: await aFolder(FILES) });
    expect([answer.exit, answer.stdout]).toEqual([exit, ""]);
    expect(JSON.parse(answer.stderr)).toMatchObject({ code });
  });
});

describe("audit and audit export", () => {
  test.each([
    ["no key", ["audit"], 2, "bad_argument"],
    ["what is no key", ["audit", "evt_1"], 2, "bad_argument"],
    ["a name for a key", ["audit", "export", "evt_1"], 2, "bad_argument"],
    ["an unknown state", ["audit", "export", "--state", "lost"], 2, "bad_argument"],
    ["a limit that is none", ["audit", "export", "--limit", "0"], 2, "bad_argument"],
    ["keys and a filter", ["audit", "export", "shop/1", "--source", "shop"], 2, "bad_argument"],
    ["keys and a limit", ["audit", "export", "shop/1", "--limit", "5"], 2, "bad_argument"],
    ["a file that is there", ["audit", "export", "--out", "whole.jsonl"], 2, "bad_argument"],
    ["no configuration", ["audit", "shop/1"], 2, "config_not_found"],
    ["no configuration", ["audit", "export"], 2, "config_not_found"],
  ])("refuse %s before a server is asked", async (_what, argv, exit, code) => {
    const cwd = await aFolder({ "whole.jsonl": WHOLE });
    const answer = await run([...argv, "--json"], { cwd });
    expect([answer.exit, answer.stdout]).toEqual([exit, ""]);
    expect(JSON.parse(answer.stderr)).toMatchObject({ code });
  });

  test("leave no file behind when nothing could be exported", async () => {
    const cwd = await aFolder({});
    expect((await run(["audit", "export", "--out", "audit.jsonl"], { cwd })).exit).toBe(2);
    expect(await readdir(cwd)).toEqual([]);
  });

  test("say in their help what a chain cannot show", async () => {
    for (const verb of ["export", "verify"]) {
      const { exit, stdout } = await run(["audit", verb, "--help"]);
      expect(exit).toBe(0);
      expect(stdout.replaceAll(/\s+/g, " ")).toContain("whoever can rewrite all of it can recompute every hash");
    }
    expect((await run(["audit", "--help"])).stdout).toMatch(/ {2}export [^]* {2}verify /);
  });
});
