import { createServer } from "node:http";
import { EnvHttpProxyAgent, setGlobalDispatcher, getGlobalDispatcher } from "undici";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { answerWith, eventually } from "../../test/support/loopback-server.ts";
import { aRequest, aSend, aServer } from "../../test/support/outgoing-request.ts";
import { createSend } from "./send.ts";

describe("send", () => {
  test("sends method, path, headers and body as given, once", async () => {
    const server = await aServer(answerWith(200));
    const body = Buffer.from([0x7b, 0xff, 0x00, 0x7d]);
    const request = aRequest(`${server.url}/a?b=%20c`, {
      method: "PUT",
      headers: { "webhook-id": "cs1_x", "accept-encoding": "identity" },
      body,
    });
    expect(await aSend()(request)).toEqual({
      kind: "answer",
      status: 200,
      retryAfter: [],
      date: null,
      location: null,
      elapsedMs: expect.any(Number),
    });
    expect(server.requests).toHaveLength(1);
    const [received] = server.requests;
    expect(received?.head).toMatch(/^PUT \/hook\/a\?b=%20c HTTP\/1\.1\r\n/);
    expect(received?.head).toContain("webhook-id: cs1_x");
    expect(received?.head).toContain("content-length: 4");
    expect(received?.body).toEqual(body);
  });

  test("sends the bytes of a view only, and an empty body as no bytes", async () => {
    const server = await aServer(answerWith(200));
    const send = aSend();
    const whole = Buffer.from("--hello--");
    await send(aRequest(server.url, { body: new Uint8Array(whole.buffer, whole.byteOffset + 2, 5) }));
    await send(
      aRequest(server.url, {
        body: new Uint8Array(whole.buffer, whole.byteOffset, 0),
        headers: { "content-length": "0" },
      }),
    );
    expect(server.requests.map(({ body }) => body.toString())).toEqual(["hello", ""]);
    expect(server.requests[1]?.head).toContain("content-length: 0");
  });

  test("adds no accept-encoding of its own", async () => {
    const server = await aServer(answerWith(200));
    await aSend()(aRequest(server.url, { headers: {} }));
    expect(server.requests[0]?.head).not.toMatch(/accept-encoding/i);
  });

  test("reads the headers that decisions need, doubled ones included", async () => {
    const date = "Sun, 29 Nov 2026 12:00:00 GMT";
    const server = await aServer(
      answerWith(503, ["Retry-After: 5", "retry-after: 9", `Date: ${date}`, "Location: /x", "X-Other: 1"]),
    );
    expect(await aSend()(aRequest(server.url))).toMatchObject({
      status: 503,
      retryAfter: ["5", "9"],
      date,
      location: "/x",
    });
  });

  test.each([301, 302, 303, 307, 308])("reports %i with its location and follows nothing", async (status) => {
    const other = await aServer(answerWith(200));
    const server = await aServer(answerWith(status, [`Location: ${other.url}`]));
    expect(await aSend()(aRequest(server.url))).toMatchObject({ kind: "answer", status, location: other.url });
    expect([server.requests.length, other.connectionCount()]).toEqual([1, 0]);
  });

  test("keeps a connection and uses it again", async () => {
    const server = await aServer(answerWith(200));
    const send = aSend();
    for (let n = 0; n < 5; n += 1) await send(aRequest(server.url));
    // undici frees a connection one turn of the event loop late, so a quick second request may open another.
    expect(server.requests).toHaveLength(5);
    expect(server.connectionCount()).toBeLessThanOrEqual(2);
  });

  test("opens no more connections to an origin than allowed; the rest wait", async () => {
    const server = await aServer((socket, request) => setTimeout(() => answerWith(200)(socket, request), 20));
    const send = aSend({ maxConnectionsPerOrigin: 2 });
    const exchanges = await Promise.all(Array.from({ length: 10 }, () => send(aRequest(server.url))));
    expect(exchanges.every((exchange) => exchange.kind === "answer")).toBe(true);
    expect([server.requests.length, server.connectionCount()]).toEqual([10, 2]);
  });

  test("a request that gets no connection within its total time was not sent, and never is", async () => {
    const server = await aServer(() => undefined);
    const send = aSend({ maxConnectionsPerOrigin: 1 });
    const timeouts = { connectMs: 1_000, headersMs: null, totalMs: 400 };
    const first = send(aRequest(server.url, { timeouts }));
    const second = await send(aRequest(server.url, { timeouts: { ...timeouts, totalMs: 50 } }));
    expect(second).toMatchObject({ code: "timeout_total", certainty: "not-sent" });
    expect(await first).toMatchObject({ code: "timeout_total", certainty: "unknown" });
    await eventually(() => server.openCount() === 0);
    expect(server.requests).toHaveLength(1);
  });

  test("takes a new connection when asked, closes it, and leaves the pooled one alone", async () => {
    const server = await aServer(answerWith(200));
    const send = aSend();
    await send(aRequest(server.url));
    await send(aRequest(server.url, { freshConnection: true }));
    await eventually(() => server.openCount() === 1);
    await send(aRequest(server.url));
    expect([server.requests.length, server.connectionCount()]).toEqual([3, 2]);
    expect(server.requests[1]?.head).toContain("connection: close");
  });

  test("never shares a connection between endpoints with other permissions", async () => {
    const server = await aServer(answerWith(200));
    const send = aSend();
    await send(aRequest(server.url));
    await send(aRequest(server.url, { allowPrivate: ["127.0.0.1/32"] }));
    expect(server.connectionCount()).toBe(2);
    expect(await send(aRequest(server.url, { allowPrivate: [] }))).toMatchObject({
      code: "blocked_address",
      certainty: "not-sent",
    });
    expect(server.requests).toHaveLength(2);
  });

  test("ignores proxy variables and the global dispatcher", async () => {
    const proxy = await aServer(answerWith(502));
    const server = await aServer(answerWith(200));
    for (const name of ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY"])
      vi.stubEnv(name, `http://127.0.0.1:${proxy.port}`);
    vi.stubEnv("NODE_USE_ENV_PROXY", "1");
    const before = getGlobalDispatcher();
    setGlobalDispatcher(new EnvHttpProxyAgent());
    onTestFinished(() => {
      setGlobalDispatcher(before);
      vi.unstubAllEnvs();
    });
    const send = aSend();
    expect(await send(aRequest(server.url))).toMatchObject({ status: 200 });
    expect(await send(aRequest(server.url, { freshConnection: true }))).toMatchObject({ status: 200 });
    expect([server.requests.length, proxy.connectionCount()]).toEqual([2, 0]);
  });

  test.each([
    ["no URL", { url: "not a url" }],
    ["an impossible port", { url: "http://127.0.0.1:65536/" }],
    ["a character above U+00FF in a header", { headers: { "webhook-id": "evt-苗-1" } }],
    ["an emoji in a header", { headers: { "webhook-id": "evt-😀" } }],
    ["a newline in a header", { headers: { "webhook-id": "a\nb" } }],
    ["a header name with a space", { headers: { "web hook": "x" } }],
    ["a host header", { headers: { Host: "other.example" } }],
    ["a transfer-encoding header", { headers: { "transfer-encoding": "chunked" } }],
    ["an upgrade header", { headers: { upgrade: "websocket" } }],
    ["a wrong content-length", { headers: { "content-length": "3" } }],
    ["a method with a space", { method: "PO ST" }],
    ["the method CONNECT", { method: "CONNECT" }],
  ])("refuses %s before anything is sent", async (_what, changes) => {
    const server = await aServer(answerWith(200));
    expect(await aSend()(aRequest(server.url, changes))).toMatchObject({
      kind: "failure",
      code: "request_invalid",
      certainty: "not-sent",
    });
    expect(server.requests).toHaveLength(0);
  });
});

test("a request that breaks its own type is an outcome too, not a rejection", async () => {
  // A JavaScript caller can do that.
  const request = aRequest("http://127.0.0.1:1/", { body: null as unknown as Uint8Array });
  expect(await aSend()(request)).toMatchObject({ kind: "failure", code: "transport_failed", certainty: "unknown" });
});

describe("cancellation", () => {
  test("before the start: nothing is sent", async () => {
    const server = await aServer(answerWith(200));
    expect(await aSend()(aRequest(server.url, { signal: AbortSignal.abort() }))).toMatchObject({
      code: "canceled",
      certainty: "not-sent",
    });
    expect(server.connectionCount()).toBe(0);
  });

  test("while connecting: not sent, although undici cannot abort that phase", async () => {
    const server = await aServer(answerWith(200));
    const controller = new AbortController();
    let answerLookup: () => void = () => undefined;
    const resolve = () =>
      new Promise<{ address: string; family: number }[]>(
        (done) => (answerLookup = () => done([{ address: "127.0.0.1", family: 4 }])),
      );
    const exchange = aSend({ resolve })(
      aRequest(`http://receiver.example:${server.port}/`, { signal: controller.signal }),
    );
    controller.abort();
    expect(await exchange).toMatchObject({ code: "canceled", certainty: "not-sent" });
    answerLookup();
    await eventually(() => server.connectionCount() === 1 && server.openCount() === 0);
    expect(server.requests).toHaveLength(0);
  });

  test("after the send: unknown, and the connection is dropped", async () => {
    const controller = new AbortController();
    const server = await aServer(() => controller.abort());
    expect(await aSend()(aRequest(server.url, { signal: controller.signal }))).toMatchObject({
      code: "canceled",
      certainty: "unknown",
    });
    await eventually(() => server.openCount() === 0);
  });

  test("after the status line: the status counts", async () => {
    const controller = new AbortController();
    const server = await aServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n123");
      setTimeout(() => controller.abort(), 100);
    });
    expect(await aSend()(aRequest(server.url, { signal: controller.signal }))).toMatchObject({
      kind: "answer",
      status: 200,
    });
  });

  test("leaves no listener on a long-lived signal", async () => {
    const server = await aServer(answerWith(200));
    const { signal } = new AbortController();
    const add = vi.spyOn(signal, "addEventListener");
    const remove = vi.spyOn(signal, "removeEventListener");
    await aSend()(aRequest(server.url, { signal }));
    expect(remove).toHaveBeenCalledTimes(add.mock.calls.length);
  });
});

