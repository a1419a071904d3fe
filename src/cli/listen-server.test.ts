import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { signStandardWebhook } from "../signing/standard-webhooks.ts";
import { inTurn, parseAnswers } from "./listen-answers.ts";
import { type AnsweredRequest, type ListenOptions, type ListenServer, startListenServer } from "./listen-server.ts";

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

async function aServer(
  options: ListenOptions = {},
): Promise<{ readonly server: ListenServer; readonly seen: readonly AnsweredRequest[] }> {
  const seen: AnsweredRequest[] = [];
  const server = await startListenServer({ onRequest: (request) => void seen.push(request), ...options });
  onTestFinished(() => server.close());
  return { server, seen };
}

async function post(
  server: ListenServer,
  body: Uint8Array | string,
  headers: Record<string, string> = {},
): Promise<Response> {
  return await fetch(`${server.url}crm`, { method: "POST", body: Buffer.from(body), headers });
}

describe("startListenServer", () => {
  test("hands over the exact bytes, the path and the headers", async () => {
    const { server, seen } = await aServer();
    const body = Buffer.from([0x00, 0xff, 0x0a, 0x7b]);
    expect((await post(server, body, { "ce-id": "evt_1" })).status).toBe(200);
    expect(seen[0]).toMatchObject({ number: 1, method: "POST", path: "/crm", idempotencyKey: null, seenBefore: 0 });
    expect(seen[0]?.headers["ce-id"]).toBe("evt_1");
    expect(seen[0]?.body.equals(body)).toBe(true);
  });

  test("counts earlier requests with the same key", async () => {
    const { server, seen } = await aServer();
    for (const key of ["a", "b", "a", "a"]) await post(server, "{}", { "idempotency-key": key });
    expect(seen.map(({ idempotencyKey, seenBefore }) => [idempotencyKey, seenBefore])).toEqual([
      ["a", 0],
      ["b", 0],
      ["a", 1],
      ["a", 2],
    ]);
  });

  test("answers as told, with Retry-After", async () => {
    const { server } = await aServer({ answer: inTurn(parseAnswers("503:2,200")) });
    const first = await post(server, "{}");
    expect([first.status, first.headers.get("retry-after")]).toEqual([503, "2"]);
    expect((await post(server, "{}")).status).toBe(200);
  });

  test("cuts the connection after the whole request has come in", async () => {
    const { server, seen } = await aServer({ answer: inTurn(parseAnswers("cut")) });
    await expect(post(server, "{}")).rejects.toThrow("fetch failed");
    expect(seen.map(({ body }) => body.toString())).toEqual(["{}"]);
  });

  test("holds a request open until it is closed", async () => {
    let told = (): void => undefined;
    const request = new Promise<void>((resolve) => (told = resolve));
    const server = await startListenServer({
      answer: inTurn(parseAnswers("hang")),
      onRequest: () => told(),
    });
    const answered = post(server, "{}").then(
      () => "answered",
      () => "cut",
    );
    await request;
    await server.close();
    expect(await answered).toBe("cut");
  });

  test("tells a valid signature from a wrong one, a missing one and one it cannot check", async () => {
    const body = Buffer.from("{}");
    const headers = {
      ...signStandardWebhook({ id: "cs1_x", timestampSeconds: Math.floor(Date.now() / 1000), body, secrets: [SECRET] }),
    };
    const checking = await aServer({ secrets: [`whsec_${Buffer.alloc(32, 8).toString("base64")}`, SECRET] });
    await post(checking.server, body, headers);
    await post(checking.server, "{ }", headers);
    await post(checking.server, body);
    expect(checking.seen.map(({ check }) => check)).toEqual([
      { signature: "valid" },
      { signature: "refused", reason: "signature_mismatch" },
      { signature: "refused", reason: "missing_header" },
    ]);
    const trusting = await aServer();
    await post(trusting.server, body, headers);
    await post(trusting.server, body);
    expect(trusting.seen.map(({ check }) => check)).toEqual([
      { signature: "not-checked", signed: true },
      { signature: "not-checked", signed: false },
    ]);
  });

  test("refuses a body beyond its bound and tells nobody", async () => {
    const { server, seen } = await aServer();
    const response = await post(server, Buffer.alloc(4 * 1024 * 1024 + 1)).catch(() => null);
    expect(response === null || response.status === 413).toBe(true);
    expect(seen).toEqual([]);
  });

  test("survives what is no HTTP", async () => {
    const { server } = await aServer();
    const socket = connect(server.port, "127.0.0.1", () => socket.write("no http\r\n\r\n"));
    socket.resume();
    await once(socket, "close");
    expect((await post(server, "{}")).status).toBe(200);
  });

  test("says which port cannot be had", async () => {
    const { server } = await aServer();
    await expect(startListenServer({ port: server.port })).rejects.toMatchObject({
      code: "server_unavailable",
      message: expect.stringContaining(String(server.port)),
    });
  });

  test("refuses a secret that is none before it listens", async () => {
    await expect(startListenServer({ secrets: ["nonsense"] })).rejects.toMatchObject({ code: "config_invalid" });
  });
});
