import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type FileLine, fileLines } from "./file-lines.ts";

async function* streamOf(chunks: readonly (Uint8Array | string)[]): AsyncGenerator {
  yield* chunks;
}

async function linesOf(chunks: readonly (Uint8Array | string)[]): Promise<readonly FileLine[]> {
  const lines: FileLine[] = [];
  for await (const line of fileLines(streamOf(chunks))) lines.push(line);
  return lines;
}

describe("fileLines", () => {
  test("parts at line feeds and at nothing else", async () => {
    expect(await linesOf(["a\r\n\u2028b\r\n", "\nc"])).toEqual([
      { text: "a\r", terminated: true },
      { text: "\u2028b\r", terminated: true },
      { text: "", terminated: true },
      { text: "c", terminated: false },
    ]);
    expect(await linesOf([])).toEqual([]);
    expect(await linesOf(["\n"])).toEqual([{ text: "", terminated: true }]);
  });

  test("does not depend on where the chunks are cut, not even within a character", async () => {
    const whole = Buffer.from('{"note":"€ 😀"}\nzwei\n\ndrei', "utf8");
    const expected = await linesOf([whole]);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(whole.byteLength)), async (cuts) => {
        const places = [0, ...cuts.toSorted((left, right) => left - right), whole.byteLength];
        const chunks = places.slice(1).map((end, index) => whole.subarray(places[index], end));
        expect(await linesOf(chunks)).toEqual(expected);
      }),
    );
  });

  test("does not read over bytes that are no UTF-8, or over a byte order mark", async () => {
    expect(await linesOf([Buffer.from([0x61, 0xff, 0x0a]), Buffer.from([0xe2, 0x82])])).toEqual([
      { text: null, terminated: true },
      { text: null, terminated: false },
    ]);
    expect(await linesOf(["\uFEFFa\n"])).toEqual([{ text: "\uFEFFa", terminated: true }]);
  });

  test("keeps no line longer than a mebibyte, and goes on after it", async () => {
    const piece = "x".repeat(1024 * 1024);
    expect(await linesOf([`${piece}\n`])).toEqual([{ text: piece, terminated: true }]);
    expect(await linesOf([piece, piece, piece, "y\nb\n"])).toEqual([
      { text: null, terminated: true },
      { text: "b", terminated: true },
    ]);
  });
});
