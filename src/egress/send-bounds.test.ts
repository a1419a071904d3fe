import { gzipSync } from "node:zlib";
import type { Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { answerWith, eventually } from "../../test/support/loopback-server.ts";
import type { Answering } from "../../test/support/loopback-server.ts";
import { aRequest, aSend, aServer } from "../../test/support/outgoing-request.ts";
import { MAX_BODY_BYTES } from "./exchange-once.ts";

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;
const CHUNK = Buffer.alloc(64 * 1024, "x");
const WIRE_CHUNK = Buffer.concat([Buffer.from(`${CHUNK.byteLength.toString(16)}\r\n`), CHUNK, Buffer.from("\r\n")]);

/** Writes as fast as the client reads, up to `limitBytes`; returns how much was taken. */
function pour(socket: Socket, chunk: Buffer, limitBytes: number): { bytes: number } {
  const poured = { bytes: 0 };
  const more = (): void => {
    while (!socket.destroyed && poured.bytes < limitBytes) {
      poured.bytes += chunk.byteLength;
      if (!socket.write(chunk)) return;
    }
  };
  socket.on("drain", more);
  more();
  return poured;
}

describe("response bodies", () => {
  test.each([
    ["1 GiB with a length", `HTTP/1.1 200 OK\r\nContent-Length: ${GIB}\r\n\r\n`, CHUNK],
    ["endless chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", WIRE_CHUNK],
    ["an endless stream until close", "HTTP/1.1 500 X\r\n\r\n", CHUNK],
  ])("of %s are dropped after the bound, and the status counts", async (_what, head, chunk) => {
    let poured = { bytes: 0 };
    const server = await aServer((socket) => {
      socket.write(head);
      poured = pour(socket, chunk, GIB);
    });
    const before = process.memoryUsage().rss;
    const exchange = await aSend()(aRequest(server.url));
    expect(exchange).toMatchObject({ kind: "answer", status: head.includes("500") ? 500 : 200 });
    await eventually(() => server.openCount() === 0);
    expect(poured.bytes).toBeLessThan(32 * MIB);
    expect(process.memoryUsage().rss - before).toBeLessThan(128 * MIB);
    expect(server.connectionCount()).toBe(1);
  });

  test("of a gzip bomb are not inflated", async () => {
    const bomb = gzipSync(Buffer.alloc(32 * MIB));
    expect(bomb.byteLength).toBeLessThan(MAX_BODY_BYTES);
    const server = await aServer((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bomb.byteLength}\r\n\r\n`);
      socket.write(bomb);
    });
    const send = aSend();
    const before = process.memoryUsage();
    expect(await send(aRequest(server.url))).toMatchObject({ kind: "answer", status: 200 });
    expect(process.memoryUsage().arrayBuffers - before.arrayBuffers).toBeLessThan(4 * MIB);
    // Read to its end, so the connection is kept.
    expect(server.openCount()).toBe(1);
  });

  test("up to the bound keep the connection, one byte more drops it", async () => {
    const size = { bytes: MAX_BODY_BYTES };
    const server = await aServer((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${size.bytes}\r\n\r\n`);
      socket.write(Buffer.alloc(size.bytes));
    });
    const send = aSend();
    await send(aRequest(server.url));
    expect(server.openCount()).toBe(1);
    size.bytes += 1;
    await send(aRequest(server.url, { freshConnection: false }));
    await eventually(() => server.openCount() <= server.connectionCount() - 1);
  });

  test("that drip for ever free the slot at the total deadline, and the status counts", async () => {
    const server = await aServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
      const timer = setInterval(() => socket.write("x"), 20);
      socket.on("close", () => clearInterval(timer)).on("end", () => clearInterval(timer));
    });
    const exchange = await aSend()(
      aRequest(server.url, { timeouts: { connectMs: 500, headersMs: 400, totalMs: 600 } }),
    );
    expect(exchange).toMatchObject({ kind: "answer", status: 200 });
    await eventually(() => server.openCount() === 0);
  });

  test("that pause for a moment keep the connection", async () => {
    const server = await aServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n1");
      setTimeout(() => socket.write("2"), 1_100);
    });
    expect(await aSend()(aRequest(server.url))).toMatchObject({ kind: "answer", status: 200 });
    expect(server.openCount()).toBe(1);
  });

  test("that stall end the attempt with their status", async () => {
    const server = await aServer((socket) => socket.write("HTTP/1.1 404 X\r\nContent-Length: 10\r\n\r\n1"));
    const exchange = await aSend()(
      aRequest(server.url, { timeouts: { connectMs: 500, headersMs: null, totalMs: 500 } }),
    );
    expect(exchange).toMatchObject({ kind: "answer", status: 404 });
    await eventually(() => server.openCount() === 0);
  });

  test.each([301, 404, 500])(
    "of a %i with 128 KiB do not hold up the next delivery on a single connection",
    async (status) => {
      const large: Answering = (socket) => {
        socket.write(`HTTP/1.1 ${status} X\r\nContent-Length: ${2 * MAX_BODY_BYTES}\r\n\r\n`);
        socket.write(Buffer.alloc(2 * MAX_BODY_BYTES));
      };
      const server = await aServer((socket, request) =>
        (request.number === 1 ? large : answerWith(200))(socket, request),
      );
      const send = aSend({ maxConnectionsPerOrigin: 1 });
      expect(await send(aRequest(server.url))).toMatchObject({ kind: "answer", status });
      expect(await send(aRequest(server.url))).toMatchObject({ kind: "answer", status: 200 });
      expect(server.requests).toHaveLength(2);
    },
  );

  test("of many large errors leave memory and sockets flat", async () => {
    const server = await aServer((socket) => {
      socket.write(`HTTP/1.1 500 X\r\nContent-Length: ${MIB}\r\n\r\n`);
      pour(socket, CHUNK, MIB);
    });
    const send = aSend({ maxConnectionsPerOrigin: 4 });
    const before = process.memoryUsage().rss;
    for (let batch = 0; batch < 40; batch += 1) {
      const exchanges = await Promise.all(Array.from({ length: 5 }, () => send(aRequest(server.url))));
      expect(exchanges.every((exchange) => exchange.kind === "answer" && exchange.status === 500)).toBe(true);
    }
    await eventually(() => server.openCount() <= 4);
    expect(server.requests).toHaveLength(200);
    expect(process.memoryUsage().rss - before).toBeLessThan(192 * MIB);
  });
});
