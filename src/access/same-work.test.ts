/** Time is no assertion on a shared machine; the work it takes is. */
import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { afterAll, beforeEach, expect, test, vi } from "vitest";
import { anApiKey } from "../../test/support/an-api-key.ts";
import { authenticate } from "./authenticate.ts";

/** The real ones, watched; every module that imports them by name gets these. */
const hashes = vi.spyOn(crypto, "createHash");
const comparisons = vi.spyOn(crypto, "timingSafeEqual");
syncBuiltinESMExports();

afterAll(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});
beforeEach(() => void vi.clearAllMocks());

const { text, key } = anApiKey();
const { text: stranger } = anApiKey();
const expired = anApiKey({ expiresAtMs: 0 });

test.each([
  ["a good key", text],
  ["a wrong secret", text.slice(0, -43) + stranger.slice(-43)],
  ["an unknown id", stranger],
  ["an expired key", expired.text],
])("%s costs one hash and one comparison in constant time", (_what, presented) => {
  authenticate([key, expired.key], `Bearer ${presented}`, 1);
  expect(hashes.mock.calls.map(([algorithm]) => algorithm)).toEqual(["sha256"]);
  expect(comparisons.mock.calls.map((sides) => sides.map(({ byteLength }) => byteLength))).toEqual([[71, 71]]);
});
