import { generateKeyPairSync } from "node:crypto";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { aContext } from "../../test/support/a-context.ts";
import { aFolder } from "../../test/support/command-line.ts";
import { generateKeyPair } from "../signing/decision-signature.ts";
import { readKeyFile } from "./key-file.ts";

const { privateKeyPem } = generateKeyPair();

async function folderWith(content: string, mode = 0o600): Promise<string> {
  const { path, remove } = await aFolder({});
  onTestFinished(remove);
  await writeFile(join(path, "key.pem"), content);
  await chmod(join(path, "key.pem"), mode);
  return path;
}

describe("readKeyFile", () => {
  test("is the file of --key-file, else of COUNTERSIGN_KEY_FILE, else none", async () => {
    const cwd = await folderWith(privateKeyPem);
    const { context, notes } = aContext({ cwd });
    expect(await readKeyFile(context, "key.pem")).toBe(privateKeyPem);
    expect(await readKeyFile(context, undefined)).toBeNull();
    const named = aContext({ environment: { COUNTERSIGN_KEY_FILE: join(cwd, "key.pem") } });
    expect(await readKeyFile(named.context, undefined)).toBe(privateKeyPem);
    expect(await readKeyFile(aContext({ environment: { COUNTERSIGN_KEY_FILE: "" } }).context, undefined)).toBeNull();
    expect(notes).toEqual([]);
  });

  test.each([0o640, 0o604, 0o660])("warns of a file of mode %o, which others can read", async (mode) => {
    const cwd = await folderWith(privateKeyPem, mode);
    const { context, notes } = aContext({ cwd });
    expect(await readKeyFile(context, "key.pem")).toBe(privateKeyPem);
    expect(notes.join("\n")).toMatch(/^warning: others can read the private key .*key\.pem/);
    const program = aContext({ cwd, json: true });
    await readKeyFile(program.context, "key.pem");
    expect(program.notes).toEqual([]);
  });

  test.each([
    ["no PEM", "s3cr3t words"],
    ["a public key", generateKeyPairSync("ed25519").publicKey.export({ format: "pem", type: "spki" }).toString()],
    [
      "a key of another kind",
      generateKeyPairSync("x25519").privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
    ],
  ])("refuses %s without quoting it", async (_what, content) => {
    const cwd = await folderWith(content);
    const read = readKeyFile(aContext({ cwd }).context, "key.pem");
    await expect(read).rejects.toMatchObject({ code: "bad_argument", message: expect.stringContaining("Ed25519") });
    await read.catch((error: Error) => expect(error.message).not.toContain(content.slice(30, 60) || "s3cr3t"));
  });

  test("refuses a file that is not there", async () => {
    const read = readKeyFile(aContext({ cwd: await folderWith("") }).context, "nope.pem");
    await expect(read).rejects.toMatchObject({ code: "bad_argument", message: expect.stringContaining("(ENOENT)") });
  });
});
