import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bodyOf } from "../delivery/body.ts";
import { CountersignError } from "../errors.ts";
import { checkBody, eventFromBody, readEvent, type BodyWithEnvelope } from "./read-event.ts";

const LIMIT = { maxBodyBytes: 1024 * 1024 };
const HEAD = '"source":"shop","id":"evt_1","type":"order.created"';
const bytes = (text: string) => new Uint8Array(Buffer.from(text));
const base64 = (text: string) => Buffer.from(text).toString("base64");
const read = (text: string, limit = LIMIT) => readEvent(bytes(text), limit);
const envelope = (body: Uint8Array, rest: Partial<BodyWithEnvelope> = {}): BodyWithEnvelope => ({
  source: "shop",
  id: "evt_1",
  type: "t",
  body,
  ...rest,
});

function refusal(run: () => unknown): CountersignError {
  try {
    run();
  } catch (error) {
    if (error instanceof CountersignError) return error;
    throw error;
  }
  throw new Error("It was accepted.");
}

/** JSON texts as people and machines write them: spaces, large numbers, escapes, numeric names. */
const jsonText = fc.letrec<{ text: string; value: string; space: string }>((tie) => ({
  space: fc.constantFrom("", "", " ", "\n\t"),
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(
      "1",
      "-0",
      "1e400",
      "12345678901234567890",
      "1.0",
      "1E2",
      "true",
      "null",
      '"\\u00e9"',
      '"é😀"',
      '"\u2028"',
      '"\\ud800"',
      '"\\/"',
    ),
    fc.string({ unit: "grapheme" }).map((text) => JSON.stringify(text)),
    fc.array(tie("text"), { maxLength: 3 }).map((items) => `[${items.join(",")}]`),
    fc
      .uniqueArray(fc.tuple(fc.constantFrom("b", "a", "10", "9", "__proto__", "data", "x y"), tie("text")), {
        maxLength: 4,
        selector: ([name]) => name,
      })
      .map((members) => `{${members.map(([name, value]) => `"${name}":${value}`).join(",")}}`),
  ),
  text: fc.tuple(tie("space"), tie("value"), tie("space")).map((parts) => parts.join("")),
})).text;

