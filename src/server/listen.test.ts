/** The server on a socket: hostile and clumsy clients, and an end that drops nothing. No Temporal: events go to a fake. */
import { Agent, request as httpRequest } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { aConfig } from "../../test/support/a-config.ts";
import { anApp, aKey } from "../../test/support/an-app.ts";
import { rawConnection, type RawConnection, rawRequest } from "../../test/support/raw-http.ts";
import { until } from "../../test/support/until.ts";
import type { Countersign } from "../client/countersign.ts";
import type { Receipt } from "../client/submit.ts";
import { listen, type Listener } from "./listen.ts";
import type { ServerLimits } from "./limits.ts";

const KEY = aKey({ role: "ingest", sources: ["shop"] });
const SECRET = "stripe secret";
const config = aConfig({
  baseUrl: "https://crm.example",
  endpoints: { crm: {} },
  rest: { sources: { shop: {}, stripe: { verify: { scheme: "stripe", secrets: [SECRET] } } }, keys: [KEY.entry] },
});

interface Running {
  readonly url: string;
  readonly listener: Listener;
  /** Ids of what was submitted. */
  readonly submitted: readonly string[];
  /** Resolves the submit that waits. */
  release(): void;
}

const running: Listener[] = [];
const sockets: RawConnection[] = [];

afterEach(async () => {
  for (const { socket } of sockets.splice(0)) socket.destroy();
  await Promise.all(running.splice(0).map(async (listener) => await listener.close()));
});

async function start(limits: Partial<ServerLimits> = {}, { slow = false } = {}): Promise<Running> {
  const submitted: string[] = [];
  let release = (): void => undefined;
  const gate = slow ? new Promise<void>((resolve) => (release = resolve)) : null;
  const submit = async (event: unknown): Promise<Receipt> => {
    const { id } = event as { readonly id: string }; // parsed by the door
    submitted.push(id);
    await gate;
    return { key: `shop/${id}`, duplicate: false, state: "in-progress", workflowId: `shop/${id}`, runId: "r" };
  };
  let stopping = false;
  // Nothing else of the facade is called here.
  const countersign = { submit } as Partial<Countersign> as Countersign;
  const { app, context } = anApp({
    countersign,
    config,
    limits: { lameDuckMs: 0, ...limits },
    changes: { stopping: () => stopping },
  });
  const opened = await listen(app, { host: "127.0.0.1", port: 0, limits: context.limits });
  const listener = { ...opened, close: async () => ((stopping = true), await opened.close()) };
  running.push(listener);
  return { url: opened.url, listener, submitted, release: () => release() };
}

async function open(url: string): Promise<RawConnection> {
  const connection = await rawConnection(url);
  sockets.push(connection);
  return connection;
}

const HEADERS = { authorization: KEY.bearer, "content-type": "application/json" };
const anEvent = (id: string) => JSON.stringify({ source: "shop", id, type: "crm" });
const whole = (id: string) =>
  rawRequest("/v1/events", { ...HEADERS, "content-length": String(anEvent(id).length) }, anEvent(id));

describe("headers", () => {
  test("of 17,000 bytes are 431, as problem JSON", async () => {
    const { url } = await start();
    const connection = await open(url);
    connection.send(rawRequest("/v1/events", { ...HEADERS, "x-long": "x".repeat(17_000) }));
    const answer = await connection.closed;
    expect(answer).toMatch(/^HTTP\/1\.1 431 /u);
    expect(answer).toContain("application/problem+json");
  });

  test("that never end are 408, and the connection is closed", async () => {
    const { url } = await start({ headerTimeMs: 300 });
    const connection = await open(url);
    connection.send("POST /v1/events HTTP/1.1\r\nhost: x\r\nx-drip: ");
    expect(await connection.closed).toMatch(/^HTTP\/1\.1 408 /u);
  });

  test("that are no HTTP are 400", async () => {
    const { url } = await start();
    const connection = await open(url);
    connection.send("\x16\x03\x01\x02\x00\x01\x00\r\n\r\n");
    expect(await connection.closed).toMatch(/^HTTP\/1\.1 400 /u);
  });

  test("that stand there twice are told apart: two ids are none, and not one with a comma", async () => {
    const { url, submitted } = await start();
    const connection = await open(url);
    const attributes = { "ce-specversion": "1.0", "ce-source": "shop", "ce-type": "crm", "ce-id": "a" };
    const head = rawRequest("/v1/events", { ...HEADERS, ...attributes, "content-length": "2", connection: "close" });
    connection.send(head.replace("\r\n\r\n", "\r\nce-id: b\r\n\r\n{}"));
    expect(await connection.closed).toMatch(/^HTTP\/1\.1 400 .*"code":"bad_id"/su);
    expect(submitted).toEqual([]);
  });
});

