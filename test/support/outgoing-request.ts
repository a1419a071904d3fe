/** Builders for what is sent in egress tests, cleaned up after each test. */
import { onTestFinished } from "vitest";
import { createSend } from "../../src/egress/send.ts";
import type { SendOptions } from "../../src/egress/send.ts";
import type { OutgoingRequest, Send } from "../../src/egress/exchange.ts";
import { startLoopback } from "./loopback-server.ts";
import type { Answering, LoopbackOptions, LoopbackServer } from "./loopback-server.ts";

const LOOPBACK = ["127.0.0.0/8", "::1/128"];

/** A POST that may reach loopback. */
export function aRequest(url: string, changes: Partial<OutgoingRequest> = {}): OutgoingRequest {
  return {
    url,
    method: "POST",
    headers: { "content-type": "application/json", "accept-encoding": "identity" },
    body: Buffer.from('{"n":1}'),
    timeouts: { connectMs: 2_000, headersMs: null, totalMs: 5_000 },
    allowPrivate: LOOPBACK,
    ports: [],
    ...changes,
  };
}

/** A sender of its own for the running test. */
export function aSend(options: SendOptions = {}): Send {
  const { send, close } = createSend(options);
  onTestFinished(close);
  return send;
}

/** A server that ends with the running test. */
export async function aServer(answer: Answering, options: LoopbackOptions = {}): Promise<LoopbackServer> {
  const server = await startLoopback(answer, options);
  onTestFinished(() => server.close());
  return server;
}
