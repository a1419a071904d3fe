import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aHead, anExport, anyEvents, aRecord } from "../../test/support/an-export.ts";
import { type FileLine, fileLines } from "./file-lines.ts";
import { type FlatLine, hashOf, lineText } from "./flat-line.ts";
import { conclude, NOTHING_READ, type Verification, verifyLine } from "./verify-chain.ts";

function verifyFile(lines: readonly FileLine[], head: string | null = null): Verification {
  return conclude(lines.reduce(verifyLine, NOTHING_READ), head);
}

function verify(lines: readonly string[], head: string | null = null): Verification {
  return verifyFile(
    lines.map((text) => ({ text, terminated: true })),
    head,
  );
}

async function verifyBytes(bytes: Uint8Array): Promise<Verification> {
  const lines: FileLine[] = [];
  async function* whole(): AsyncGenerator {
    yield bytes;
  }
  for await (const line of fileLines(whole())) lines.push(line);
  return verifyFile(lines);
}

/** The line and the problem: `2 edited`; `whole` when there is none. */
function found({ ok, firstBad }: Verification): string {
  expect(ok).toBe(firstBad === null);
  return firstBad === null ? "whole" : `${firstBad.line} ${firstBad.problem}`;
}

/** Somebody who knows how the hashes are made. */
function rehashed(line: string, changes: FlatLine): string {
  const members = { ...(JSON.parse(line) as FlatLine), ...changes }; // a line of an export
  return lineText({ ...members, hash: hashOf(members) });
}

function without<Item>(items: readonly Item[], index: number): readonly Item[] {
  return items.filter((_, place) => place !== index);
}

/** Head, three records, end. */
const { lines: LINES, summary: SUMMARY } = await anExport([
  [aRecord({ actor: "ana@example.com", note: "fine } €" }), aRecord({ actor: "bo@example.com" })],
  [aRecord({ key: "shop/evt_2" })],
]);
const { lines: OTHER_LINES } = await anExport([[aRecord()]], aHead({ namespace: "other" }));
const [HEAD = "", FIRST = "", SECOND = "", THIRD = "", END = ""] = LINES;

describe("a whole export", () => {
  test("is found whole, and its head hash is the one that was printed", () => {
    expect(verify(LINES)).toEqual({ ok: true, lines: 5, records: 3, head: SUMMARY.head, firstBad: null });
    expect(verify(LINES, SUMMARY.head).ok).toBe(true);
  });

  test("is found whole whatever its texts, also without records", async () => {
    expect(found(verify((await anExport([])).lines))).toBe("whole");
    await fc.assert(
      fc.asyncProperty(anyEvents, async (events) => {
        const { lines, summary } = await anExport(events);
        expect(await verifyBytes(Buffer.from(`${lines.join("\n")}\n`, "utf8"))).toMatchObject({
          ok: true,
          lines: lines.length,
          records: lines.length - 2,
          head: summary.head,
        });
      }),
    );
  });

  test("may lack the line feed at its very end", () => {
    const last = { text: END, terminated: false };
    const before = LINES.slice(0, -1).map((text) => ({ text, terminated: true }));
    expect(found(verifyFile([...before, last]))).toBe("whole");
  });
});

