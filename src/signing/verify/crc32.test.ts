import { crc32 as oracle } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { crc32 } from "./crc32.ts";

test("gives the published check value", () => {
  expect(crc32(Buffer.from("123456789"))).toBe(0xcb_f4_39_26);
});

test("agrees with zlib", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => {
      expect(crc32(bytes)).toBe(oracle(bytes));
    }),
  );
});
