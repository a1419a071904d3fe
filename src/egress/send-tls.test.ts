import type { TlsOptions } from "node:tls";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { answerWith, tlsFile } from "../../test/support/loopback-server.ts";
import { aRequest, aSend, aServer } from "../../test/support/outgoing-request.ts";
import type { Resolve } from "./connector.ts";

const CA = tlsFile("ca.pem");
const KEY = tlsFile("server.key");
const toLoopback: Resolve = async () => [{ address: "127.0.0.1", family: 4 }];
const notSent = (code: string) => ({ kind: "failure", code, certainty: "not-sent" });

function tlsServer(certificate: string, options: TlsOptions = {}) {
  return aServer(answerWith(200), { tls: { cert: tlsFile(certificate), key: KEY, ...options } });
}

const aTrustingSend = () => aSend({ ca: CA, resolve: toLoopback });
const named = (port: number) => `https://receiver.example:${port}/hook`;

describe("over TLS", () => {
  test("delivers where the certificate is good, by name and by address", async () => {
    const server = await tlsServer("valid.pem");
    const send = aTrustingSend();
    expect(await send(aRequest(named(server.port)))).toMatchObject({ kind: "answer", status: 200 });
    expect(await send(aRequest(server.url))).toMatchObject({ kind: "answer", status: 200 });
    expect(server.requests[0]?.head).toContain(`host: receiver.example:${server.port}`);
  });

  test.each([
    ["expired.pem", "tls_expired"],
    ["not-yet-valid.pem", "tls_not_yet_valid"],
    ["wrong-host.pem", "tls_wrong_host"],
    ["self-signed.pem", "tls_self_signed"],
    ["unknown-ca.pem", "tls_unknown_ca"],
  ])("refuses %s as %s, and sends nothing", async (certificate, code) => {
    const server = await tlsServer(certificate);
    const send = aTrustingSend();
    expect(await send(aRequest(named(server.port)))).toMatchObject(notSent(code));
    expect(await send(aRequest(named(server.port), { freshConnection: true }))).toMatchObject(notSent(code));
    expect(server.requests).toHaveLength(0);
  });

  test("trusts only the authorities it was given", async () => {
    const server = await tlsServer("valid.pem");
    expect(await aSend({ resolve: toLoopback })(aRequest(named(server.port)))).toMatchObject(notSent("tls_unknown_ca"));
  });

  test("verifies although NODE_TLS_REJECT_UNAUTHORIZED says not to", async () => {
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    onTestFinished(() => void vi.unstubAllEnvs());
    const server = await tlsServer("expired.pem");
    expect(await aTrustingSend()(aRequest(named(server.port)))).toMatchObject(notSent("tls_expired"));
  });

  test("several requests to one bad certificate all end", async () => {
    const server = await tlsServer("wrong-host.pem");
    const send = aSend({ ca: CA, resolve: toLoopback, maxConnectionsPerOrigin: 1 });
    const exchanges = await Promise.all(Array.from({ length: 4 }, () => send(aRequest(named(server.port)))));
    for (const exchange of exchanges) expect(exchange).toMatchObject(notSent("tls_wrong_host"));
  });

  test("plain HTTP behind https is tls_protocol", async () => {
    const server = await aServer(() => undefined, {
      onConnection: (socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"),
    });
    expect(await aTrustingSend()(aRequest(named(server.port)))).toMatchObject(notSent("tls_protocol"));
  });

  test("a server that speaks only old TLS is tls_protocol", async () => {
    const server = await tlsServer("valid.pem", {
      minVersion: "TLSv1.1",
      maxVersion: "TLSv1.1",
      ciphers: "DEFAULT@SECLEVEL=0",
    });
    expect(await aTrustingSend()(aRequest(named(server.port)))).toMatchObject(notSent("tls_protocol"));
  });

  test.each(["end", "resetAndDestroy"] as const)(
    "a peer that leaves the handshake (%s) is tls_reset",
    async (leave) => {
      const server = await aServer(() => undefined, {
        onConnection: (socket) => void socket.once("data", () => socket[leave]()),
      });
      expect(await aTrustingSend()(aRequest(named(server.port)))).toMatchObject(notSent("tls_reset"));
    },
  );

  test("a demanded client certificate shows only after the send: unknown", async () => {
    const server = await tlsServer("valid.pem", {
      requestCert: true,
      rejectUnauthorized: true,
      ca: CA,
      minVersion: "TLSv1.3",
    });
    const exchange = await aTrustingSend()(aRequest(named(server.port)));
    expect(exchange).toMatchObject({ kind: "failure", certainty: "unknown" });
    expect(exchange.kind === "failure" && exchange.code).toMatch(/^(closed|reset)_after_send$/);
    expect(server.requests).toHaveLength(0);
  });

  test("a server that reads everything over TLS and closes leaves the outcome unknown", async () => {
    const server = await aServer((socket) => socket.end(), { tls: { cert: tlsFile("valid.pem"), key: KEY } });
    expect(await aTrustingSend()(aRequest(named(server.port)))).toMatchObject({
      code: "closed_after_send",
      certainty: "unknown",
    });
    expect(server.requests).toHaveLength(1);
  });
});
