import { connect as connectTcp } from "node:net";
import { Client } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { answerWith, eventually } from "../../test/support/loopback-server.ts";
import { aRequest, aServer } from "../../test/support/outgoing-request.ts";
import { exchangeOnce } from "./exchange-once.ts";
import { watchRequests } from "./request-events.ts";

test("a connection that comes up after the request was given up carries nothing", async () => {
  const server = await aServer(answerWith(200));
  const events = watchRequests();
  let connectNow: () => void = () => undefined;
  const client = new Client(`http://127.0.0.1:${server.port}`, {
    connect: (_target, callback) => {
      connectNow = () => {
        const socket = connectTcp(server.port, "127.0.0.1", () => callback(null, socket));
      };
    },
  });
  onTestFinished(async () => {
    events.stop();
    await client.destroy();
  });
  // Connections that do not take the client back, so that the request stays inside undici.
  const connections = {
    lease: (use: (given: Client) => void) => {
      use(client);
      return { release: () => undefined };
    },
    close: async () => undefined,
  };
  const request = aRequest(server.url, { timeouts: { connectMs: 1_000, headersMs: null, totalMs: 20 } });
  const exchange = await exchangeOnce({ connections, url: new URL(server.url), events }, request);
  expect(exchange).toMatchObject({ code: "timeout_total", certainty: "not-sent" });
  connectNow();
  await eventually(() => server.connectionCount() === 1 && server.openCount() === 0);
  expect(server.requests).toHaveLength(0);
});