describe("a body", () => {
  test("declared as 64 GiB is 413 before a byte of it is sent", async () => {
    const { url } = await start();
    const connection = await open(url);
    connection.send(
      rawRequest("/v1/hooks/stripe", { "content-type": "application/json", "content-length": "68719476736" }),
    );
    await until("it is refused", () => connection.received().startsWith("HTTP/1.1 413 "));
  });

  test("without end is 413 as soon as it is too large, with flat memory, twenty times at once", async () => {
    const { url } = await start();
    const before = process.memoryUsage().rss;
    const chunk = Buffer.alloc(64 * 1024, 0x20);
    const head = rawRequest("/v1/hooks/stripe", { "content-type": "application/json", "transfer-encoding": "chunked" });
    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const connection = await open(url);
        connection.send(head);
        for (let sent = 0; sent < 1024 && !connection.received().includes("413"); sent += 1) {
          connection.send("10000\r\n");
          connection.send(chunk);
          connection.send("\r\n");
          await pause(0);
        }
        await until("it is refused", () => connection.received().includes("413") || connection.socket.destroyed);
        return connection.received();
      }),
    );
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 413 /u);
    // Both ends of twenty connections live in this process.
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
  });

  test("that drips is 408, and its connection is closed", async () => {
    const { url } = await start({ bodyTimeMs: 200 });
    const connection = await open(url);
    connection.send(rawRequest("/v1/events", { ...HEADERS, "content-length": "100" }, "{"));
    expect(await connection.closed).toMatch(/^HTTP\/1\.1 408 /u);
  });

  test("that asks first is told to come only if it may", async () => {
    const { url, submitted } = await start();
    const [may, mayNot] = [await open(url), await open(url)];
    const expecting = { ...HEADERS, expect: "100-continue" };
    may.send(rawRequest("/v1/events", { ...expecting, "content-length": String(anEvent("e1").length) }));
    await until("it may come", () => may.received().startsWith("HTTP/1.1 100 "));
    may.send(anEvent("e1"));
    await until("it was taken", () => may.received().includes("HTTP/1.1 202 "));
    mayNot.send(rawRequest("/v1/events", { ...expecting, "content-length": "99999999" }));
    await until("it may not", () => mayNot.received().startsWith("HTTP/1.1 413 "));
    expect(submitted).toEqual(["e1"]);
  });

  test("cut off by its sender leaves the server as it was", async () => {
    const { url, submitted } = await start();
    const connection = await open(url);
    connection.send(rawRequest("/v1/events", { ...HEADERS, "content-length": "100" }, "{"));
    await until("it was sent", () => connection.socket.writableLength === 0);
    connection.socket.destroy();
    const next = await open(url);
    next.send(whole("e2"));
    await until("the next one is taken", () => next.received().startsWith("HTTP/1.1 202 "));
    expect(submitted).toEqual(["e2"]);
  });
});

test("300 idle and dripping connections keep nobody out", async () => {
  const { url, submitted } = await start();
  const idle = await Promise.all(Array.from({ length: 300 }, async () => await open(url)));
  for (const [index, connection] of idle.entries())
    if (index % 2 === 0) connection.send("POST /v1/events HTTP/1.1\r\nx-drip:");
  const busy = await open(url);
  busy.send(whole("e3"));
  await until("it is taken", () => busy.received().startsWith("HTTP/1.1 202 "));
  expect(submitted).toEqual(["e3"]);
});

describe("a stop", () => {
  test("answers what was taken, and only then ends", async () => {
    const { url, listener, submitted, release } = await start({}, { slow: true });
    const connection = await open(url);
    connection.send(whole("e4"));
    await until("it is on its way", () => submitted.includes("e4"));
    let ended = false;
    const closed = listener.close().then(() => (ended = true));
    await pause(50);
    expect(ended).toBe(false);
    release();
    const answer = await connection.closed;
    expect(answer).toMatch(/^HTTP\/1\.1 202 /u);
    expect(answer.toLowerCase()).toContain("connection: close");
    await closed;
  });

  test("loses no request of a client that keeps its connection busy", async () => {
    const { url, listener, submitted } = await start({ lameDuckMs: 300 });
    const agent = new Agent({ keepAlive: true, maxSockets: 4 });
    const statuses: (number | string)[] = [];
    const going = new AbortController();
    const client = async (name: number): Promise<void> => {
      for (let n = 0; !going.signal.aborted; n += 1) statuses.push(await postOnce(url, agent, `c${name}-${n}`));
    };
    const clients = Promise.all([1, 2, 3, 4].map(client));
    await until("they are under way", () => statuses.length > 20);
    const closed = listener.close();
    const before = statuses.length;
    await until("they went on after it", () => statuses.length > before + 20);
    going.abort();
    await clients;
    await closed;
    expect(new Set(statuses)).toEqual(new Set([202]));
    expect(new Set(submitted).size).toBe(statuses.length);
    agent.destroy();
  });

  test("cuts what takes longer than it may", async () => {
    const { url, listener, submitted } = await start({ drainMs: 100 }, { slow: true });
    const connection = await open(url);
    connection.send(whole("e5"));
    await until("it is on its way", () => submitted.includes("e5"));
    await listener.close();
    expect(await connection.closed).toBe("");
  });
});

async function postOnce(url: string, agent: Agent, id: string): Promise<number | string> {
  return await new Promise((resolve) => {
    const sent = httpRequest(`${url}/v1/events`, { method: "POST", agent, headers: HEADERS }, (response) => {
      response.resume().once("end", () => resolve(response.statusCode ?? 0));
    });
    sent.once("error", (error) => resolve(error.message)).end(anEvent(id));
  });
}

test("an address that is taken is said in a sentence", async () => {
  const { url } = await start();
  const { app, context } = anApp({ countersign: {} as Countersign, config }); // never asked
  const taken = listen(app, { host: "127.0.0.1", port: Number(new URL(url).port), limits: context.limits });
  await expect(taken).rejects.toMatchObject({
    code: "server_unavailable",
    message: expect.stringContaining("EADDRINUSE"),
  });
});
