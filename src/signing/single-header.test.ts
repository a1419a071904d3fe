import { expect, test } from "vitest";
import { singleHeader } from "./single-header.ts";

const value = "v".repeat(4096);

test.each([
  ["one text", { "x-a": "1" }, { ok: true, value: "1" }],
  ["a name in capitals", { "X-A": "1" }, { ok: true, value: "1" }],
  ["4 KiB", { "x-a": value }, { ok: true, value }],
  ["more than 4 KiB", { "x-a": `${value}v` }, { ok: false, reason: "malformed_header" }],
  ["a list", { "x-a": ["1"] }, { ok: false, reason: "malformed_header" }],
  ["two spellings of the name", { "x-a": "1", "X-A": "1" }, { ok: false, reason: "malformed_header" }],
  ["an empty text", { "x-a": "" }, { ok: false, reason: "missing_header" }],
  ["nothing", { "x-a": undefined }, { ok: false, reason: "missing_header" }],
  ["another name", { "x-b": "1" }, { ok: false, reason: "missing_header" }],
])("reads %s", (_what, headers, expected) => {
  expect(singleHeader(headers, "x-a")).toEqual(expected);
});
