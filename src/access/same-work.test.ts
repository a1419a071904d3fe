/** Time is no assertion on a shared machine; the work it takes is. */
import type * as Crypto from "node:crypto";
import { beforeEach, expect, test, vi } from "vitest";
import { anApiKey } from "../../test/support/an-api-key.ts";
import { authenticate } from "./authenticate.ts";

const work = vi.hoisted((): string[] => []);

/** The real ones, written down. */
vi.mock("node:crypto", async (original) => {
  const crypto = await original<typeof Crypto>();
  return {
    ...crypto,
    createHash(algorithm: string) {
      work.push(algorithm);
      return crypto.createHash(algorithm);
    },
    timingSafeEqual(left: Buffer, right: Buffer) {
      work.push(`compare ${left.byteLength} with ${right.byteLength}`);
      return crypto.timingSafeEqual(left, right);
    },
  };
});

const { text, key } = anApiKey();
const { text: stranger } = anApiKey();
const expired = anApiKey({ expiresAtMs: 0 });

beforeEach(() => void work.splice(0));

test.each([
  ["a good key", text],
  ["a wrong secret", text.slice(0, -43) + stranger.slice(-43)],
  ["an unknown id", stranger],
  ["an expired key", expired.text],
])("%s costs one hash and one comparison in constant time", (_what, presented) => {
  authenticate([key, expired.key], `Bearer ${presented}`, 1);
  expect(work).toEqual(["sha256", "compare 71 with 71"]);
});
