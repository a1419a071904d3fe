/** The listener of a worker: it answers two questions, and nothing that it is sent matters to the process. */
import { createServer, request, type IncomingHttpHeaders } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { createLogger } from "./logger.ts";
import { createMetrics, type Metrics } from "./metrics.ts";
import { type MetricsServer, serveMetrics } from "./metrics-server.ts";

const open: MetricsServer[] = [];
const log = createLogger("silent");

afterEach(async () => {
  await Promise.all(open.splice(0).map(async (server) => await server.close()));
});

async function served(metrics: Pick<Metrics, "text" | "contentType"> = createMetrics()): Promise<MetricsServer> {
  const server = await serveMetrics({ metrics, host: "127.0.0.1", port: 0, log });
  open.push(server);
  return server;
}

describe("the metrics of a worker", () => {
  test("are the text of the exposition format", async () => {
    const metrics = createMetrics();
    metrics.attempted({ endpoint: "crm", outcome: "delivered", durationMs: 3 });
    const { url } = await served(metrics);
    const answer = await fetch(`${url}/metrics?x=1`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(await answer.text()).toContain('countersign_delivery_attempts_total{endpoint="crm",outcome="delivered"} 1');
  });

  test("that cannot be written are a 500 without the reason, and the next try is a new one", async () => {
    let text = async () => await Promise.reject<string>(new Error("the secret is hunter2"));
    const { url } = await served({ text: async () => await text(), contentType: "text/plain" });
    const broken = await fetch(`${url}/metrics`);
    expect([broken.status, await broken.text()]).toEqual([500, "The metrics cannot be written.\n"]);
    text = async () => await Promise.resolve("a 1\n");
    expect((await fetch(`${url}/metrics`)).status).toBe(200);
  });
});

test("/healthz says that the process answers", async () => {
  const { url } = await served();
  const answer = await fetch(`${url}/healthz`);
  expect([answer.status, await answer.json()]).toEqual([200, { status: "ok" }]);
});

test.each([
  ["GET", "/", 404, undefined],
  ["GET", "/metrics/x", 404, undefined],
  ["GET", "/v1/events", 404, undefined],
  ["POST", "/metrics", 405, "GET, HEAD"],
  ["DELETE", "/healthz", 405, "GET, HEAD"],
  ["HEAD", "/metrics", 200, undefined],
  ["GET", "//", 404, undefined],
  ["GET", "http://elsewhere.example/metrics", 404, undefined],
])("%s %s is %i", async (method, path, status, allow) => {
  const { url } = await served();
  const answer = await ask(url, method, path);
  expect([answer.status, answer.headers.allow]).toEqual([status, allow]);
});

/** With the path as it stands: `fetch` would put it right. */
async function ask(
  url: string,
  method: string,
  path: string,
): Promise<{ readonly status: number; readonly headers: IncomingHttpHeaders }> {
  return await new Promise((resolve, reject) => {
    request({ host: "127.0.0.1", port: new URL(url).port, method, path }, (response) => {
      response.resume().once("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers }));
    })
      .once("error", reject)
      .end();
  });
}

test("what is no HTTP at all is turned away, and the next request is answered", async () => {
  const { url } = await served();
  const closed = new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1", () =>
      socket.write("\u0016\u0003\u0001 no HTTP\r\n\r\n"),
    );
    socket
      .on("error", () => undefined)
      .once("close", resolve)
      .resume();
  });
  await closed;
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});

test("a port that is taken ends the start with a sentence that says what to do", async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const { port } = other.address() as AddressInfo; // a listening TCP server has one
  const starting = serveMetrics({ metrics: createMetrics(), host: "127.0.0.1", port, log });
  await expect(starting).rejects.toMatchObject({
    code: "server_unavailable",
    message: `The address 127.0.0.1, port ${port}, cannot be listened on for metrics (EADDRINUSE): choose another one with --metrics-host and --metrics-port.`,
  });
  await new Promise((resolve) => other.close(resolve));
});

test("closes at once although one scraper keeps its connection and another is in the middle of a question", async () => {
  const server = await served();
  await (await fetch(`${server.url}/metrics`)).text();
  const half = connect(Number(new URL(server.url).port), "127.0.0.1");
  const gone = new Promise((resolve) => half.on("error", () => undefined).once("close", resolve));
  half.write("GET /healthz HTTP/1.1\r\nhost: x\r\n\r\nGET /met");
  // The first question is answered, so the half one has been read too.
  await new Promise((resolve) => half.once("data", resolve));
  const startedMs = performance.now();
  await server.close();
  await gone;
  // Left alone it would have ten seconds for its question.
  expect(performance.now() - startedMs).toBeLessThan(5000);
  await expect(fetch(`${server.url}/healthz`)).rejects.toThrow("fetch failed");
});
