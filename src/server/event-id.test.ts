import { describe, expect, test } from "vitest";
import { aConfig } from "../../test/support/a-config.ts";
import { configuredId, idFromMembers } from "./event-id.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const inBody = (text: string, more: object = {}) => ({ source: "shop", type: "t", data_base64: base64(text), ...more });

describe("an id from members", () => {
  test.each([
    [["data.orderId"], { data: { orderId: "o-1" } }, "o-1"],
    [["data.orderId", "data.status"], { data: { orderId: "o-1", status: "paid" } }, "o-1:paid"],
    [["data.order.id"], { data: { order: { id: 7 } } }, "7"],
    [["subject", "data.ok"], { subject: "s", data: { ok: true } }, "s:true"],
    [["data.n"], inBody('{"n":12345678901234567890}'), "12345678901234567890"],
    [["data.n"], inBody('{"n":1.0}'), "1.0"],
    [["data.a", "data.b"], { data: { a: "x:y", b: "%" } }, "x%3Ay:%25"],
    [["data.a"], inBody("a=1&b=2", { datacontenttype: "application/x-www-form-urlencoded" }), "1"],
  ])("at %j of %j is %s", (paths, members, id) => {
    expect(idFromMembers(paths, members)).toBe(id);
  });

  test.each([
    ["missing", ["data.a"], { data: {} }],
    ["null", ["data.a"], { data: { a: null } }],
    ["a list", ["data.a"], { data: { a: [1] } }],
    ["empty", ["data.a"], { data: { a: "" } }],
    ["there twice", ["data.a"], inBody('{"a":1,"a":2}')],
    ["inherited", ["data.constructor.name"], { data: {} }],
    ["of the event's own prototype", ["constructor"], {}],
    ["in a body that is text", ["data.a"], inBody("a", { datacontenttype: "text/plain" })],
    ["missing beside one that is there", ["data.b", "data.a"], { data: { b: 1 } }],
  ])("that is %s is refused by its path, never replaced by a hash", (_what, paths, members) => {
    const path = paths.at(-1) ?? "";
    expect(() => idFromMembers(paths, members)).toThrow(new RegExp(`no id, and none can be made of ${path}:`, "u"));
  });
});

describe("the configured id", () => {
  const verify = { scheme: "github", secrets: ["s"] } as const;
  const sources = { shop: { idFrom: ["data.id"] }, plain: {}, hub: { verify, idFrom: ["id"] } };
  const config = aConfig({ baseUrl: "https://x.example", endpoints: { crm: {} }, rest: { sources } });

  test.each([
    ["shop", "7"],
    ["plain", undefined],
    ["hub", undefined],
    ["nobody", undefined],
    [undefined, undefined],
  ])("of source %s is %s", (source, id) => {
    expect(configuredId(config, { source, data: { id: 7 } })).toBe(id);
  });
});