describe("readEvent", () => {
  test("delivers the very bytes of data", () => {
    fc.assert(
      fc.property(jsonText, fc.constantFrom("", ',"datacontenttype":"application/vnd.x+json"'), (text, contentType) => {
        const event = read(` {${HEAD}${contentType} ,\n"data":${text},"subject":"x"} `);
        expect(Buffer.from(bodyOf(event).bytes).toString()).toBe(text.trim());
        // What travels through Temporal is JSON once more.
        expect(bodyOf(JSON.parse(JSON.stringify(event)))).toEqual(bodyOf(event));
      }),
      { numRuns: 500 },
    );
  });

  test("keeps data readable when writing it gives the same text, and carries bytes when it does not", () => {
    expect(read(`{${HEAD},"data":{"total":42}}`)).toEqual({
      source: "shop",
      id: "evt_1",
      type: "order.created",
      data: { total: 42 },
    });
    expect(read(`{${HEAD},"data":{"total": 42}}`)).toEqual({
      source: "shop",
      id: "evt_1",
      type: "order.created",
      data_base64: base64('{"total": 42}'),
    });
    expect(read(`{${HEAD},"data":null}`)).toMatchObject({ data: null });
    expect(read(`{${HEAD}}`)).not.toHaveProperty("data_base64");
  });

  test("accepts deep nesting up to its limit, and brackets in strings however many", () => {
    const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
    expect(bodyOf(read(`{${HEAD},"data":${nested(999)}}`)).bytes).toHaveLength(1998);
    expect(refusal(() => read(`{${HEAD},"data":${nested(1000)}}`)).message).toBe(
      "The event is nested deeper than 1000 levels.",
    );
    expect(bodyOf(read(`{${HEAD},"data":"${'\\"[\\\\'.repeat(2000)}"}`)).bytes).toHaveLength(2 + 5 * 2000);
  });

  test("leaves text under another content type alone, however it was escaped", () => {
    expect(read(`{${HEAD},"datacontenttype":"text/plain","data":"\\u00e9"}`)).toMatchObject({ data: "é" });
  });

  test.each([
    ["", "invalid_json", "The event is not valid JSON."],
    ["{", "invalid_json", /^The event is not valid JSON( \(character 2\))?\.$/],
    [`\ufeff{${HEAD}}`, "invalid_json", "The event starts with a byte order mark; write it without one."],
    [`{${HEAD},"id":"evt_2"}`, "duplicate_member", "The event holds the member id more than once."],
    [
      `{${HEAD},"data":{"a":[{"b":1,"\\u0062":2}]}}`,
      "duplicate_member",
      "The event holds the member data.a[0].b more than once.",
    ],
    [
      `{${HEAD},"data_base64":"${base64('{"a":1,"a":2}')}"}`,
      "duplicate_member",
      'Event member "data_base64" holds the member a more than once.',
    ],
    [`{${HEAD},"data_base64":"${base64("{")}"}`, "invalid_json", /^Event member "data_base64" is not valid JSON/],
    [
      `{${HEAD},"data_base64":"/w=="}`,
      "invalid_json",
      'Event member "data_base64" is not valid UTF-8, as JSON must be.',
    ],
    [
      `{${HEAD},"data_base64":"${base64("[".repeat(1100) + "]".repeat(1100))}"}`,
      "bad_event",
      'Event member "data_base64" is nested deeper than 1000 levels.',
    ],
    ["[]", "bad_event", /^An event is a JSON object/],
    [`{"source":"shop","id":"","type":"t"}`, "bad_id", /^Event member "id" is empty/],
  ])("refuses %j as %s", (text, code, message) => {
    const error = refusal(() => read(text));
    expect(error.code).toBe(code);
    if (typeof message === "string") expect(error.message).toBe(message);
    else expect(error.message).toMatch(message);
  });

  test("names the path of a repeated member for programs too", () => {
    expect(refusal(() => read(`{${HEAD},"data":{"a":1,"a":2}}`)).details).toEqual({ path: "data.a" });
  });

  test("refuses bytes that are not UTF-8", () => {
    const error = refusal(() => readEvent(Uint8Array.of(0x7b, 0xff, 0x7d), LIMIT));
    expect(error).toMatchObject({ code: "invalid_json", message: "The event is not valid UTF-8, as JSON must be." });
  });

  test("accepts bytes of any other content type unread", () => {
    const event = read(`{${HEAD},"datacontenttype":"application/octet-stream","data_base64":"/w=="}`);
    expect(bodyOf(event)).toEqual({ contentType: "application/octet-stream", bytes: Uint8Array.of(0xff) });
  });

  test("counts the bytes that are delivered, and names both numbers", () => {
    const atLimit = `"${"é".repeat(4)}"`;
    expect(read(`{${HEAD},"data":${atLimit}}`, { maxBodyBytes: 10 })).toMatchObject({ data: "éééé" });
    const error = refusal(() => read(`{${HEAD},"data":${atLimit}}`, { maxBodyBytes: 9 }));
    expect(error).toMatchObject({
      code: "body_too_large",
      message: "The body has 10 bytes; accepted are at most 9.",
      details: { bodyBytes: 10, maxBodyBytes: 9 },
    });
    expect(
      refusal(() => read(`{${HEAD},"datacontenttype":"a/b","data_base64":"AAAA"}`, { maxBodyBytes: 2 })).code,
    ).toBe("body_too_large");
  });

  test("never quotes the input when it is no JSON, nor throws anything else", () => {
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array(), fc.string({ unit: "binary" }).map(bytes)), (input) => {
        const marked = new Uint8Array([...bytes("s3cr3t"), ...input]);
        const error = refusal(() => readEvent(marked, LIMIT));
        expect(error.code).toBe("invalid_json");
        expect(error.message).not.toContain("s3cr3t");
      }),
    );
  });
});

