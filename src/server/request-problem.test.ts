import { describe, expect, test } from "vitest";
import { type RequestHead, requestProblem } from "./request-problem.ts";

function aHead(changes: Partial<RequestHead> = {}): RequestHead {
  return { url: "/v1/events", httpVersion: "1.1", headersDistinct: { host: ["countersign.example"] }, ...changes };
}

const withHeaders = (headersDistinct: RequestHead["headersDistinct"], httpVersion = "1.1"): RequestHead =>
  aHead({ headersDistinct, httpVersion });

describe("an address", () => {
  test.each([
    "/",
    "/v1/events?limit=1&type=a/../b",
    "/v1/events/shop/..%2Fx",
    "/v1/events/shop/.%2E%2E",
    "/v1/events/shop/...",
    "/v1/events/shop/a%5Cb",
    "//v1/events",
    "http://other.example/v1/events",
    "https://other.example:8443/v1/events?x",
  ])("%s is taken", (url) => {
    expect(requestProblem(aHead({ url }))).toBeNull();
  });

  test.each([
    // A proxy that passes `/v1/` on would have let these through to what it keeps back.
    "/v1/../metrics",
    "/v1/%2e%2e/metrics",
    "/v1/.%2E/metrics",
    "/v1/%2E./metrics",
    "/v1/events/..",
    "/./metrics",
    "/%2e",
    "/v1\\..\\metrics",
    "/v1/events#x",
    "http://other.example/v1/../metrics",
    "http://user:word@other.example/v1/events",
    "http://other.example",
    "ftp://other.example/v1/events",
    "other.example:80",
    "*",
    "",
    "v1/events",
  ])("%j is refused", (url) => {
    expect(requestProblem(aHead({ url }))).toMatchObject({ status: 400, headers: { connection: "close" } });
  });
});

describe("a head", () => {
  test.each([
    ["no host in HTTP/1.0", withHeaders({}, "1.0")],
    ["an empty host", withHeaders({ host: [""] })],
    ["chunks", withHeaders({ host: ["a"], "transfer-encoding": ["Chunked"] })],
    ["an expectation", withHeaders({ host: ["a"], expect: ["100-Continue"] })],
    ["an expectation of HTTP/1.0, which is none", withHeaders({ expect: ["anything"] }, "1.0")],
  ])("with %s is taken", (_what, head) => {
    expect(requestProblem(head)).toBeNull();
  });

  test.each([
    ["no host", withHeaders({}), 400],
    ["two hosts", withHeaders({ host: ["a", "b"] }), 400],
    ["the same host twice", withHeaders({ host: ["a", "a"] }, "1.0"), 400],
    ["another coding", withHeaders({ host: ["a"], "transfer-encoding": ["gzip, chunked"] }), 400],
    ["two codings", withHeaders({ host: ["a"], "transfer-encoding": ["chunked", "chunked"] }), 400],
    ["chunks in HTTP/1.0", withHeaders({ host: ["a"], "transfer-encoding": ["chunked"] }, "1.0"), 400],
    ["another expectation", withHeaders({ host: ["a"], expect: ["200-ok"] }), 417],
    ["two expectations", withHeaders({ host: ["a"], expect: ["100-continue", "x"] }), 417],
  ])("with %s is refused", (_what, head, status) => {
    expect(requestProblem(head)).toMatchObject({ status, code: "bad_request" });
  });
});
