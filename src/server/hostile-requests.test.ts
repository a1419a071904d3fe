/** Requests that no client library sends, over a real socket: each gets one answer, in its turn, and nothing else comes of it. */
import { describe, expect, test } from "vitest";
import {
  eventRequest,
  type ListeningApp,
  SHOP_HEADERS,
  shopEvent,
  useListeningApps,
} from "../../test/support/listening-app.ts";
import { liveBytes } from "../../test/support/live-memory.ts";
import { until } from "../../test/support/until.ts";
import { createMetrics } from "../telemetry/metrics.ts";

const start = useListeningApps();

/** Everything that comes back on one connection until it is closed. */
async function exchange({ open }: ListeningApp, ...parts: readonly string[]): Promise<string> {
  const connection = await open();
  for (const part of parts) connection.send(Buffer.from(part, "latin1"));
  return await connection.closed;
}

const statusesIn = (text: string): readonly number[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

const BODY = shopEvent("e1");
const KEY = `authorization: ${SHOP_HEADERS.authorization}\r\ncontent-type: application/json\r\n`;
const post = (headers: string, body = BODY, version = "1.1"): string =>
  `POST /v1/events HTTP/${version}\r\nhost: a\r\n${KEY}${headers}\r\n\r\n${body}`;
const length = `content-length: ${BODY.length}`;
const chunk = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`;
/** What a smuggler hides in a body. */
const HIDDEN = `0\r\n\r\n${eventRequest("hidden")}`;

describe("a body whose length can be read in two ways", () => {
  test.each([
    ["a length and chunks", post(`${length}\r\ntransfer-encoding: chunked`, HIDDEN)],
    ["chunks and a length", post(`transfer-encoding: chunked\r\n${length}`, HIDDEN)],
    ["two lengths", post(`content-length: 5\r\n${length}`)],
    ["the same length twice", post(`${length}\r\n${length}`)],
    ["a list of lengths", post("content-length: 5, 5")],
    ["a length with a sign", post("content-length: +5")],
    ["a negative length", post("content-length: -5")],
    ["a length beyond all numbers", post("content-length: 99999999999999999999999")],
    ["a folded header", post(`x-a: b\r\n c\r\n${length}`)],
    ["folded chunks", post(`transfer-encoding:\r\n chunked\r\n${length}`, HIDDEN)],
    ["a space before the colon", post("content-length : 5")],
    ["a coding that looks like chunks", post("transfer-encoding: xchunked", chunk)],
    ["chunks inside of another coding", post("transfer-encoding: gzip, chunked", chunk)],
    ["another coding inside of chunks", post("transfer-encoding: chunked, identity", chunk)],
    ["chunks in HTTP/1.0", post("transfer-encoding: chunked", chunk, "1.0")],
    ["a bare line feed", post(length).replaceAll("\r\n", "\n")],
    ["a bare carriage return", post(`x-a: b\rc\r\n${length}`)],
    ["a chunk of no length", post("transfer-encoding: chunked", `zz\r\n${BODY}\r\n0\r\n\r\n`)],
    ["a chunk beyond all numbers", post("transfer-encoding: chunked", `FFFFFFFFFFFFFFFFFF\r\n${BODY}`)],
    ["NUL in a header", post(`x-a: b\0c\r\n${length}`)],
    ["two hosts", post(`host: b\r\n${length}`)],
  ])("is 400 and the end of the connection: %s", async (_what, text) => {
    const app = await start();
    const answer = await exchange(app, text);
    expect(statusesIn(answer)).toEqual([400]);
    expect(answer).toContain("application/problem+json");
    expect(app.submitted).toEqual([]);
  });
});

test("trailers and chunk extensions are no headers", async () => {
  const app = await start();
  const trailed = `${BODY.length.toString(16)};a=b\r\n${BODY}\r\n0\r\nidempotency-key: other\r\n\r\n`;
  const answer = await exchange(app, post("transfer-encoding: chunked\r\nconnection: close", trailed));
  expect([statusesIn(answer), app.submitted]).toEqual([[202], ["e1"]]);
});

test("headers beyond the two thousandth are headers all the same", async () => {
  const app = await start();
  const one = "ce-specversion: 1.0\r\nce-source: shop\r\nce-type: crm\r\nce-id: a";
  const answer = await exchange(
    app,
    post(`${one}\r\n${"a:\r\n".repeat(2100)}ce-id: b\r\nconnection: close\r\n${length}`),
  );
  expect(answer).toMatch(/^HTTP\/1\.1 400 .*"code":"bad_id"/s);
  expect(app.submitted).toEqual([]);
});

describe("an odd request", () => {
  const get = (line: string) => `${line}\r\nhost: a\r\nconnection: close\r\n\r\n`;
  test.each([
    ["PUT", get("PUT /v1/events HTTP/1.1"), 405],
    ["OPTIONS", get("OPTIONS /v1/events HTTP/1.1"), 405],
    ["TRACE, which would show a key", get(`TRACE /v1/events HTTP/1.1\r\nx-key: secret-of-mine`), 405],
    ["a method in lower case", get("get /healthz HTTP/1.1"), 400],
    ["an invented method", get("FOO /healthz HTTP/1.1"), 400],
    ["CONNECT", get("CONNECT other.example:443 HTTP/1.1"), 400],
    ["OPTIONS *", get("OPTIONS * HTTP/1.1"), 400],
    ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400],
    ["HTTP/3.7", get("GET /healthz HTTP/3.7"), 400],
    ["no version", "GET /healthz\r\n\r\n", 400],
    ["no host", "GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n", 400],
    ["a host that is a path", "GET / HTTP/1.1\r\nhost: a/metrics?\r\nconnection: close\r\n\r\n", 400],
    ["a host with a user", "GET /healthz HTTP/1.1\r\nhost: u@b\r\nconnection: close\r\n\r\n", 400],
    ["another expectation", get("GET /healthz HTTP/1.1\r\nexpect: a-miracle"), 417],
    ["a path to what a proxy keeps back", get("GET /v1/../metrics HTTP/1.1"), 400],
    ["a path with two slashes", get("GET //metrics HTTP/1.1"), 404],
    ["a raw byte in the path", get("GET /v1/events/shop/\xe9 HTTP/1.1"), 400],
    ["a broken escape in the path", get("GET /v1/events/shop/%E9 HTTP/1.1"), 400],
    ["NUL in the path", get("GET /v1/events/shop/a\0b HTTP/1.1"), 400],
    ["a path beyond the limit", get(`GET /v1/events/shop/${"a".repeat(17_000)} HTTP/1.1`), 431],
    ["an absolute address", get("GET http://other.example/healthz HTTP/1.1"), 200],
    ["an upgrade", get("GET /healthz HTTP/1.1\r\nupgrade: websocket"), 200],
    ["HTTP/1.0", "GET /healthz HTTP/1.0\r\n\r\n", 200],
    ["three thousand headers", get(`GET /healthz HTTP/1.1\r\n${"a:\r\n".repeat(3000)}b:`), 200],
  ])("%s has its status, and errors are problem JSON", async (_what, text, status) => {
    const answer = await exchange(await start(), text);
    expect(statusesIn(answer)).toEqual([status]);
    if (status >= 400) expect(answer).toContain("content-type: application/problem+json");
    expect(answer).not.toMatch(/secret-of-mine|\bat .*\.ts/);
  });
});

describe("several requests at once on one connection", () => {
  test("are answered one after the other, in their order", async () => {
    const app = await start({ slow: true });
    const answered = exchange(app, `${eventRequest("e1")}${eventRequest("e2", { connection: "close" })}`);
    await until("the first is on its way", () => app.submitted.includes("e1"));
    expect(app.submitted).toEqual(["e1"]);
    app.release();
    const answer = await answered;
    expect(statusesIn(answer)).toEqual([202, 202]);
    expect(answer.indexOf("shop/e1")).toBeLessThan(answer.indexOf("shop/e2"));
  });

  test("and nonsense behind them: the nonsense is answered last, not in the place of an event that was taken", async () => {
    const app = await start({ slow: true });
    const answered = exchange(app, `${eventRequest("e1")}\x16\x03 nonsense\r\n\r\n`);
    await until("the event is on its way", () => app.submitted.includes("e1"));
    app.release();
    expect(statusesIn(await answered)).toEqual([202, 400]);
  });

  test("and a broken one behind them: it is never begun", async () => {
    const app = await start({ slow: true });
    const answered = exchange(app, `${eventRequest("e1")}${post("transfer-encoding: chunked", "zz\r\n")}`);
    await until("the event is on its way", () => app.submitted.includes("e1"));
    app.release();
    expect(statusesIn(await answered)).toEqual([202, 400]);
    expect(app.submitted).toEqual(["e1"]);
  });

  test("are cut when there are too many of them: nobody has answers kept that he does not read", async () => {
    const app = await start();
    const before = liveBytes();
    const connections = await Promise.all(Array.from({ length: 10 }, async () => await app.open()));
    for (const { socket, send } of connections) {
      socket.pause();
      // As many as Node reads at once; the answers to them would be 35 MB for each connection.
      send(DOCUMENT.repeat(1400));
    }
    let most = 0;
    await until("all are cut", () => {
      most = Math.max(most, liveBytes() - before);
      return connections.every(({ isCut }) => isCut());
    });
    expect(most).toBeLessThan(20 * 1024 * 1024);
  });

  test("are answered no further while nobody reads, and the connection is closed in the end", async () => {
    let answered = 0;
    const metrics = { ...createMetrics(), answered: () => void (answered += 1) };
    const app = await start({ limits: { readTimeMs: 1500 }, changes: { metrics } });
    const { socket, send, isCut } = await app.open();
    socket.pause();
    let [sent, isStuck] = [0, false];
    while (!isStuck && sent < 2000) {
      send(DOCUMENT.repeat(20));
      sent += 20;
      isStuck = await until("all are answered", () => answered === sent, { withinMs: 500 }).then(
        () => false,
        () => true,
      );
    }
    // The buffers of the system are full; what else was asked for was not even begun.
    expect(answered).toBeLessThan(sent);
    await until("it is closed", () => isCut());
  });
});

describe("a client that asks before it sends", () => {
  const asking = (headers: string, key = KEY) => `POST /v1/events HTTP/1.1\r\nhost: a\r\n${key}${headers}\r\n\r\n`;
  const expecting = "expect: 100-continue\r\n";

  test("is told to come on once its body is about to be read, and keeps its connection", async () => {
    const app = await start();
    const { send, received } = await app.open();
    send(asking(`${expecting}${length}`));
    await until("it may come", () => received() === "HTTP/1.1 100 Continue\r\n\r\n");
    send(BODY);
    await until("it was taken", () => statusesIn(received()).includes(202));
    send(eventRequest("e2"));
    await until("so is the next one", () => app.submitted.includes("e2"));
  });

  test.each([
    ["without a key", asking(`${expecting}${length}`, ""), 401],
    ["with a body that is too large", asking(`${expecting}content-length: 99999999`), 413],
    ["with a body of another form", asking(`${expecting}${length}`).replace("application/json", "text/plain"), 415],
    ["where nothing is", asking(`${expecting}${length}`).replace("/v1/events", "/v2/events"), 404],
  ])(
    "is told no without its body %s, and that the connection ends: what comes next is no body",
    async (_who, text, status) => {
      const app = await start();
      const answer = await exchange(app, text, eventRequest("next"));
      expect(statusesIn(answer)).toEqual([status]);
      expect(answer.toLowerCase()).toContain("connection: close");
      expect(app.submitted).toEqual([]);
    },
  );

  test("in HTTP/1.0 has not asked", async () => {
    const app = await start();
    expect(statusesIn(await exchange(app, post(`${expecting}${length}`, BODY, "1.0")))).toEqual([202]);
  });
});

describe("a client that leaves", () => {
  test("only its own side has its answer", async () => {
    const app = await start({ slow: true });
    const { socket, closed } = await app.open();
    socket.end(eventRequest("e1"));
    await until("the event is on its way", () => app.submitted.includes("e1"));
    app.release();
    expect(statusesIn(await closed)).toEqual([202]);
  });

  test("in the middle of its body, on its own side, is told so", async () => {
    const app = await start();
    const { socket, closed } = await app.open();
    socket.end(eventRequest("e1").slice(0, -3));
    expect(statusesIn(await closed)).toEqual([400]);
    expect(app.submitted).toEqual([]);
  });

  test("by a reset while it is answered leaves nothing behind, twenty times", async () => {
    const app = await start({ slow: true });
    for (let n = 0; n < 20; n += 1) {
      const { socket, send } = await app.open();
      send(eventRequest(`e${n}`));
      await until("the event is on its way", () => app.submitted.includes(`e${n}`));
      socket.resetAndDestroy();
    }
    const { capacity } = app.context;
    expect([capacity.inFlight(), capacity.buffered() > 0]).toEqual([20, true]);
    app.release();
    await until("all places are free", () => capacity.inFlight() === 0 && capacity.buffered() === 0);
    expect(statusesIn(await exchange(app, eventRequest("after", { connection: "close" })))).toEqual([202]);
  });
});

describe("after a body that is too large", () => {
  test("and was sent all the same, the next request is the next request", async () => {
    const app = await start();
    const large = "x".repeat(3_000_000);
    const answer = await exchange(
      app,
      post(`content-length: ${large.length}`, large),
      eventRequest("next", { connection: "close" }),
    );
    expect([statusesIn(answer), app.submitted]).toEqual([[413, 202], ["next"]]);
  });

  test("and does not come, nothing is taken for it for long: the connection is closed", async () => {
    const app = await start();
    const answer = await exchange(app, post("content-length: 3000000", ""), eventRequest("next"));
    expect([statusesIn(answer), app.submitted]).toEqual([[413], []]);
  });
});

const DOCUMENT = "GET /openapi.json HTTP/1.1\r\nhost: a\r\n\r\n";
