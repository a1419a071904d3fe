/** Bodies without end, without content and without sense, many at a time: each its status, flat memory, and honest requests go on. */
import { gzipSync } from "node:zlib";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import {
  eventRequest,
  type ListeningApp,
  SHOP_HEADERS as HEADERS,
  shopEvent,
  useListeningApps,
} from "../../test/support/listening-app.ts";
import { liveBytes } from "../../test/support/live-memory.ts";
import { type RawConnection, rawRequest } from "../../test/support/raw-http.ts";
import { until } from "../../test/support/until.ts";

const MIB = 1024 * 1024;

const start = useListeningApps();

async function many(app: ListeningApp, count: number): Promise<readonly RawConnection[]> {
  return await Promise.all(Array.from({ length: count }, async () => await app.open()));
}

/** An honest producer among whatever else goes on; resolves with how long it waited for its 202. */
async function honestMs(app: ListeningApp, id: string): Promise<number> {
  const fromMs = performance.now();
  const connection = await app.open();
  connection.send(eventRequest(id, { connection: "close" }));
  expect(await connection.closed).toMatch(/^HTTP\/1\.1 202 /u);
  expect(app.submitted).toContain(id);
  return performance.now() - fromMs;
}

describe("three hundred connections at once", () => {
  const dripping = rawRequest("/v1/events", { ...HEADERS, "content-length": "1000" }, '{"source":');
  const unsigned = rawRequest("/v1/hooks/stripe", { ...HEADERS, "content-length": "1000" }, '{"id":');

  test("that idle or drip take next to no memory, keep nobody out, and are told 408 when their time is over", async () => {
    const app = await start({ limits: { headerTimeMs: 4000, bodyTimeMs: 4000 } });
    const before = liveBytes();
    const connections = await many(app, 300);
    for (const [index, { send }] of connections.entries())
      send(["", "POST /v1/events HTTP/1.1\r\nx-drip:", dripping, unsigned][index % 4] ?? "");
    expect(await honestMs(app, "among-them")).toBeLessThan(3000);
    const drip = setInterval(() => {
      for (const { socket, send } of connections) if (socket.writable && socket.bytesWritten > 0) send("a");
    }, 200);
    // Both ends of three hundred connections live in this process.
    expect(liveBytes() - before).toBeLessThan(30 * MIB);
    expect(await honestMs(app, "still")).toBeLessThan(3000);
    const answers = await Promise.all(connections.map(async ({ closed }) => await closed));
    clearInterval(drip);
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 408 .*application\/problem\+json/su);
    await until("all memory is given back", () => app.context.capacity.buffered() === 0);
    expect(await honestMs(app, "after")).toBeLessThan(3000);
    expect(app.submitted).toEqual(["among-them", "still", "after"]);
  });

  test("that bring as much as they may hold at most what all may hold together, and strangers only half of it", async () => {
    const app = await start({ limits: { maxBufferedBytes: 8 * MIB } });
    const before = liveBytes();
    const headers = { "content-type": "application/json", "content-length": String(MIB) };
    const connections = await many(app, 300);
    for (const { send } of connections) send(rawRequest("/v1/hooks/stripe", headers, "x".repeat(MIB / 4)));
    const refused = () => connections.filter(({ received }) => received().startsWith("HTTP/1.1 503 ")).length;
    await until("the room is taken", () => refused() >= 300 - 16);
    expect(app.context.capacity.buffered()).toBeLessThanOrEqual(4 * MIB);
    expect(liveBytes() - before).toBeLessThan(60 * MIB);
    await honestMs(app, "with-a-key");
  });
});