describe("eventFromBody", () => {
  test("delivers the very bytes of a JSON body", () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        const event = eventFromBody(envelope(bytes(text)));
        expect(Buffer.from(bodyOf(event).bytes).toString()).toBe(text);
      }),
    );
  });

  test("delivers the very bytes of any other body", () => {
    const body = fc.oneof(
      fc.uint8Array({ maxLength: 50 }),
      fc.string({ unit: "binary" }).map(bytes),
      fc.string({ unit: "grapheme" }).map((text) => bytes(`\ufeff${text}`)),
    );
    fc.assert(
      fc.property(
        body,
        fc.constantFrom("text/plain", "application/x-www-form-urlencoded", "application/octet-stream"),
        (input, contentType) => {
          const event = eventFromBody(envelope(input, { contentType }));
          expect(bodyOf(event)).toEqual({ contentType, bytes: input });
          expect(bodyOf(JSON.parse(JSON.stringify(event)))).toEqual(bodyOf(event));
        },
      ),
    );
  });

  test("carries what can be read as data and the rest as base64", () => {
    expect(eventFromBody(envelope(bytes('{"a":1}')))).toEqual({
      source: "shop",
      id: "evt_1",
      type: "t",
      data: { a: 1 },
    });
    expect(eventFromBody(envelope(bytes('{"a": 1}')))).toMatchObject({ data_base64: base64('{"a": 1}') });
    expect(
      eventFromBody(envelope(bytes("a=1&a=2"), { contentType: "application/x-www-form-urlencoded" })),
    ).toMatchObject({ data: "a=1&a=2" });
    expect(eventFromBody(envelope(Uint8Array.of(0xff), { contentType: "text/plain" }))).toMatchObject({
      data_base64: "/w==",
    });
  });

  test("carries text in the shorter of its two spellings", () => {
    const asText = (text: string) => eventFromBody(envelope(bytes(text), { contentType: "text/plain" }));
    expect(asText('"')).toMatchObject({ data: '"' }); // four bytes either way
    expect(asText("\u0001\u0001")).toMatchObject({ data_base64: base64("\u0001\u0001") });
    const large = asText("\u0000".repeat(1024 * 1024));
    expect(Buffer.byteLength(JSON.stringify(large))).toBeLessThan(1.5 * 1024 * 1024);
  });

  test("keeps the attributes, and makes no data of an empty body", () => {
    const event = eventFromBody(
      envelope(bytes(""), {
        subject: "x",
        time: "2026-11-29T10:00:00Z",
        contentType: "application/json",
        synthetic: true,
      }),
    );
    expect(event).toEqual({
      source: "shop",
      id: "evt_1",
      type: "t",
      subject: "x",
      time: "2026-11-29T10:00:00Z",
      datacontenttype: "application/json",
      synthetic: true,
    });
  });

  test.each([
    ["{", "invalid_json"],
    ["\ufeff{}", "invalid_json"],
    ['{"a":1,"a":2}', "duplicate_member"],
    ["[".repeat(1100) + "]".repeat(1100), "bad_event"],
  ])("refuses the JSON body %j as %s", (text, code) => {
    expect(refusal(() => eventFromBody(envelope(bytes(text)))).code).toBe(code);
  });

  test("refuses a bad id, and a body over the limit before it is read", () => {
    expect(refusal(() => eventFromBody(envelope(bytes("1"), { id: "a\nb" }))).code).toBe("bad_id");
    expect(refusal(() => eventFromBody(envelope(new Uint8Array(1024 * 1024 + 1)))).message).toBe(
      "The body has 1048577 bytes; accepted are at most 1048576.",
    );
    expect(refusal(() => eventFromBody(envelope(bytes("{{{{")), { maxBodyBytes: 3 })).code).toBe("body_too_large");
  });
});

describe("checkBody", () => {
  test("returns the very event when nothing is wrong with its body", () => {
    const event = { source: "shop", id: "1", type: "t", data_base64: base64("{ }") };
    expect(checkBody(event, LIMIT)).toBe(event);
    expect(checkBody({ ...event, data_base64: "" }, LIMIT).data_base64).toBe("");
  });
});
