import { describe, expect, test } from "vitest";
import { bodyOf, parseJsonBody } from "./body.ts";
import type { BusinessEvent } from "./event.ts";

const anEvent = (event: Partial<BusinessEvent>): BusinessEvent => ({ source: "shop", id: "1", type: "t", ...event });
const bytes = (text: string) => new Uint8Array(Buffer.from(text));

describe("bodyOf", () => {
  test.each<[string, Partial<BusinessEvent>, string, string]>([
    ["JSON", { data: { a: [1, "é"] } }, "application/json", '{"a":[1,"é"]}'],
    ["null", { data: null }, "application/json", "null"],
    ["a JSON text", { data: "hi" }, "application/json", '"hi"'],
    [
      "a JSON text under a type of its own",
      { data: "hi", datacontenttype: "application/vnd.x+json" },
      "application/vnd.x+json",
      '"hi"',
    ],
    ["text", { data: "hi é", datacontenttype: "text/plain" }, "text/plain", "hi é"],
    ["bytes", { data_base64: "e30g", datacontenttype: "application/json" }, "application/json", "{} "],
    ["nothing", {}, "application/json", ""],
    ["nothing under another type", { datacontenttype: "text/plain" }, "text/plain", ""],
    ["base64 that does not decode", { data_base64: "%" }, "application/json", ""],
  ])("sends %s", (_name, event, contentType, text) => {
    expect(bodyOf(anEvent(event))).toEqual({ contentType, bytes: bytes(text) });
  });
});

describe("parseJsonBody", () => {
  test("reads JSON", () => {
    expect(parseJsonBody(bytes('{"a": 1}'))).toEqual({ a: 1 });
  });
  test.each([bytes(""), bytes("{"), bytes("\ufeff{}"), Uint8Array.of(0x22, 0xff, 0x22)])(
    "answers undefined for %j",
    (body) => {
      expect(parseJsonBody(body)).toBeUndefined();
    },
  );
});