describe("a body", () => {
  test("declared as 64 GiB is 413 before a byte of it is sent, twenty times at once", async () => {
    const app = await start();
    const connections = await many(app, 20);
    const headers = { "content-type": "application/json", "content-length": "68719476736" };
    for (const { send } of connections) send(rawRequest("/v1/hooks/stripe", headers));
    await until("all are refused", () => connections.every(({ received }) => received().startsWith("HTTP/1.1 413 ")));
    expect(app.context.capacity.buffered()).toBe(0);
  });

  test("without end is 413 as soon as it is too large, with flat memory, twenty times at once", async () => {
    const app = await start();
    const before = liveBytes();
    let most = 0;
    const chunk = Buffer.alloc(64 * 1024, 0x20);
    const head = rawRequest("/v1/hooks/stripe", { "content-type": "application/json", "transfer-encoding": "chunked" });
    const answers = await Promise.all(
      (await many(app, 20)).map(async ({ send, received, socket }, index) => {
        send(head);
        for (let sent = 0; sent < 1024 && !received().includes("413"); sent += 1) {
          send("10000\r\n");
          send(chunk);
          send("\r\n");
          await pause(0);
          // One of them looks for all: each look collects the garbage of a whole process.
          if (index === 0) most = Math.max(most, liveBytes() - before);
        }
        await until("it is refused", () => received().includes("413") || socket.destroyed);
        return received();
      }),
    );
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 413 /u);
    // Twenty times 1 MiB that is read, once more to be put together, and what the sending end holds.
    expect(most).toBeLessThan(80 * MIB);
    expect(app.context.capacity.buffered()).toBe(0);
  });

  test("cut off by its sender leaves the server as it was", async () => {
    const app = await start();
    const connection = await app.open();
    connection.send(rawRequest("/v1/events", { ...HEADERS, "content-length": "100", expect: "100-continue" }));
    await until("it is being read", () => connection.received().includes("100 Continue"));
    connection.send("{");
    await until("a part of it is there", () => app.context.capacity.buffered() === 1);
    connection.socket.destroy();
    await until("its memory is given back", () => app.context.capacity.buffered() === 0);
    await honestMs(app, "after");
  });

  const event = (data: string) => `{"source":"shop","id":"e","type":"crm","data":${data}}`;
  const [open, close] = ["[", "]"].map((bracket) => bracket.repeat(100_000));
  test.each([
    ["gzip", gzipSync(shopEvent("e")), { "content-encoding": "gzip" }, 415],
    ["gzip that does not say so", gzipSync(shopEvent("e")), {}, 400],
    ["bytes that are not UTF-8", Buffer.from(event('"\u00ff"'), "latin1"), {}, 400],
    ["a byte order mark", `\ufeff${shopEvent("e")}`, {}, 400],
    ["UTF-16", Buffer.from(shopEvent("e"), "utf16le"), {}, 400],
    ["a charset that is another one", shopEvent("e"), { "content-type": "application/json; charset=utf-16" }, 415],
    ["a charset that is none", shopEvent("e"), { "content-type": 'application/json; charset="' }, 415],
    ["a member twice", event('{"a":1,"a":2}'), {}, 400],
    ["a member twice, once escaped", event('{"a":1,"\\u0061":2}'), {}, 400],
    ["a member of the event twice", '{"source":"shop","id":"e","id":"f","type":"crm"}', {}, 400],
    ["1e400", event("1e400"), {}, 202],
    ["an escaped NUL", event('"\\u0000"'), {}, 202],
    ["a raw NUL", event('"\0"'), {}, 400],
    ["NUL in the id", '{"source":"shop","id":"a\\u0000","type":"crm"}', {}, 400],
    ["__proto__", event('{"__proto__":{"admin":true}}'), {}, 202],
    ["__proto__ as the event", '{"__proto__":{"source":"shop","id":"e","type":"crm"}}', {}, 400],
    ["a hundred thousand levels", event(`${open ?? ""}${close ?? ""}`), {}, 400],
    ["a hundred thousand open brackets", event(open ?? ""), {}, 400],
    ["nothing", "", {}, 400],
    ["spaces", " ".repeat(100_000), {}, 400],
    ["more than the door takes", event(`"${"x".repeat(2 * MIB)}"`), {}, 413],
    ["more than any body may have", event(`"${"x".repeat(1.1 * MIB)}"`), {}, 413],
  ] as const)("of %s has its status, and is never a 500", async (_what, body, headers, status) => {
    const app = await start();
    const connection = await app.open();
    const bytes = Buffer.from(body);
    const all = { ...HEADERS, "content-length": String(bytes.byteLength), connection: "close", ...headers };
    connection.send(rawRequest("/v1/events", all));
    connection.send(bytes);
    const answer = await connection.closed;
    expect(Number(/^HTTP\/1\.1 (\d{3}) /u.exec(answer)?.[1])).toBe(status);
    expect(({} as { admin?: unknown }).admin).toBeUndefined();
  });

  test("of a hundred thousand members is taken", async () => {
    const app = await start();
    const members = Array.from({ length: 100_000 }, (_, index) => `"k${index}":1`).join(",");
    const body = `{${members},"source":"shop","id":"wide","type":"crm"}`;
    const connection = await app.open();
    connection.send(
      rawRequest("/v1/events", { ...HEADERS, "content-length": String(body.length), connection: "close" }),
    );
    connection.send(body);
    expect(await connection.closed).toMatch(/^HTTP\/1\.1 202 /u);
  });
});
