import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeBase64 } from "./base64.ts";

test("gives back any bytes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(decodeBase64(Buffer.from(bytes).toString("base64"))).toEqual(bytes);
    }),
  );
});

// RFC 4648 §10
test.each([
  ["", ""],
  ["Zg==", "f"],
  ["Zm8=", "fo"],
  ["Zm9v", "foo"],
  ["Zm9vYg==", "foob"],
  ["Zm9vYmE=", "fooba"],
  ["Zm9vYmFy", "foobar"],
])("decodes %j to %j", (text, decoded) => {
  expect(Buffer.from(decodeBase64(text) ?? []).toString()).toBe(decoded);
});

test.each([
  "Z",
  "Zg",
  "Zg=",
  "Zg===",
  "====",
  "Zh==",
  "Zm9=",
  "Zm 9v===",
  "Z-_v",
  "Zg==Zg==",
  "=Zg=",
  "Zm9v\n",
  "Zmé=",
])("refuses %j", (text) => {
  expect(decodeBase64(text)).toBeNull();
});

test("accepts a text only when it is the one spelling of its bytes", () => {
  const text = fc.string({ unit: fc.constantFrom(...Array.from("AZaz09+/=-")), maxLength: 12 });
  fc.assert(
    fc.property(text, (spelling) => {
      const bytes = decodeBase64(spelling);
      expect(bytes === null || Buffer.from(bytes).toString("base64") === spelling).toBe(true);
    }),
    { numRuns: 1000 },
  );
});
