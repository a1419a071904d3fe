import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { answerWith, eventually } from "../../test/support/loopback-server.ts";
import { aRequest, aSend, aServer } from "../../test/support/outgoing-request.ts";
import type { Resolve } from "./connector.ts";
import type { OutgoingRequest } from "./exchange.ts";

const failure = (code: string, certainty: string) => ({ kind: "failure", code, certainty });
const SHORT = { connectMs: 300, headersMs: null, totalMs: 2_000 };

/** A resolver that knows one answer. */
function resolvesTo(...addresses: readonly string[]): Resolve {
  return async () => addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
}

/** A port on which nobody listens any more. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // a listening TCP server has one
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe("before anything is sent", () => {
  test("a closed port is connect_refused", async () => {
    expect(await aSend()(aRequest(`http://127.0.0.1:${await closedPort()}/`))).toMatchObject(
      failure("connect_refused", "not-sent"),
    );
  });

  test("a name that does not exist is a failure of DNS", async () => {
    const exchange = await aSend()(aRequest("http://receiver.invalid/"));
    expect(exchange).toMatchObject({
      kind: "failure",
      code: expect.stringMatching(/^dns_(not_found|failed)$/),
      certainty: "not-sent",
    });
  });

  test.each([
    ["ENOTFOUND", "dns_not_found"],
    ["EAI_AGAIN", "dns_failed"],
  ])("a resolver that says %s is %s", async (code, expected) => {
    const resolve: Resolve = () => Promise.reject(Object.assign(new Error(code), { code, syscall: "getaddrinfo" }));
    expect(await aSend({ resolve })(aRequest("http://receiver.example/"))).toMatchObject(failure(expected, "not-sent"));
  });

  test("a name without addresses is dns_not_found", async () => {
    expect(await aSend({ resolve: resolvesTo() })(aRequest("http://receiver.example/"))).toMatchObject(
      failure("dns_not_found", "not-sent"),
    );
  });

  test("a lookup that never answers ends at the connect timeout", async () => {
    const resolve: Resolve = () => new Promise(() => undefined);
    const exchange = await aSend({ resolve })(
      aRequest("http://receiver.example/", { timeouts: { ...SHORT, totalMs: 20_000 } }),
    );
    expect(exchange).toMatchObject(failure("connect_timeout", "not-sent"));
  });

  test("the total deadline holds while a connection is being made", async () => {
    const resolve: Resolve = () => new Promise(() => undefined);
    const timeouts = { connectMs: 1_000, headersMs: null, totalMs: 100 };
    expect(await aSend({ resolve })(aRequest("http://receiver.example/", { timeouts }))).toMatchObject(
      failure("timeout_total", "not-sent"),
    );
  });

  test("a TLS handshake that stalls ends at the connect timeout", async () => {
    const server = await aServer(() => undefined, { onConnection: () => undefined });
    const exchange = await aSend()(aRequest(`https://127.0.0.1:${server.port}/`, { timeouts: SHORT }));
    expect(exchange).toMatchObject(failure("connect_timeout", "not-sent"));
    expect(server.connectionCount()).toBe(1);
  });

  test("tries the next address when the first refuses", async () => {
    const server = await aServer(answerWith(200));
    const exchange = await aSend({ resolve: resolvesTo("::1", "127.0.0.1") })(
      aRequest(`http://receiver.example:${server.port}/`),
    );
    expect(exchange).toMatchObject({ kind: "answer", status: 200 });
    expect(server.requests).toHaveLength(1);
  });

  test("requests that wait for a connection to a dead port all end, and close does not hang", async () => {
    const send = aSend({ maxConnectionsPerOrigin: 1 });
    const url = `http://127.0.0.1:${await closedPort()}/`;
    const exchanges = await Promise.all(Array.from({ length: 5 }, () => send(aRequest(url))));
    for (const exchange of exchanges) expect(exchange).toMatchObject(failure("connect_refused", "not-sent"));
  });

  test("asks once for a name that many connections want at the same moment", async () => {
    const server = await aServer(answerWith(200));
    let asked = 0;
    const resolve: Resolve = async () => {
      asked += 1;
      await eventually(() => true);
      return [{ address: "127.0.0.1", family: 4 }];
    };
    const send = aSend({ resolve });
    await Promise.all(Array.from({ length: 5 }, () => send(aRequest(`http://receiver.example:${server.port}/`))));
    expect([asked, server.requests.length]).toEqual([1, 5]);
  });

  test("two dead addresses are one connect_refused", async () => {
    const send = aSend({ resolve: resolvesTo("::1", "127.0.0.1") });
    expect(await send(aRequest(`http://receiver.example:${await closedPort()}/`))).toMatchObject(
      failure("connect_refused", "not-sent"),
    );
  });
});

describe("after the request was sent", () => {
  type Ending = (socket: Socket) => void;
  const endings: readonly (readonly [string, Ending, string])[] = [
    ["reads everything, then closes", (socket) => socket.end(), "closed_after_send"],
    ["reads everything, then resets", (socket) => socket.resetAndDestroy(), "reset_after_send"],
    ["closes in the middle of the status line", (socket) => socket.end("HTTP/1.1 20"), "closed_after_send"],
    ["closes in the middle of the headers", (socket) => socket.end("HTTP/1.1 200 OK\r\nContent-"), "closed_after_send"],
    [
      "sends a hint and closes",
      (socket) => socket.end("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"),
      "closed_after_send",
    ],
    ["answers in another protocol", (socket) => socket.end("SSH-2.0-OpenSSH_9.6\r\n"), "response_malformed"],
    ["answers an impossible status", (socket) => socket.end("HTTP/1.1 abc OK\r\n\r\n"), "response_malformed"],
    [
      "answers 10,000 header lines",
      (socket) => socket.end(`HTTP/1.1 200 OK\r\n${"X-A: b\r\n".repeat(10_000)}\r\n`),
      "response_headers_too_large",
    ],
    [
      "answers one huge header",
      (socket) => socket.end(`HTTP/1.1 200 OK\r\nX-A: ${"b".repeat(40_000)}\r\n\r\n`),
      "response_headers_too_large",
    ],
    [
      "switches protocols unasked",
      (socket) => socket.write("HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"),
      "response_malformed",
    ],
  ];

  test.each(endings)("a server that %s leaves the outcome unknown", async (_what, end, code) => {
    const server = await aServer(end);
    expect(await aSend()(aRequest(server.url))).toMatchObject(failure(code, "unknown"));
    expect(server.requests).toHaveLength(1);
  });

  test("a server that closes at once, without reading, leaves the outcome unknown", async () => {
    const server = await aServer(() => undefined, { onConnection: (socket) => socket.end() });
    const exchange = await aSend()(aRequest(server.url));
    expect(exchange).toMatchObject({ kind: "failure", certainty: "unknown" });
    expect(exchange.kind === "failure" && exchange.code).toMatch(/^(closed|reset)_after_send$/);
    expect(server.connectionCount()).toBe(1);
  });

  test("a server that resets in the middle of a large body leaves the outcome unknown", async () => {
    const server = await aServer(() => undefined, {
      onConnection: (socket) => socket.once("data", () => socket.resetAndDestroy()),
    });
    const exchange = await aSend()(aRequest(server.url, { body: Buffer.alloc(8 * 1024 * 1024) }));
    expect(exchange).toMatchObject(failure("reset_after_send", "unknown"));
    expect(server.connectionCount()).toBe(1);
  });

  test("no status line within the time for headers is timeout_headers", async () => {
    const server = await aServer(() => undefined);
    const exchange = await aSend()(
      aRequest(server.url, { timeouts: { connectMs: 500, headersMs: 200, totalMs: 20_000 } }),
    );
    expect(exchange).toMatchObject(failure("timeout_headers", "unknown"));
    await eventually(() => server.openCount() === 0);
  });

  test("no status line within the total time is timeout_total, and the connection is dropped", async () => {
    const server = await aServer(() => undefined);
    const exchange = await aSend()(
      aRequest(server.url, { timeouts: { connectMs: 500, headersMs: null, totalMs: 200 } }),
    );
    expect(exchange).toMatchObject(failure("timeout_total", "unknown"));
    await eventually(() => server.openCount() === 0);
    expect(server.connectionCount()).toBe(1);
  });

  test("a status line that never ends is bounded by the total time", async () => {
    const server = await aServer((socket) => {
      socket.write("HTTP/1.1 200 ");
      const timer = setInterval(() => socket.write("x".repeat(1024)), 10);
      socket.on("close", () => clearInterval(timer));
    });
    const exchange = await aSend()(
      aRequest(server.url, { timeouts: { connectMs: 500, headersMs: null, totalMs: 400 } }),
    );
    expect(exchange).toMatchObject(failure("timeout_total", "unknown"));
  });
});

describe("informational answers", () => {
  const refusesLater = "HTTP/1.1 503 X\r\nRetry-After: 60\r\nContent-Length: 0\r\n\r\n";

  test.each([
    ["103, then 503", `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${refusesLater}`],
    ["three times 102, then 503", `${"HTTP/1.1 102 Processing\r\n\r\n".repeat(3)}${refusesLater}`],
  ])("%s: the final status decides", async (_what, wire) => {
    const server = await aServer((socket) => socket.write(wire));
    const send = aSend();
    expect(await send(aRequest(server.url))).toMatchObject({ kind: "answer", status: 503, retryAfter: ["60"] });
    expect(server.requests).toHaveLength(1);
  });

  test("an unasked 100 leaves the outcome unknown, and does not spoil the next request", async () => {
    const server = await aServer((socket, { number }) =>
      socket.write(
        `${number === 1 ? "HTTP/1.1 100 Continue\r\n\r\n" : ""}HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n`,
      ),
    );
    const send = aSend();
    expect(await send(aRequest(server.url))).toMatchObject(failure("response_malformed", "unknown"));
    expect(await send(aRequest(server.url))).toMatchObject({ kind: "answer", status: 200 });
    expect(server.requests).toHaveLength(2);
  });
});

describe("after the status line", () => {
  const bodies: readonly (readonly [string, (socket: Socket) => void])[] = [
    ["is cut short by a close", (socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n123")],
    [
      "is cut short by a reset",
      (socket) =>
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n123", () =>
          setTimeout(() => socket.resetAndDestroy(), 50),
        ),
    ],
    [
      "lacks its last chunk",
      (socket) => socket.end("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n123\r\n"),
    ],
    [
      "has a broken chunk size",
      (socket) => socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n123\r\n"),
    ],
    [
      "claims gzip and is none",
      (socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\n123"),
    ],
    ["ends with the connection", (socket) => socket.end("HTTP/1.1 200 OK\r\n\r\nhello")],
  ];

  test.each(bodies)("a 200 whose body %s is an answer", async (_what, answer) => {
    const server = await aServer(answer);
    expect(await aSend()(aRequest(server.url))).toMatchObject({ kind: "answer", status: 200 });
    expect(server.requests).toHaveLength(1);
  });

  test("an answer that comes before the body was read counts", async () => {
    const server = await aServer(() => undefined, {
      onConnection: (socket) => {
        socket
          .once("data", () => socket.end("HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"))
          .resume();
      },
    });
    const body = Buffer.alloc(1024 * 1024);
    expect(await aSend()(aRequest(server.url, { body }))).toMatchObject({ kind: "answer", status: 413 });
  });
});

describe("a kept connection that the server closes", () => {
  test("costs at most one transient failure around the moment it is closed", async () => {
    const server = await aServer((socket, request) => {
      answerWith(200)(socket, request);
      setTimeout(() => socket.end(), 20);
    });
    const request = (id: number): OutgoingRequest => aRequest(server.url, { headers: { "webhook-id": `cs1_${id}` } });
    const send = aSend();
    const fates = new Set<string>();
    for (let round = 0; round < 60; round += 1) {
      await send(request(round));
      // The sweep itself: each round meets the server's close at another moment.
      await new Promise((resolve) => setTimeout(resolve, 14 + (round % 12)));
      const before = server.requests.length;
      const exchange = await send(request(round));
      if (exchange.kind === "answer") continue;
      fates.add(`${exchange.code} ${exchange.certainty}`);
      expect(server.requests.length - before).toBeLessThanOrEqual(1);
      expect(await send(request(round))).toMatchObject({ kind: "answer", status: 200 });
    }
    for (const fate of fates)
      expect(fate).toMatch(/^(closed_after_send unknown|reset_after_send unknown|connect_reset not-sent)$/);
  });
});
