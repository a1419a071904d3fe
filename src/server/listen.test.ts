/** The server on a socket: bounds on time and size, honest clients among idle ones, and an end that drops nothing. */
import { Agent, request as httpRequest } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { anApp } from "../../test/support/an-app.ts";
import {
  eventRequest,
  LISTENING_CONFIG,
  type ListeningApp,
  type ListeningOptions,
  SHOP_HEADERS as HEADERS,
  shopEvent,
  useListeningApps,
} from "../../test/support/listening-app.ts";
import { rawRequest } from "../../test/support/raw-http.ts";
import { until } from "../../test/support/until.ts";
import type { Countersign } from "../client/countersign.ts";
import { listen } from "./listen.ts";
import type { ServerLimits } from "./limits.ts";

const startApp = useListeningApps();

const start = async (limits: Partial<ServerLimits> = {}, options: ListeningOptions = {}): Promise<ListeningApp> =>
  await startApp({ limits, ...options });

describe("headers", () => {
  test("of 17,000 bytes are 431, as problem JSON", async () => {
    const { open } = await start();
    const connection = await open();
    connection.send(rawRequest("/v1/events", { ...HEADERS, "x-long": "x".repeat(17_000) }));
    const answer = await connection.closed;
    expect(answer).toMatch(/^HTTP\/1\.1 431 /u);
    expect(answer).toContain("application/problem+json");
  });

  test("that never end are 408, and the connection is closed", async () => {
    const { open } = await start({ headerTimeMs: 300 });
    const connection = await open();
    connection.send("POST /v1/events HTTP/1.1\r\nhost: x\r\nx-drip: ");
    expect(await connection.closed).toMatch(/^HTTP\/1\.1 408 /u);
  });

  test("that are no HTTP are 400", async () => {
    const { open } = await start();
    const connection = await open();
    connection.send("\x16\x03\x01\x02\x00\x01\x00\r\n\r\n");
    expect(await connection.closed).toMatch(/^HTTP\/1\.1 400 /u);
  });

  test.each([
    ["ids: not one with a comma", { "ce-id": "a" }, "ce-id: b", 400, "bad_id"],
    ["keys of idempotency", { "idempotency-key": "a" }, "idempotency-key: b", 400, "bad_id"],
    ["keys of idempotency that are the same", { "idempotency-key": "a" }, "idempotency-key: a", 400, "bad_id"],
    ["API keys, the good one first", { "ce-id": "a" }, "authorization: Bearer x", 401, "unauthorized"],
    ["content types", { "ce-id": "a" }, "content-type: text/plain", 415, "unsupported_media_type"],
  ])("that stand there twice are told apart: two %s", async (_what, one, other, status, code) => {
    const { open, submitted } = await start();
    const connection = await open();
    const attributes = { "ce-specversion": "1.0", "ce-source": "shop", "ce-type": "crm", ...one };
    const head = rawRequest("/v1/events", { ...HEADERS, ...attributes, "content-length": "2", connection: "close" });
    connection.send(head.replace("\r\n\r\n", `\r\n${other}\r\n\r\n{}`));
    expect(await connection.closed).toMatch(new RegExp(`^HTTP/1\\.1 ${status} .*"code":"${code}"`, "su"));
    expect(submitted).toEqual([]);
  });
});

describe("a stop", () => {
  test("answers what was taken, and only then ends", async () => {
    const { open, listener, submitted, release } = await start({}, { slow: true });
    const connection = await open();
    connection.send(eventRequest("e4"));
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
    const { url, listener, submitted } = await start({ lameDuckMs: 2000 });
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
    const { open, listener, submitted } = await start({ drainMs: 100 }, { slow: true });
    const connection = await open();
    connection.send(eventRequest("e5"));
    await until("it is on its way", () => submitted.includes("e5"));
    await listener.close();
    expect(await connection.closed).toBe("");
  });
});

describe("a stop does not wait", () => {
  test.each([
    ["has said nothing yet", ""],
    ["has not said all of its headers", "POST /v1/events HTTP/1.1\r\nx-drip: "],
  ])("for a connection that %s", async (_what, text) => {
    const { open, listener } = await start({ drainMs: 60_000, headerTimeMs: 60_000 });
    const connection = await open();
    connection.send(text);
    // It has arrived when another one, opened later, has been served.
    const served = await open();
    served.send(rawRequest("/v1/events", { connection: "close" }));
    await served.closed;
    await listener.close();
    expect(await connection.closed).toBe("");
  });

  test("longer than ever for a body: it is 408 at its time", async () => {
    const { open, listener } = await start({ drainMs: 60_000, bodyTimeMs: 300 });
    const connection = await open();
    connection.send(rawRequest("/v1/events", { ...HEADERS, "content-length": "100", expect: "100-continue" }));
    await until("it is being read", () => connection.received().includes("100 Continue"));
    await listener.close();
    expect(await connection.closed).toMatch(/HTTP\/1\.1 408 /u);
  });
});

async function postOnce(url: string, agent: Agent, id: string): Promise<number | string> {
  return await new Promise((resolve) => {
    const sent = httpRequest(`${url}/v1/events`, { method: "POST", agent, headers: HEADERS }, (response) => {
      response.resume().once("end", () => resolve(response.statusCode ?? 0));
    });
    sent.once("error", (error) => resolve(error.message)).end(shopEvent(id));
  });
}

test("an address that is taken is said in a sentence", async () => {
  const { url } = await start();
  const { app, context } = anApp({ countersign: {} as Countersign, config: LISTENING_CONFIG }); // never asked
  const taken = listen(app, { host: "127.0.0.1", port: Number(new URL(url).port), limits: context.limits });
  await expect(taken).rejects.toMatchObject({
    code: "server_unavailable",
    message: expect.stringContaining("EADDRINUSE"),
  });
});
