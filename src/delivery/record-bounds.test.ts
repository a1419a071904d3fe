import { describe, expect, test } from "vitest";
import { recorded } from "./record-bounds.ts";

interface Entry {
  readonly at: string;
  readonly counted: boolean;
  readonly text: string;
}

const cut = (entry: Entry, maxLength: number): Entry => ({ ...entry, text: entry.text.slice(0, maxLength) });

function flood(count: number, make: (index: number) => Partial<Entry>): readonly Entry[] {
  let entries: readonly Entry[] = [];
  for (let index = 0; index < count; index += 1) {
    const at = String(index).padStart(6, "0");
    entries = recorded(entries, { at, counted: true, text: "x".repeat(2000), ...make(index) }, cut);
  }
  return entries;
}

describe("what people say", () => {
  test("is kept whole, in order of time, whatever the order in which it was judged", () => {
    const said = flood(3, (index) => ({ at: ["b", "c", "a"][index] ?? "", text: String(index) }));
    expect(said.map(({ at, text }) => `${at}${text}`)).toEqual(["a2", "b0", "c1"]);
  });

  test("stays bounded however often it is said", () => {
    const counted = flood(5000, () => ({}));
    expect(counted).toHaveLength(400);
    expect(counted.filter(({ text }) => text.length === 2000)).toHaveLength(50);
    expect(JSON.stringify(counted).length).toBeLessThan(300_000);
  });

  test("is cut where it did not count, and leaves room for what does", () => {
    const refused = flood(5000, (index) => ({ counted: index >= 4999 }));
    expect(refused).toHaveLength(101);
    expect(refused.filter(({ counted }) => !counted).every(({ text }) => text.length === 200)).toBe(true);
    expect(refused.at(-1)).toMatchObject({ counted: true, text: "x".repeat(2000) });
  });
});
