/** What is known beyond the status: how far an unanswered request got, and a body where one was asked for. */
import { describe, expect, test } from "vitest";
import { answerWith } from "../../test/support/loopback-server.ts";
import { aRequest, aSend, aServer } from "../../test/support/outgoing-request.ts";

describe("of a request that no answer came to, one knows", () => {
  test("that all of it was sent, and how many bytes", async () => {
    const server = await aServer((socket) => void socket.end());
    const exchange = await aSend()(aRequest(server.url));
    const [received] = server.requests;
    const bytes = (received?.head.length ?? 0) + "\r\n\r\n".length + (received?.body.byteLength ?? 0);
    expect(exchange).toMatchObject({
      code: "closed_after_send",
      certainty: "unknown",
      progress: { phase: "sent", bytesSent: bytes, bytesReceived: 0 },
    });
  });

  test("what came back, although it was no answer", async () => {
    const server = await aServer((socket) => void socket.end("HTTP/1.1 20"));
    expect(await aSend()(aRequest(server.url))).toMatchObject({ progress: { phase: "sent", bytesReceived: 11 } });
  });

  test("only what it sent itself, on a connection that served others before", async () => {
    const server = await aServer((socket, request) => {
      if (request.number === 1) answerWith(200)(socket, request);
      else socket.destroy();
    });
    const send = aSend();
    await send(aRequest(server.url, { body: Buffer.alloc(5000) }));
    const exchange = await send(aRequest(server.url));
    expect(server.connectionCount()).toBe(1);
    const [, second] = server.requests;
    expect(exchange).toMatchObject({
      progress: { bytesSent: (second?.head.length ?? 0) + 4 + 7, bytesReceived: 0 },
    });
  });

  test("that it was not sent whole", async () => {
    const server = await aServer(() => undefined, {
      onConnection: (socket) => socket.once("data", () => socket.pause()),
    });
    const request = aRequest(server.url, {
      body: Buffer.alloc(64 * 1024 * 1024),
      timeouts: { connectMs: 2000, headersMs: null, totalMs: 300 },
    });
    const exchange = await aSend()(request);
    expect(exchange).toMatchObject({
      code: "timeout_total",
      certainty: "unknown",
      progress: { phase: "sending", bytesReceived: 0 },
    });
  });

  test("that it was sent whole after all, once a slow receiver has taken it", async () => {
    const size = 16 * 1024 * 1024;
    let taken = 0;
    const server = await aServer(() => undefined, {
      onConnection: (socket) =>
        socket.on("data", (chunk) => {
          taken += chunk.length;
          if (taken > size) setTimeout(() => socket.destroy(), 50);
        }),
    });
    const exchange = await aSend()(aRequest(server.url, { body: Buffer.alloc(size) }));
    expect(exchange).toMatchObject({ certainty: "unknown", progress: { phase: "sent" } });
    expect(exchange.kind === "failure" && exchange.progress?.bytesSent).toBeGreaterThan(size);
  });

  test("nothing where nothing was sent", async () => {
    const exchange = await aSend()(aRequest("http://127.0.0.1:1/"));
    expect(exchange).toMatchObject({ certainty: "not-sent" });
    expect(exchange).not.toHaveProperty("progress");
  });
});

describe("the body of an answer", () => {
  const answering = (body: string, length = body.length) =>
    aServer((socket) => void socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n${body}`));
  const get = (url: string, keepBodyBytes?: number) =>
    aSend()(
      aRequest(url, {
        method: "GET",
        body: new Uint8Array(0),
        ...(keepBodyBytes === undefined ? {} : { keepBodyBytes }),
      }),
    );

  test("is kept where it was asked for", async () => {
    const { url, requests } = await answering('{"status":"ok"}');
    const exchange = await get(url, 100);
    expect(exchange.kind === "answer" && exchange.body?.toString()).toBe('{"status":"ok"}');
    expect(requests[0]?.head).toMatch(/^GET \/hook HTTP\/1\.1\r\n/u);
    expect(requests[0]?.head).not.toMatch(/content-length|transfer-encoding/iu);
  });

  test("is empty where there is none", async () => {
    const exchange = await get((await answering("")).url, 100);
    expect(exchange.kind === "answer" && exchange.body?.byteLength).toBe(0);
  });

  test("is not kept where nobody asked for it", async () => {
    expect(await get((await answering("{}")).url)).not.toHaveProperty("body");
  });

  test("is not kept where it is larger than wanted, or cut short", async () => {
    const [whole, larger, cut] = [
      await answering("x".repeat(100)),
      await answering("x".repeat(101)),
      await answering("x", 9),
    ];
    expect(await get(whole.url, 100)).toHaveProperty("body");
    for (const { url } of [larger, cut]) {
      const exchange = await get(url, 100);
      expect(exchange).toMatchObject({ kind: "answer", status: 200 });
      expect(exchange).not.toHaveProperty("body");
    }
  });
});