describe("the first bad line and what is wrong with it", () => {
  test.each([
    ["a changed text", LINES.with(1, FIRST.replace("ana@", "eve@")), "2 edited"],
    ["a changed hash", LINES.with(3, THIRD.replace(/"hash":"sha256:./, '"hash":"sha256:x')), "4 edited"],
    ["a member that was taken out", LINES.with(2, SECOND.replace(/"note":null,/, "")), "3 edited"],
    ["a member that is there twice", LINES.with(2, SECOND.replace("{", '{"actor":"eve",')), "3 edited"],
    ["a member that is no plain value", LINES.with(1, FIRST.replace('"note":', '"note":{},"n":')), "2 edited"],
    ["white space between tokens", LINES.with(1, FIRST.replace(":", ": ")), "2 edited"],
    ["line ends of another system", LINES.map((line) => `${line}\r`), "1 edited"],
    ["a changed head line", LINES.with(0, HEAD.replace("default", "foreign")), "1 edited"],
    ["a changed count", LINES.with(4, END.replace('"count":3', '"count":2')), "5 edited"],
    ["a line that is no JSON", LINES.with(2, "approved, honestly"), "3 not-json"],
    ["an empty line", LINES.toSpliced(2, 0, ""), "3 not-json"],
    ["JSON that is no line", LINES.with(2, '{"kind":"note"}'), "3 unknown-line"],
    ["JSON that is no object", LINES.with(2, "null"), "3 unknown-line"],
    ["a list", ["[]"], "1 unknown-line"],
    ["a later version", [rehashed(HEAD, { v: 2 }), ...LINES.slice(1)], "1 unknown-line"],
    ["no head line", without(LINES, 0), "1 out-of-sequence"],
    ["a missing record", without(LINES, 2), "3 out-of-sequence"],
    ["two records that changed places", [HEAD, SECOND, FIRST, THIRD, END], "2 out-of-sequence"],
    ["a record that is there twice", [HEAD, FIRST, FIRST, SECOND, THIRD, END], "3 out-of-sequence"],
    ["a record without a number", LINES.with(1, rehashed(FIRST, { seq: null })), "2 out-of-sequence"],
    ["a replaced record, hashed anew", LINES.with(1, rehashed(FIRST, { actor: "eve" })), "3 out-of-sequence"],
    ["a replaced last record, hashed anew", LINES.with(3, rehashed(THIRD, { actor: "eve" })), "5 out-of-sequence"],
    ["a replaced head line, hashed anew", LINES.with(0, rehashed(HEAD, { namespace: "x" })), "5 out-of-sequence"],
    ["a second head line", LINES.toSpliced(3, 0, HEAD), "4 out-of-sequence"],
    ["an end line before its place", [HEAD, FIRST, SECOND, END, THIRD], "4 out-of-sequence"],
    ["no end line", LINES.slice(0, -1), "5 truncated"],
    ["no last record", without(LINES, 3), "4 truncated"],
    ["an end line that counts more", LINES.with(4, rehashed(END, { count: 4 })), "5 truncated"],
    ["an end line without a count", LINES.with(4, rehashed(END, { count: null })), "5 truncated"],
    ["a head line alone", [HEAD], "2 truncated"],
    ["nothing at all", [], "1 truncated"],
    ["a line after the end", [...LINES, THIRD], "6 after-end"],
    ["an empty line after the end", [...LINES, ""], "6 after-end"],
    ["two exports in one file", [...LINES, ...OTHER_LINES], "6 after-end"],
  ])("of %s", (_what, lines, expected) => {
    const verification = verify(lines);
    expect(found(verification)).toBe(expected);
    expect(verification).toMatchObject({ lines: lines.length, head: null });
    expect(verification.firstBad?.sentence).toMatch(/^[A-Z].*\.$/);
  });

  test("counts the records that hold before it", () => {
    expect(verify(LINES.with(3, "x")).records).toBe(2);
  });

  test("stays the first one when more follow", () => {
    expect(found(verify(LINES.with(1, "x").with(3, "y")))).toBe("2 not-json");
    expect(found(verify([HEAD, END, "x", "y"]))).toBe("2 out-of-sequence");
  });

  test("says which record stands where which should", () => {
    expect(verify(without(LINES, 1)).firstBad?.sentence).toContain("Record 2 stands where record 1 should");
    expect(verify(without(LINES, 3)).firstBad?.sentence).toContain("closes 3 records, but 2 stand before it");
  });

  test("takes the beginning of a line for a file that was cut off, and anything else for what it is", () => {
    const ending = (text: string | null, before: readonly string[] = [HEAD]): string =>
      found(verifyFile([...before.map((line) => ({ text: line, terminated: true })), { text, terminated: false }]));
    expect(ending(FIRST.slice(0, 40))).toBe("2 truncated");
    expect(ending(null)).toBe("2 truncated");
    expect(ending(HEAD.slice(0, 5), [])).toBe("1 truncated");
    expect(ending("hello")).toBe("2 not-json");
    expect(ending(null, [])).toBe("1 not-json");
    expect(ending('{"kind":"head"}', [])).toBe("1 edited");
  });
});

describe("the head hash that was kept", () => {
  test("tells a file that was rewritten as a whole, which nothing else does", async () => {
    const rewritten = await anExport([[aRecord({ actor: "eve@example.com" })]]);
    expect(found(verify(rewritten.lines))).toBe("whole");
    expect(found(verify(rewritten.lines, SUMMARY.head))).toBe("3 other-head");
  });

  test("covers the first line too", async () => {
    const moved = await anExport([[aRecord()]], aHead({ namespace: "elsewhere" }));
    const { summary } = await anExport([[aRecord()]]);
    expect(found(verify(moved.lines, summary.head))).toBe("3 other-head");
  });

  test("does not hide an earlier fault", () => {
    expect(found(verify(LINES.with(1, "x"), SUMMARY.head))).toBe("2 not-json");
  });
});

describe("whatever happens to one export", () => {
  const place = fc.nat();

  test("one changed character is found in its line and as what it is", async () => {
    await fc.assert(
      fc.asyncProperty(
        anyEvents,
        place,
        place,
        fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
        async (events, lineSeed, characterSeed, character) => {
          const { lines } = await anExport(events);
          const index = lineSeed % lines.length;
          const line = lines[index] ?? "";
          const spot = characterSeed % line.length;
          const changed = `${line.slice(0, spot)}${character}${line.slice(spot + 1)}`;
          fc.pre(changed !== line && character !== "\n");
          expect(found(verify(lines.with(index, changed)))).toBe(`${index + 1} ${natureOf(changed)}`);
        },
      ),
      { numRuns: 300 },
    );
  });

  test("a line that was taken out is found where it stood", async () => {
    await fc.assert(
      fc.asyncProperty(anyEvents, place, async (events, seed) => {
        const { lines } = await anExport(events);
        const [index, last] = [seed % lines.length, lines.length - 1];
        const isLastRecord = index === last - 1 && index > 0;
        const problem = index === last || isLastRecord ? "truncated" : "out-of-sequence";
        expect(found(verify(without(lines, index)))).toBe(`${index + 1} ${problem}`);
      }),
    );
  });

  test("two lines that changed places are found at the first of them", async () => {
    await fc.assert(
      fc.asyncProperty(anyEvents, place, place, async (events, oneSeed, otherSeed) => {
        const { lines } = await anExport(events);
        const [first, second] = [oneSeed % lines.length, otherSeed % lines.length];
        fc.pre(first < second);
        const swapped = lines.with(first, lines[second] ?? "").with(second, lines[first] ?? "");
        expect(found(verify(swapped))).toBe(`${first + 1} out-of-sequence`);
      }),
    );
  });

  test("a line that stands there twice is found the second time", async () => {
    await fc.assert(
      fc.asyncProperty(anyEvents, place, async (events, seed) => {
        const { lines } = await anExport(events);
        const index = seed % lines.length;
        const problem = index === lines.length - 1 ? "after-end" : "out-of-sequence";
        expect(found(verify(lines.toSpliced(index, 0, lines[index] ?? "")))).toBe(`${index + 2} ${problem}`);
      }),
    );
  });

  test("a record replaced by a well-hashed one is found at the line that hangs on it", async () => {
    await fc.assert(
      fc.asyncProperty(anyEvents, place, async (events, seed) => {
        const { lines } = await anExport(events);
        fc.pre(lines.length > 2);
        const index = 1 + (seed % (lines.length - 2));
        const replaced = lines.with(index, rehashed(lines[index] ?? "", { actor: "\u0001 nobody of the arbitrary" }));
        expect(found(verify(replaced))).toBe(`${index + 2} out-of-sequence`);
      }),
    );
  });

  test("a cut at any byte is found as a truncation, at the line that is not whole or not there", async () => {
    await fc.assert(
      fc.asyncProperty(anyEvents, place, async (events, seed) => {
        const whole = Buffer.from(`${(await anExport(events)).lines.join("\n")}\n`, "utf8");
        const rest = whole.subarray(0, seed % (whole.byteLength - 1));
        const wholeLines = rest.filter((byte) => byte === 0x0a).byteLength;
        // A line that lacks nothing but its line feed is whole: then the next one is missing.
        const isWhole = rest.byteLength > 0 && rest.at(-1) !== 0x0a && whole[rest.byteLength] === 0x0a;
        expect(found(await verifyBytes(rest))).toBe(`${wholeLines + (isWhole ? 2 : 1)} truncated`);
      }),
      { numRuns: 300 },
    );
  });

  test("garbage is refused, never thrown over", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
        expect((await verifyBytes(bytes)).ok).toBe(false);
      }),
    );
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.json(), fc.constantFrom(...LINES, "{".repeat(100_000), "[".repeat(100_000)))),
        (lines) => {
          const verification = verify(lines);
          expect(verification.ok).toBe(lines.join("\n") === LINES.join("\n"));
        },
      ),
    );
    fc.assert(
      fc.property(
        fc.constantFrom("head", "record", "end"),
        fc.dictionary(fc.string(), fc.jsonValue()),
        (kind, members) => {
          expect(verify([HEAD, JSON.stringify({ ...members, kind })]).firstBad?.problem).toBe("edited");
        },
      ),
    );
  });
});

/** What a changed line is by itself, told independently of the code under test. */
function natureOf(line: string): string {
  let members: unknown;
  try {
    members = JSON.parse(line);
  } catch {
    return "not-json";
  }
  const { kind } = members as { readonly kind?: unknown }; // one character does not turn an object into something else
  return kind === "head" || kind === "record" || kind === "end" ? "edited" : "unknown-line";
}