describe("close", () => {
  test("waits for requests in flight, then refuses new ones", async () => {
    const server = await aServer((socket, request) => setTimeout(() => answerWith(200)(socket, request), 50));
    const { send, close } = createSend();
    const inFlight = send(aRequest(server.url));
    await eventually(() => server.requests.length === 1);
    const order: string[] = [];
    await Promise.all([inFlight.then(() => order.push("answered")), close().then(() => order.push("closed"))]);
    expect(order).toEqual(["answered", "closed"]);
    expect(await inFlight).toMatchObject({ kind: "answer", status: 200 });
    expect(await send(aRequest(server.url))).toMatchObject({ code: "canceled", certainty: "not-sent" });
  });
});

describe("with other users of undici in the process", () => {
  test("keeps the fates of concurrent requests apart", async () => {
    const good = await aServer((socket, request) =>
      setTimeout(() => answerWith(200)(socket, request), request.number % 7),
    );
    const bad = await aServer((socket) => socket.resetAndDestroy());
    const plain = createServer((_request, response) => response.end("ok"));
    await new Promise<void>((resolve) => plain.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void plain.close());
    const address = plain.address();
    const port = typeof address === "object" ? (address?.port ?? 0) : 0;
    const send = aSend({ maxConnectionsPerOrigin: 3 });
    const refusedUrl = `http://127.0.0.1:1/`;
    const exchanges = await Promise.all(
      Array.from({ length: 60 }, async (_, n) => {
        if (n % 4 === 3) return (await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: "x" })).text();
        const exchange = await send(aRequest([good.url, bad.url, refusedUrl][n % 4] ?? ""));
        return exchange.kind === "answer" ? exchange.status : `${exchange.code} ${exchange.certainty}`;
      }),
    );
    const seen = (rest: number) => [...new Set(exchanges.filter((_, n) => n % 4 === rest))];
    expect([0, 1, 2, 3].map(seen)).toEqual([[200], ["reset_after_send unknown"], ["connect_refused not-sent"], ["ok"]]);
  });
});
