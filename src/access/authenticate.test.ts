import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anApiKey } from "../../test/support/an-api-key.ts";
import { authenticate, isExpired } from "./authenticate.ts";
import { formatKey, readKey } from "./key-text.ts";

const NOW_MS = Date.UTC(2026, 10, 29);
const { text: SHOP_TEXT, key: SHOP } = anApiKey();
const { text: ANA_TEXT, key: ANA } = anApiKey({ role: "approver", person: "ana@example.com" });
const KEYS = [SHOP, ANA];

describe("authenticate", () => {
  test.each([`Bearer ${SHOP_TEXT}`, `bearer ${SHOP_TEXT}`, `BEARER   ${SHOP_TEXT} `])(
    "finds the key of %j",
    (authorization) => {
      expect(authenticate(KEYS, authorization, NOW_MS)).toEqual({ ok: true, key: SHOP });
    },
  );

  test("finds each of several keys, and none of them once its entry is gone", () => {
    expect(authenticate(KEYS, `Bearer ${ANA_TEXT}`, NOW_MS)).toEqual({ ok: true, key: ANA });
    const gone = { ok: false, because: "unknown", keyId: ANA.id };
    expect(authenticate([SHOP], `Bearer ${ANA_TEXT}`, NOW_MS)).toEqual(gone);
    expect(authenticate([], `Bearer ${ANA_TEXT}`, NOW_MS)).toEqual(gone);
  });

  test("gives a wrong secret and an unknown id the same answer", () => {
    const { id = "", secret = "" } = readKey(SHOP_TEXT) ?? {};
    const wrong = formatKey({ id, secret: readKey(ANA_TEXT)?.secret ?? "" });
    expect(authenticate(KEYS, `Bearer ${wrong}`, NOW_MS)).toEqual({ ok: false, because: "unknown", keyId: id });
    const other = formatKey({ id: "nobody", secret });
    expect(authenticate(KEYS, `Bearer ${other}`, NOW_MS)).toEqual({ ok: false, because: "unknown", keyId: "nobody" });
  });

  test.each([undefined, null, "", "  "])("says that %j holds no key", (authorization) => {
    expect(authenticate(KEYS, authorization, NOW_MS)).toEqual({ ok: false, because: "missing", keyId: null });
  });

  test.each([
    SHOP_TEXT,
    "Bearer",
    "Bearer ",
    `Basic ${SHOP_TEXT}`,
    `Bearer${SHOP_TEXT}`,
    `Bearer ${SHOP_TEXT} x`,
    `Bearer ${SHOP_TEXT}, Bearer ${SHOP_TEXT}`,
    `Bearer "${SHOP_TEXT}"`,
    `Bearer ${SHOP_TEXT.slice(0, -1)}`,
    "Bearer eyJhbGciOiJIUzI1NiJ9.e30.x",
  ])("says that %j has not the form of a key", (authorization) => {
    expect(authenticate(KEYS, authorization, NOW_MS)).toEqual({ ok: false, because: "malformed", keyId: null });
  });

  test("refuses a key from the moment it expires, and tells only who has its secret", () => {
    const { text, key } = anApiKey({ expiresAtMs: NOW_MS });
    expect(authenticate([key], `Bearer ${text}`, NOW_MS - 1)).toEqual({ ok: true, key });
    expect(authenticate([key], `Bearer ${text}`, NOW_MS)).toEqual({ ok: false, because: "expired", keyId: key.id });
    const guess = formatKey({ id: key.id, secret: "A".repeat(43) });
    expect(authenticate([key], `Bearer ${guess}`, NOW_MS)).toMatchObject({ because: "unknown" });
  });

  test("knows both keys of a rotation while they overlap", () => {
    const [old, young] = [anApiKey({ expiresAtMs: NOW_MS }), anApiKey()];
    const judge = (text: string, nowMs: number) => authenticate([old.key, young.key], `Bearer ${text}`, nowMs).ok;
    expect([judge(old.text, NOW_MS - 1), judge(young.text, NOW_MS - 1)]).toEqual([true, true]);
    expect([judge(old.text, NOW_MS), judge(young.text, NOW_MS)]).toEqual([false, true]);
  });

  test("lets no text in but the key itself, whichever character is changed", () => {
    const change = fc.tuple(fc.nat(SHOP_TEXT.length - 1), fc.string({ maxLength: 2 }));
    fc.assert(
      fc.property(change, ([at, by]) => {
        const text = SHOP_TEXT.slice(0, at) + by + SHOP_TEXT.slice(at + 1);
        // What is not the key may still be the key and a space.
        expect(authenticate(KEYS, `Bearer ${text}`, NOW_MS).ok).toBe(text.trim() === SHOP_TEXT);
      }),
    );
  });

  test("lets nobody in who only knows what the configuration holds", () => {
    for (const secret of [SHOP.hash, SHOP.hash.slice(7), SHOP.id, "0".repeat(64), "0".repeat(43)])
      expect(authenticate(KEYS, `Bearer csk_${SHOP.id}_${secret}`, NOW_MS).ok).toBe(false);
  });

  test("never throws, and never says a secret", () => {
    const header = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string({ unit: "binary" }).map((text) => `Bearer ${text}`),
      fc.stringMatching(/^[\w-]{43}$/).map((secret) => `Bearer csk_${SHOP.id}_${secret}`),
    );
    fc.assert(
      fc.property(header, (authorization) => {
        const answer = authenticate(KEYS, authorization, NOW_MS);
        expect(answer.ok).toBe(false);
        expect(JSON.stringify(answer).length).toBeLessThan(100);
      }),
    );
  });
});

test("isExpired is never true of a key without an expiry", () => {
  expect(isExpired({ expiresAtMs: null }, Number.MAX_SAFE_INTEGER)).toBe(false);
});
