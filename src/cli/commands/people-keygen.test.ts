import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { aContext } from "../../../test/support/a-context.ts";
import { aFolder } from "../../../test/support/command-line.ts";
import { signDecision, verifyDecision } from "../../signing/decision-signature.ts";
import { peopleKeygen } from "./people-keygen.ts";

async function emptyFolder(): Promise<string> {
  const { path, remove } = await aFolder({});
  onTestFinished(remove);
  return path;
}

describe("people keygen", () => {
  test("keeps the private key in a file of the owner alone, and prints only the entry", async () => {
    const cwd = await emptyFolder();
    const { context, out, notes } = aContext({ cwd });
    expect(await peopleKeygen(context, "ana@example.com", {})).toBe(0);
    const file = join(cwd, "ana@example.com.countersign-key.pem");
    const pem = await readFile(file, "utf8");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const [, publicKey = ""] =
      /^'ana@example\.com': \{ groups: \[\], publicKey: '([^']+)' \},$/.exec(out[0] ?? "") ?? [];
    const bytes = Uint8Array.of(1, 2, 3);
    expect(verifyDecision(publicKey, bytes, signDecision(pem, bytes))).toBe(true);
    expect(`${out.join("")}${notes.join("")}`).not.toContain(pem.split("\n")[1]);
  });

  test("prints what a program needs, never the private key", async () => {
    const cwd = await emptyFolder();
    const { context, out, notes } = aContext({ cwd, json: true });
    await peopleKeygen(context, "ana", { out: "keys.pem" });
    expect(JSON.parse(out.join(""))).toEqual({
      person: "ana",
      publicKey: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/),
      privateKeyFile: "keys.pem",
    });
    expect([notes, await readdir(cwd)]).toEqual([[], ["keys.pem"]]);
  });

  test("never overwrites a file", async () => {
    const cwd = await emptyFolder();
    await writeFile(join(cwd, "keys.pem"), "mine");
    const made = peopleKeygen(aContext({ cwd }).context, "ana", { out: "keys.pem" });
    await expect(made).rejects.toMatchObject({ code: "refused", message: expect.stringContaining("keys.pem") });
    expect(await readFile(join(cwd, "keys.pem"), "utf8")).toBe("mine");
  });

  test.each([
    ["a/../b c'd", "a_.._b_c_d.countersign-key.pem"],
    ["-rf", "_rf.countersign-key.pem"],
    [".hidden", "_hidden.countersign-key.pem"],
    ["Zoë", "Zo_.countersign-key.pem"],
  ])("names the file of %j without anything that means something else", async (person, file) => {
    const cwd = await emptyFolder();
    await peopleKeygen(aContext({ cwd }).context, person, {});
    expect(await readdir(cwd)).toEqual([file]);
  });

  test("prints an entry that JavaScript reads back", async () => {
    const { context, out } = aContext({ cwd: await emptyFolder() });
    await peopleKeygen(context, "o'neil\\x", {});
    expect(out[0]).toMatch(/^'o\\'neil\\\\x': \{/);
  });

  test.each(["", " ana", "a\u202eb", "group:finance", "é".repeat(101)])("refuses the name %j", async (person) => {
    const made = peopleKeygen(aContext({ cwd: await emptyFolder() }).context, person, {});
    await expect(made).rejects.toMatchObject({ code: "bad_argument", message: expect.stringMatching(/^NAME /) });
  });

  test("says when the file cannot be written", async () => {
    const made = peopleKeygen(aContext({ cwd: await emptyFolder() }).context, "ana", { out: "no/such/folder.pem" });
    await expect(made).rejects.toMatchObject({ code: "bad_argument", message: expect.stringContaining("(ENOENT)") });
  });
});
