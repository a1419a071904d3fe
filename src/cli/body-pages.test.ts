import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bodyPages, PAGE_BYTES } from "./body-pages.ts";

const text = (body: string) => bodyPages({ body });
const base64 = (bytes: Uint8Array) => bodyPages({ body_base64: Buffer.from(bytes).toString("base64") });

describe("bodyPages", () => {
  test("are one page up to 64 KiB, of text and of bytes", () => {
    expect(text("x".repeat(PAGE_BYTES))).toHaveLength(1);
    expect(text("x".repeat(PAGE_BYTES + 1))).toHaveLength(2);
    expect(text("")).toEqual([{ lines: [""], spelled: false }]);
    expect(base64(new Uint8Array(PAGE_BYTES))).toHaveLength(1);
    expect(base64(new Uint8Array(PAGE_BYTES + 1))).toHaveLength(2);
    expect(base64(new Uint8Array(0))).toEqual([{ lines: [""], spelled: false }]);
  });

  test("are five for 300 KiB", () => {
    expect(text("x".repeat(300 * 1024))).toHaveLength(5);
    expect(base64(new Uint8Array(300 * 1024))).toHaveLength(5);
  });

  test("never lose or repeat a character, wherever they are cut", () => {
    for (const character of ["é", "注", "🙂"]) {
      for (const shift of [0, 1, 2, 3]) {
        const body = `${"x".repeat(shift)}${character.repeat(2 * PAGE_BYTES)}\n`;
        const pages = text(body);
        expect(pages.map(({ lines }) => lines.join("\n")).join("")).toBe(body);
        for (const { lines } of pages) expect(Buffer.byteLength(lines.join("\n"))).toBeLessThanOrEqual(PAGE_BYTES);
      }
    }
  });

  test("of text read together are the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme-ascii" }), (body) => {
        expect(
          text(body)
            .flatMap(({ lines }) => lines)
            .join("\n"),
        ).toBe(body);
      }),
    );
  });

  test("of bytes read together are their base64, in lines of 76", () => {
    const bytes = Buffer.alloc(200_000, "abc");
    const lines = base64(bytes).flatMap((page) => page.lines);
    expect(Math.max(...lines.map(({ length }) => length))).toBe(76);
    expect(Buffer.from(lines.join(""), "base64").equals(bytes)).toBe(true);
  });

  test("say where a character stands for another", () => {
    expect(text("a\u202eb")).toEqual([{ lines: ["a‹U+202E›b"], spelled: true }]);
  });

  test("are none where the body is not at hand", () => {
    expect(bodyPages({ bodyOmitted: true })).toEqual([]);
  });
});
