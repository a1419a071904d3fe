import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createBodyMemory } from "./body-memory.ts";

const body = (text: string) => Buffer.from(text);

describe("the memory of bodies", () => {
  test("tells the first id of a body that comes under another one", () => {
    const memory = createBodyMemory();
    const seen = (id: string, text: string, source = "github") => memory.otherIdOf({ source, id, body: body(text) });
    expect(seen("g1", "{}")).toBeNull();
    expect(seen("g1", "{}")).toBeNull();
    expect(seen("g2", "{}")).toBe("g1");
    expect(seen("g1", "{}")).toBeNull();
    expect(seen("g2", "{ }")).toBeNull();
    expect(seen("g3", "{}", "shopify")).toBeNull();
  });

  test("forgets the body that has not come for longest, of each source by itself", () => {
    const memory = createBodyMemory(2);
    const seen = (id: string, text: string, source = "a") => memory.otherIdOf({ source, id, body: body(text) });
    for (const text of ["1", "2", "1", "3"]) seen("first", text);
    seen("first", "2", "b");
    expect(seen("second", "1")).toBe("first");
    expect(seen("second", "2")).toBeNull();
    expect(seen("second", "2", "b")).toBe("first");
  });

  test("never says more than it has seen, whatever comes in which order", () => {
    const sighting = fc.tuple(
      fc.constantFrom("a", "b"),
      fc.constantFrom("1", "2", "3"),
      fc.constantFrom("x", "y", "z"),
    );
    fc.assert(
      fc.property(fc.array(sighting), fc.integer({ min: 1, max: 3 }), (sightings, maxBodies) => {
        const memory = createBodyMemory(maxBodies);
        const seen = new Set<string>();
        for (const [source, id, text] of sightings) {
          const other = memory.otherIdOf({ source, id, body: body(text) });
          if (other !== null) expect([other === id, seen.has(`${source} ${other} ${text}`)]).toEqual([false, true]);
          seen.add(`${source} ${id} ${text}`);
        }
      }),
    );
  });
});
