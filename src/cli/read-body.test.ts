import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, onTestFinished, test } from "vitest";
import { type BodySource, readInput } from "./read-body.ts";

function aSource(changes: Partial<BodySource> = {}): BodySource {
  return { file: undefined, data: undefined, stdin: Readable.from([]), cwd: "/", ...changes };
}

async function aFile(bytes: Uint8Array): Promise<{ readonly cwd: string; readonly file: string }> {
  const cwd = await mkdtemp(join(tmpdir(), "read-body-"));
  onTestFinished(() => rm(cwd, { recursive: true }));
  await writeFile(join(cwd, "body.bin"), bytes);
  return { cwd, file: "body.bin" };
}

const BYTES = Buffer.from([0xef, 0xbb, 0xbf, 0x00, 0xff, 0x0a]);

describe("readInput", () => {
  test("gives the bytes of a file, of standard input and of --data as they are", async () => {
    expect((await readInput(aSource(await aFile(BYTES)))).equals(BYTES)).toBe(true);
    expect(
      (await readInput(aSource({ file: "-", stdin: Readable.from([BYTES.subarray(0, 2), BYTES.subarray(2)]) }))).equals(
        BYTES,
      ),
    ).toBe(true);
    expect((await readInput(aSource({ data: '{ "größe": 1 }\n' }))).toString()).toBe('{ "größe": 1 }\n');
  });

  test("reads standard input also when it is piped without being named", async () => {
    expect((await readInput(aSource({ stdin: Readable.from(["{}"]) }))).toString()).toBe("{}");
  });

  test("does not wait for somebody to type a body", async () => {
    const stdin = Object.assign(Readable.from([]), { isTTY: true });
    await expect(readInput(aSource({ stdin }))).rejects.toMatchObject({ code: "bad_argument" });
  });

  test("refuses two bodies", async () => {
    await expect(readInput(aSource({ file: "-", data: "{}" }))).rejects.toMatchObject({ code: "bad_argument" });
  });

  test("says which file cannot be read and why", async () => {
    await expect(readInput(aSource({ file: "/nowhere/body.json" }))).rejects.toMatchObject({
      code: "bad_argument",
      message: "The file /nowhere/body.json cannot be read (ENOENT).",
    });
    await expect(readInput(aSource({ file: "/" }))).rejects.toMatchObject({
      code: "bad_argument",
      message: expect.stringContaining("EISDIR"),
    });
  });

  test("stops reading what no event can be", async () => {
    const large = Buffer.alloc(4 * 1024 * 1024 + 1);
    await expect(readInput(aSource({ stdin: Readable.from([large]) }))).rejects.toMatchObject({
      code: "body_too_large",
    });
    await expect(readInput(aSource(await aFile(large)))).rejects.toMatchObject({ code: "body_too_large" });
  });
});
