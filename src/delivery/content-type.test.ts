import { describe, expect, test } from "vitest";
import { contentTypeOf, isContentType, isJsonContentType } from "./content-type.ts";

describe("isJsonContentType", () => {
  test.each([
    "application/json",
    "Application/JSON",
    "application/json; charset=utf-8",
    "application/json ;charset=utf-8",
    "application/cloudevents+json",
    "application/vnd.shop.order+json; version=1",
  ])("takes %j for JSON", (contentType) => {
    expect(isJsonContentType(contentType)).toBe(true);
  });

  test.each([
    "text/plain",
    "application/jsonp",
    "application/json-seq",
    "application/xml",
    "+json",
    "/x+json",
    "text/plain; a=+json",
    "",
  ])("does not take %j for JSON", (contentType) => {
    expect(isJsonContentType(contentType)).toBe(false);
  });
});

describe("isContentType", () => {
  test.each(["application/json", "text/plain; charset=utf-8", 'multipart/form-data; boundary="a b"', "a/b;"])(
    "takes %j",
    (text) => {
      expect(isContentType(text)).toBe(true);
    },
  );

  test.each([
    "",
    "json",
    "a/b/c",
    "a /b",
    " a/b",
    "a/b ",
    "a/b; x=\r\ny: z",
    "a/b; x=é",
    "a\tb/c",
    `a/${"b".repeat(200)}`,
  ])("refuses %j", (text) => {
    expect(isContentType(text)).toBe(false);
  });
});

describe("contentTypeOf", () => {
  test("is JSON unless the event says otherwise", () => {
    expect(contentTypeOf({})).toBe("application/json");
    expect(contentTypeOf({ datacontenttype: "text/plain" })).toBe("text/plain");
  });
});
