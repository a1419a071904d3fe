import picocolors from "picocolors";
import { describe, expect, test } from "vitest";
import type { AnsweredRequest } from "./listen-server.ts";
import { bodyLines, requestBlock, requestRecord } from "./request-block.ts";

const PLAIN = picocolors.createColors(false);

function aReceived(changes: Partial<AnsweredRequest> = {}): AnsweredRequest {
  return {
    number: 2,
    at: "2026-11-29T10:00:00.123Z",
    method: "POST",
    path: "/crm",
    headers: { "content-type": "application/json", "ce-source": "shop", "ce-id": "evt_1", "ce-type": "order.created" },
    body: Buffer.from('{"total":42}'),
    idempotencyKey: "cs1_x",
    seenBefore: 0,
    check: { signature: "valid" },
    answer: { do: "answer", status: 503, retryAfter: "2" },
    ...changes,
  };
}

describe("requestBlock", () => {
  test("shows one request as a block", () => {
    expect(requestBlock(aReceived(), PLAIN).split("\n")).toEqual([
      "#2 POST /crm  10:00:00.123  12 bytes, application/json",
      "  key        cs1_x (new)",
      "  event      shop/evt_1  order.created",
      "  signature  valid",
      "  answered   503 with Retry-After 2",
      '  {"total":42}',
      "",
    ]);
  });

  test("says that a key was seen before, and how often", () => {
    expect(requestBlock(aReceived({ seenBefore: 1 }), PLAIN)).toContain("cs1_x (seen before, once)");
    expect(requestBlock(aReceived({ seenBefore: 3 }), PLAIN)).toContain("cs1_x (seen before, 3 times)");
  });

  test("tells every kind of signature apart", () => {
    expect(requestBlock(aReceived({ check: { signature: "refused", reason: "signature_mismatch" } }), PLAIN)).toContain(
      "NOT valid (signature_mismatch)",
    );
    expect(requestBlock(aReceived({ check: { signature: "not-checked", signed: true } }), PLAIN)).toContain(
      "not checked: give --secret",
    );
    expect(requestBlock(aReceived({ check: { signature: "not-checked", signed: false } }), PLAIN)).toContain(
      "signature  none",
    );
  });

  test("shows a request without any of our headers", () => {
    const block = requestBlock(aReceived({ headers: {}, idempotencyKey: null, body: Buffer.alloc(0) }), PLAIN);
    expect(block).toContain("0 bytes, no content type");
    expect(block).toContain("key        none");
    expect(block).not.toContain("event");
    expect(block).toContain("(empty body)");
  });

  test("marks a synthetic event", () => {
    const { headers } = aReceived();
    expect(requestBlock(aReceived({ headers: { ...headers, "countersign-synthetic": "1" } }), PLAIN)).toContain(
      "order.created (synthetic)",
    );
  });

  test("lets nothing of the request move the terminal's cursor", () => {
    const block = requestBlock(aReceived({ path: "/\u001b[2J", body: Buffer.from("a\u001b[31mb") }), PLAIN);
    expect(block).not.toContain("\u001b");
  });
});

describe("bodyLines", () => {
  test("cuts long text and says how much is left", () => {
    const lines = bodyLines(Buffer.from("x".repeat(1001)));
    expect(lines).toEqual(["x".repeat(1000), "… and 1 byte more"]);
  });

  test("does not take a character that is cut for bytes", () => {
    expect(bodyLines(Buffer.from(`${"x".repeat(999)}ß!`))[0]).toBe("x".repeat(999));
  });

  test("shows bytes as hexadecimal digits, cut", () => {
    expect(bodyLines(Buffer.from([0xff, 0x00]))).toEqual(["bytes ff00"]);
    expect(bodyLines(Buffer.alloc(100))).toEqual([`bytes ${"00".repeat(64)}`, "… and 36 bytes more"]);
  });

  test("keeps the lines of a text", () => {
    expect(bodyLines(Buffer.from("a\n\tb\r\n"))).toEqual(["a", "\tb", ""]);
  });
});

describe("requestRecord", () => {
  test("holds the whole body as text, or as base64", () => {
    expect(requestRecord(aReceived())).toMatchObject({
      body: '{"total":42}',
      bodyBytes: 12,
      signature: "valid",
      seenBefore: 0,
    });
    expect(requestRecord(aReceived({ body: Buffer.from([0xff]) }))).toMatchObject({
      body_base64: "/w==",
      bodyBytes: 1,
    });
    expect(requestRecord(aReceived({ body: Buffer.from([0xff]) }))).not.toHaveProperty("body");
  });
});
