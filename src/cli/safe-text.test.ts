import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { safeLines, safeText, shellWord, spelledText } from "./safe-text.ts";

describe("safeText", () => {
  test("keeps letters of every script and replaces what hides or moves", () => {
    expect(safeText("Größe 注文 🙂")).toBe("Größe 注文 🙂");
    expect(safeText("a\u001b[2Jb\u202ec\n\u200bd\ud800")).toBe("a?[2Jb?c??d?");
  });

  test("leaves nothing a terminal would obey", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => !/[\p{Cc}]/u.test(safeText(text))));
  });
});

describe("safeLines", () => {
  test("keeps line ends and tabs", () => {
    expect(safeLines("a\r\n\tb\u0007")).toBe("a\n\tb?");
  });
});

describe("spelledText", () => {
  test("spells out what hides or moves, and leaves tabs and line feeds", () => {
    expect(spelledText("Größe\t注文 🙂\n")).toBe("Größe\t注文 🙂\n");
    expect(spelledText("a\u202eb\r\n\u001b[2J\u200b\ufe0f\u{e0041}")).toBe(
      "a‹U+202E›b‹U+000D›\n‹U+001B›[2J‹U+200B›‹U+FE0F›‹U+E0041›",
    );
  });

  test("loses nothing: two texts show alike only if one of them holds such a spelling", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "\u202e", "\u0007", "\t", "\n", "é") });
    fc.assert(fc.property(text, text, (one, other) => one === other || spelledText(one) !== spelledText(other)));
  });

  test("leaves nothing a terminal would obey but tabs and line feeds", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => !/(?![\t\n])[\p{Cc}\p{Cf}]/u.test(spelledText(text))),
    );
  });
});

describe("shellWord", () => {
  test("quotes only what needs it", () => {
    expect(shellWord("shop/evt_1")).toBe("shop/evt_1");
    expect(shellWord("shop/a b")).toBe("'shop/a b'");
  });

  test("is read back by a shell as it was", () => {
    const words = ["shop/it's", "$(id)", 'a"b`c`', "*", ""];
    const printed = execFileSync("/bin/sh", ["-c", `printf '%s\\n' ${words.map(shellWord).join(" ")}`]);
    expect(printed.toString()).toBe(`${words.join("\n")}\n`);
  });
});
