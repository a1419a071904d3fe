import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fillTemplate, lookupUrlFor } from "./lookup-url.ts";

const NAMES = { idempotencyKey: "cs1_abc", source: "shop", id: "evt/1 ü" };

describe("lookupUrlFor", () => {
  test("fills in what the delivery is called, percent-encoded", () => {
    expect(lookupUrlFor("https://pay.example/{source}/{id}?key={idempotencyKey}&again={id}", NAMES)).toBe(
      "https://pay.example/shop/evt%2F1%20%C3%BC?key=cs1_abc&again=evt%2F1%20%C3%BC",
    );
  });

  test("leaves other braces as they are", () => {
    expect(lookupUrlFor("https://pay.example/{x}/{id}", { ...NAMES, id: "1" })).toBe("https://pay.example/{x}/1");
  });

  test.each([".", ".."])("has no URL for the id %s, which would lead to another place", (id) => {
    expect(lookupUrlFor("https://pay.example/refunds/{id}", { ...NAMES, id })).toBeNull();
    expect(lookupUrlFor("https://pay.example/refunds/{id}/state", { ...NAMES, id })).toBeNull();
    expect(lookupUrlFor("https://pay.example/refunds?id={id}", { ...NAMES, id })).not.toBeNull();
    expect(lookupUrlFor("https://pay.example/refunds/{id}.json", { ...NAMES, id })).not.toBeNull();
  });

  test("never lets an id choose the host or leave the folder", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (id) => {
        const url = lookupUrlFor("https://pay.example/refunds/{id}/state", { ...NAMES, id });
        if (url === null) return;
        const { origin, pathname, search, hash } = new URL(url);
        expect([origin, search, hash]).toEqual(["https://pay.example", "", ""]);
        expect(pathname.split("/")).toHaveLength(4);
        expect(pathname.startsWith("/refunds/") && pathname.endsWith("/state")).toBe(true);
      }),
    );
  });
});

test("fillTemplate gives each name its value", () => {
  expect(fillTemplate("{id}-{source}-{idempotencyKey}-{Id}", (name) => name.toUpperCase())).toBe(
    "ID-SOURCE-IDEMPOTENCYKEY-{Id}",
  );
});
