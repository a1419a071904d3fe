import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CountersignError } from "../errors.ts";
import { parseEvent } from "./parse-event.ts";

const minimal = { source: "shop", id: "evt_1", type: "order.created" };

const full = {
  ...minimal,
  time: "2026-11-29T10:00:00.123Z",
  subject: "order 42",
  datacontenttype: "application/json; charset=utf-8",
  data: { total: 42, note: null },
  specversion: "1.0",
  requestedBy: "ana@example.com",
  evidence: [{ title: "Ticket", url: "https://tickets.example/7", text: "line 1\nline 2" }, { title: "Call" }],
  traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  synthetic: false,
};

function refusalOf(value: unknown): CountersignError {
  try {
    parseEvent(value);
  } catch (error) {
    if (error instanceof CountersignError) return error;
    throw error;
  }
  throw new Error("the event was accepted");
}

describe("parseEvent", () => {
  test("takes three members for a whole event, and every other member besides", () => {
    expect(parseEvent(minimal)).toEqual(minimal);
    expect(parseEvent(full)).toEqual(full);
  });

  test("drops members that an event does not have, also inside evidence", () => {
    const evidence = [{ title: "Ticket", severity: 1 }];
    const extended = { ...minimal, v: 1, plan: {}, comexampleextension: "x", evidence };
    expect(parseEvent(extended)).toEqual({ ...minimal, evidence: [{ title: "Ticket" }] });
  });

  test("takes undefined and null for absent, save that null is data", () => {
    const sparse = {
      ...minimal,
      time: null,
      subject: undefined,
      data_base64: null,
      synthetic: null,
      data: null,
    };
    const event = parseEvent(sparse);
    expect(event).toEqual({ ...minimal, data: null });
    expect(Object.keys(event)).not.toContain("subject");
    expect(parseEvent({ ...minimal, data: undefined })).toEqual(minimal);
  });

  test.each([0, false, "", [], "text", { a: [1] }])("takes %j as data", (data) => {
    expect(parseEvent({ ...minimal, data }).data).toEqual(data);
  });

  test.each(["", "eyJhIjoxfQ==", "AA==", "AAA=", "AAAA", "+/+/"])("takes %j as data_base64", (data_base64) => {
    expect(parseEvent({ ...minimal, data_base64 }).data_base64).toBe(data_base64);
  });

  test("takes text as data of another content type", () => {
    const event = {
      ...minimal,
      datacontenttype: "application/x-www-form-urlencoded",
      data: "payload=%7B%22a%22%3A1%7D",
    };
    expect(parseEvent(event)).toEqual(event);
  });

  test.each([
    "2026-11-29T10:00:00Z",
    "2026-11-29t10:00:00z",
    "2026-11-29T10:00:00.123456789+05:30",
    "2024-02-29T00:00:00-00:00",
    "2016-12-31T23:59:60Z",
  ])("takes %s as time", (time) => {
    expect(parseEvent({ ...minimal, time }).time).toBe(time);
  });

  test.each(["https://shop.example/orders", "urn:uuid:1", "shop", "a".repeat(200)])("takes %s as source", (source) => {
    expect(parseEvent({ ...minimal, source }).source).toBe(source);
  });

  test("takes the trace context of a later version with fields of its own", () => {
    const traceparent = `${full.traceparent.replace(/^00/, "01")}-new`;
    expect(parseEvent({ ...minimal, traceparent }).traceparent).toBe(traceparent);
  });

  test.each([null, undefined, 1, "event", true, [], [minimal]])("refuses %j, which is no object", (value) => {
    expect(refusalOf(value)).toMatchObject({
      code: "bad_event",
      message: "An event is a JSON object with at least source, id and type.",
    });
  });

  test.each<[string, unknown, string]>([
    ["source", undefined, "is missing"],
    ["source", null, "is missing"],
    ["source", "", "is empty"],
    ["source", 7, "is 7"],
    ["source", "a".repeat(201), "is longer than 200 bytes"],
    ["type", undefined, "is missing"],
    ["type", "a\r\nx-injected: 1", "holds the control character U+000D at position 2"],
    ["type", "a".repeat(201), "is longer than 200 characters"],
    ["type", ["a"], "is a list"],
    ["time", "yesterday", 'is "yesterday"'],
    ["time", "2026-11-31T00:00:00Z", 'is "2026-11-31T00:00:00Z"'],
    ["time", "2026-13-01T00:00:00Z", 'is "2026-13-01T00:00:00Z"'],
    ["time", "2026-11-29T24:00:00Z", 'is "2026-11-29T24:00:00Z"'],
    ["time", "2026-11-29T10:00:00", 'is "2026-11-29T10:00:00"'],
    ["time", "2026-11-29 10:00:00Z", 'is "2026-11-29 10:00:00Z"'],
    ["time", "2026-11-29T10:00:00+24:00", 'is "2026-11-29T10:00:00+24:00"'],
    ["time", "2026-11-29T10:00:00Z\n", 'is "2026-11-29T10:00:00Z\\n"'],
    ["time", 1_760_000_000, "is 1760000000"],
    ["subject", "", "is empty"],
    ["subject", "a\u2028b", "holds the line separator U+2028 at position 2"],
    ["datacontenttype", "json", 'is "json"'],
    ["datacontenttype", "text/plain\r\nx: y", 'is "text/plain\\r\\nx: y"'],
    ["data", new Date(0), "is an object of class Date"],
    ["data", { total: 10n }, "holds a bigint at total"],
    ["data_base64", "A", 'is "A"'],
    ["data_base64", "AA", 'is "AA"'],
    ["data_base64", "AB==", 'is "AB=="'],
    ["data_base64", "AAB=", 'is "AAB="'],
    ["data_base64", "A===", 'is "A==="'],
    ["data_base64", "AA=A", 'is "AA=A"'],
    ["data_base64", "====", 'is "===="'],
    ["data_base64", "AAA\n", 'is "AAA\\n"'],
    ["data_base64", "-_-_", 'is "-_-_"'],
    ["data_base64", `${"A".repeat(100)}!`, `is "${"A".repeat(60)}…"`],
    ["specversion", "0.3", 'is "0.3"'],
    ["specversion", 1, "is 1"],
    ["requestedBy", " ana", "starts or ends with white space or a joiner"],
    ["evidence", {}, "is of type object"],
    ["evidence", [{ title: "a" }, null], "holds something else at position 2"],
    ["evidence", ["a"], "holds something else at position 1"],
    ["evidence", [{ title: " " }], "holds something else at position 1"],
    ["evidence", [{ text: "a" }], "holds something else at position 1"],
    ["evidence", [{ title: "a", url: "javascript:alert(1)" }], "holds something else at position 1"],
    ["evidence", [{ title: "a", url: 1 }], "holds something else at position 1"],
    ["evidence", [{ title: "a", text: 1 }], "holds something else at position 1"],
    ["traceparent", "00-0", 'is "00-0"'],
    ["traceparent", full.traceparent.toUpperCase(), "is "],
    ["traceparent", `${full.traceparent}-more`, "is "],
    ["traceparent", full.traceparent.replace(/^00/, "ff"), "is "],
    ["traceparent", `00-${"0".repeat(32)}-b7ad6b7169203331-01`, "is "],
    ["traceparent", `00-0af7651916cd43dd8448eb211c80319c-${"0".repeat(16)}-01`, "is "],
    ["synthetic", "true", 'is "true"'],
  ])("refuses the %s %o and says that it %s", (name, value, problem) => {
    const error = refusalOf({ ...minimal, [name]: value });
    expect(error.code).toBe("bad_event");
    expect(error.message).toContain(`Event member "${name}" ${problem}`);
    expect(error.message).toMatch(/; accepted: .+\.$/);
  });

  test.each<[unknown, string]>([
    [undefined, "is missing"],
    ["", "is empty"],
    [42, "is 42"],
    [false, "is false"],
    [{}, "is of type object"],
    [" evt", "starts or ends with white space or a joiner"],
    ["a\tb", "holds the control character U+0009 at position 2"],
    ["\ud83d", "holds the lone surrogate U+D83D at position 1"],
    ["/".repeat(200), "is longer than 160 bytes"],
  ])("has a code of its own for the ID %j", (id, problem) => {
    expect(refusalOf({ ...minimal, id })).toMatchObject({
      code: "bad_id",
      message: `Event member "id" ${problem}; accepted: 1–160 bytes of visible text.`,
    });
  });

  test.each<[object, string]>([
    [{ data: 1, data_base64: "AAAA" }, "stands beside data_base64"],
    [{ datacontenttype: "text/plain", data: { a: 1 } }, "is not text although datacontenttype is text/plain"],
    [{ datacontenttype: "text/plain", data: null }, "is not text although datacontenttype is text/plain"],
    [{ datacontenttype: "text/plain", data: "\ud83d" }, "holds a lone surrogate"],
  ])("refuses the body %j, which %s", (body, problem) => {
    const error = refusalOf({ ...minimal, ...body });
    expect(error.code).toBe("bad_event");
    expect(error.message).toContain(`Event member "data" ${problem}`);
  });

  test("keeps a lone surrogate in JSON data, where an escape carries it", () => {
    expect(parseEvent({ ...minimal, data: { t: "\ud83d" } }).data).toEqual({ t: "\ud83d" });
  });

  test("gives an event or a CountersignError for any value, and reads its own result unchanged", () => {
    const value = fc.oneof(
      fc.anything(),
      fc.record({
        source: fc.string(),
        id: fc.string(),
        type: fc.string(),
        data: fc.anything(),
        time: fc.anything(),
      }),
    );
    fc.assert(
      fc.property(value, (candidate) => {
        let event: unknown;
        try {
          event = parseEvent(candidate);
        } catch (error) {
          expect(error).toBeInstanceOf(CountersignError);
          return;
        }
        expect(parseEvent(event)).toEqual(event);
      }),
      { numRuns: 500 },
    );
  });

  test("takes exactly the base64 that an encoder writes", () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.string({ maxLength: 8 }), (bytes, text) => {
        const data_base64 = Buffer.from(bytes).toString("base64");
        expect(parseEvent({ ...minimal, data_base64 }).data_base64).toBe(data_base64);
        if (Buffer.from(text, "base64").toString("base64") !== text) {
          expect(refusalOf({ ...minimal, data_base64: text }).message).toContain("data_base64");
        }
      }),
    );
  });
});
