import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fingerprintInput, idempotencyKeyInput, type FingerprintedEvent } from "./fingerprint.ts";

const encoder = new TextEncoder();

function anEvent(changes: Partial<FingerprintedEvent> = {}): FingerprintedEvent {
  return {
    source: "shop",
    id: "evt_1",
    type: "order.created",
    subject: null,
    contentType: "application/json",
    body: encoder.encode('{"total":42}'),
    ...changes,
  };
}

/** Bytes as text, one character per byte: lengths show as escapes. */
function bytesOf(event: FingerprintedEvent): string {
  return String.fromCharCode(...fingerprintInput(event));
}

describe("fingerprintInput", () => {
  test("is the fields, each after its length in four bytes", () => {
    expect(bytesOf(anEvent({ subject: "é" }))).toBe(
      "\0\0\0\x08event.v1\0\0\0\x04shop\0\0\0\x05evt_1\0\0\0\x0dorder.created\0\0\0\x02\xc3\xa9" +
        '\0\0\0\x10application/json\0\0\0\x0c{"total":42}',
    );
  });

  test("writes lengths above 255 with the most significant byte first", () => {
    const body = new Uint8Array(0x10203);
    const bytes = fingerprintInput(anEvent({ contentType: "a/b", body }));
    expect([...bytes.subarray(bytes.length - body.length - 4, bytes.length - body.length)]).toEqual([0, 1, 2, 3]);
  });

  test.each([
    ['{"total":42}', '{ "total" : 42 }\n'],
    ["[1,2]", "[\r\n\t1,\r\n\t2\r\n]"],
  ])("is the same for %j and %j", (one, other) => {
    expect(bytesOf(anEvent({ body: encoder.encode(one) }))).toBe(bytesOf(anEvent({ body: encoder.encode(other) })));
  });

  test.each([
    ["order of members", '{"a":1,"b":2}', '{"b":2,"a":1}'],
    ["spelling of numbers", '{"a":1.0}', '{"a":1}'],
    ["integers above 2^53", '{"a":1152921506151679042}', '{"a":1152921506151679043}'],
    ["white space inside strings", '{"a":"x y"}', '{"a":"x  y"}'],
    ["escapes", '{"a":"é"}', '{"a":"\\u00e9"}'],
    ["white space of text that is not JSON", "1 2", "12"],
  ])("tells %s apart", (_what, one, other) => {
    expect(bytesOf(anEvent({ body: encoder.encode(one) }))).not.toBe(bytesOf(anEvent({ body: encoder.encode(other) })));
  });

  test.each([
    ["a volatile member", '{"id":1,"pending":2}', '{ "id": 1, "pending": 1 }', true],
    ["a volatile member that is gone", '{"id":1,"pending":2}', '{"id":1}', true],
    ["a member inside another one", '{"id":{"pending":2}}', '{"id":{"pending":1}}', false],
    ["any other member", '{"id":1,"pending":2}', '{"id":2,"pending":2}', false],
    ["text that is not JSON", '{"pending":2', '{"pending":1', false],
  ])("of %s is the same where only volatile members differ", (_what, one, other, same) => {
    const of = (text: string) => bytesOf(anEvent({ body: encoder.encode(text), volatileMembers: ["pending"] }));
    expect(of(one) === of(other)).toBe(same);
  });

  test("leaves a body that is not JSON as it is", () => {
    const of = (text: string) =>
      bytesOf(anEvent({ contentType: "text/plain", body: encoder.encode(text), volatileMembers: ["pending"] }));
    expect(of('{"pending":2}')).not.toBe(of('{"pending":1}'));
  });

  test("tells bodies apart that are not valid UTF-8", () => {
    const bodies = [0xff, 0xfe].map((byte) => Uint8Array.of(0x7b, 0x22, byte, 0x22, 0x7d));
    expect(new Set(bodies.map((body) => bytesOf(anEvent({ body })))).size).toBe(2);
  });

  test("keeps white space of a body that does not claim to be JSON", () => {
    const texts = ["[1, 2]", "[1,2]"].map((text) =>
      bytesOf(anEvent({ contentType: "text/plain", body: encoder.encode(text) })),
    );
    expect(texts[0]).not.toBe(texts[1]);
  });

  test("is equal only for equal fields, wherever a boundary between them lies", () => {
    const text = fc.stringMatching(/^[ab]{0,3}$/);
    const event = fc.record({
      source: text,
      id: text,
      type: text,
      subject: text,
      contentType: text,
      body: text.map((value) => encoder.encode(value)),
    });
    fc.assert(
      fc.property(event, event, (one, other) => {
        const fieldsOf = (it: FingerprintedEvent): string =>
          JSON.stringify([it.source, it.id, it.type, it.subject, it.contentType, [...it.body]]);
        expect(bytesOf(one) === bytesOf(other)).toBe(fieldsOf(one) === fieldsOf(other));
      }),
    );
  });
});

describe("idempotencyKeyInput", () => {
  const delivery = { key: "shop/evt_1", endpoint: "crm", revision: 1 };
  const keyBytesOf = (changes: Partial<typeof delivery> = {}): string =>
    String.fromCharCode(...idempotencyKeyInput({ ...delivery, ...changes }));

  test("is event key and endpoint, each after its length", () => {
    expect(keyBytesOf()).toBe("\0\0\0\x0bdelivery.v1\0\0\0\x0ashop/evt_1\0\0\0\x03crm");
  });

  test("changes with the revision, but only above 1", () => {
    expect(keyBytesOf({ revision: 2 })).toBe(`${keyBytesOf()}\0\0\0\x012`);
    expect(keyBytesOf({ revision: 10 })).toBe(`${keyBytesOf()}\0\0\0\x0210`);
  });

  test("tells deliveries apart whose texts run together alike", () => {
    expect(keyBytesOf({ key: "shop/ab", endpoint: "c" })).not.toBe(keyBytesOf({ key: "shop/a", endpoint: "bc" }));
  });
});
