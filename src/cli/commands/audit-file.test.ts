import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { describe, expect, onTestFinished, test } from "vitest";
import { createTerminal } from "../terminal.ts";
import { readChunks, withLineSink } from "./audit-file.ts";

async function aContext() {
  const cwd = await mkdtemp(join(tmpdir(), "audit-file-"));
  onTestFinished(() => rm(cwd, { recursive: true }));
  let written = "";
  const stdout = new Writable({
    write(chunk, _encoding, done) {
      written += String(chunk);
      done();
    },
  });
  const stdin = Readable.from(["from", " stdin"]);
  const terminal = createTerminal({ stdin, stdout, stderr: new Writable(), environment: {} });
  return { cwd, stdin, terminal, written: () => written };
}

async function contentOf(chunks: AsyncIterable<unknown>): Promise<string> {
  let content = "";
  for await (const chunk of chunks) content += String(chunk);
  return content;
}

describe("withLineSink", () => {
  test("writes to standard output when no file is named", async () => {
    const context = await aContext();
    expect(await withLineSink(context, undefined, async (write) => [await write("a"), await write("b")].length)).toBe(
      2,
    );
    expect(context.written()).toBe("a\nb\n");
    expect(await readdir(context.cwd)).toEqual([]);
  });

  test("makes a new file that nobody else can read", async () => {
    const context = await aContext();
    await withLineSink(context, "audit.jsonl", async (write) => {
      await write("a");
      await write("b");
    });
    const path = join(context.cwd, "audit.jsonl");
    expect(await readFile(path, "utf8")).toBe("a\nb\n");
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(context.written()).toBe("");
  });

  test("overwrites nothing, and says so before the work begins", async () => {
    const context = await aContext();
    await writeFile(join(context.cwd, "audit.jsonl"), "kept");
    const working = withLineSink(context, "audit.jsonl", () => Promise.reject(new Error("began")));
    await expect(working).rejects.toMatchObject({ code: "bad_argument", message: expect.stringContaining("already") });
    expect(await readFile(join(context.cwd, "audit.jsonl"), "utf8")).toBe("kept");
  });

  test("says why a file cannot be made", async () => {
    const working = withLineSink(await aContext(), "no/such/folder", () => Promise.resolve());
    await expect(working).rejects.toMatchObject({ code: "bad_argument", message: expect.stringContaining("ENOENT") });
  });

  test("takes back a file that was not finished", async () => {
    const context = await aContext();
    const working = withLineSink(context, "audit.jsonl", async (write) => {
      await write("a");
      throw new Error("the server left");
    });
    await expect(working).rejects.toThrow("the server left");
    expect(await readdir(context.cwd)).toEqual([]);
  });
});

describe("readChunks", () => {
  test("reads a file or standard input", async () => {
    const context = await aContext();
    await writeFile(join(context.cwd, "a.jsonl"), "from a file");
    expect(await contentOf(readChunks(context, "a.jsonl"))).toBe("from a file");
    expect(await contentOf(readChunks(context, "-"))).toBe("from stdin");
  });

  test("tells a file that is not there from one that cannot be read", async () => {
    const context = await aContext();
    await expect(contentOf(readChunks(context, "a.jsonl"))).rejects.toMatchObject({ code: "not_found" });
    await expect(contentOf(readChunks(context, "."))).rejects.toMatchObject({ code: "bad_argument" });
  });
});
