/** `/healthz` and `/readyz` in every state, for a crowd, and while Temporal hangs. Nothing here needs Temporal. */
import { describe, expect, test } from "vitest";
import { aConfig } from "../../test/support/a-config.ts";
import { anApp, read } from "../../test/support/an-app.ts";
import type { Countersign } from "../client/countersign.ts";
import type { Health } from "../client/health.ts";
import { Hono } from "hono";
import { createReadiness } from "./health-routes.ts";
import type { HttpEnv } from "./server-context.ts";

const config = aConfig({ baseUrl: "https://crm.example", endpoints: { crm: {} } });
const WELL: Health = { temporal: true, searchAttributes: true, workers: 2 };

interface Asked {
  readonly health: () => Promise<Health>;
  readonly now?: () => number;
  readonly stopping?: () => boolean;
}

/** The whole application, on a facade that is asked for nothing but its health. */
function app({ health, now = Date.now, stopping = () => false }: Asked) {
  const countersign = { health } as Partial<Countersign> as Countersign;
  return anApp({ countersign, config, changes: { now, stopping } }).app;
}

describe("/readyz", () => {
  test.each<[string, Health, number]>([
    ["everything is there", WELL, 200],
    ["Temporal does not answer", { temporal: false, searchAttributes: false, workers: 0 }, 503],
    ["search attributes are missing", { ...WELL, searchAttributes: false }, 503],
    ["no worker was seen polling", { ...WELL, workers: 0 }, 503],
    ["Temporal answers one of the two questions", { temporal: true, searchAttributes: true, workers: 0 }, 503],
  ])("while %s", async (_state, health, status) => {
    const answer = await read(app({ health: async () => await Promise.resolve(health) }).request("/readyz"));
    expect(answer).toMatchObject({ status, body: { ready: status === 200, ...health } });
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.body).not.toHaveProperty("stopping");
  });

  test("says from the first moment of a stop that it is not ready, and why", async () => {
    const stopping = app({ health: async () => await Promise.resolve(WELL), stopping: () => true });
    expect(await read(stopping.request("/readyz"))).toMatchObject({
      status: 503,
      body: { ready: false, stopping: true, ...WELL },
    });
  });

  test("follows what happens: gone, back, the worker gone", async () => {
    let [health, atMs] = [WELL, 0];
    const one = app({ health: async () => await Promise.resolve(health), now: () => atMs });
    const status = async () => {
      atMs += 1000;
      return (await one.request("/readyz")).status;
    };
    expect(await status()).toBe(200);
    health = { temporal: false, searchAttributes: false, workers: 0 };
    expect(await status()).toBe(503);
    health = WELL;
    expect(await status()).toBe(200);
    health = { ...WELL, workers: 0 };
    expect(await status()).toBe(503);
  });

  test("asks Temporal once for a crowd, and at most once a second", async () => {
    let [asked, atMs] = [0, 0];
    const health = async () => await Promise.resolve(((asked += 1), WELL));
    const one = app({ health, now: () => atMs });
    await Promise.all(Array.from({ length: 200 }, async () => await one.request("/readyz")));
    atMs = 999;
    await one.request("/readyz");
    expect(asked).toBe(1);
    atMs = 1000;
    await one.request("/readyz");
    expect(asked).toBe(2);
  });

  test("does not wait for a Temporal that hangs, and asks it no second time meanwhile", async () => {
    let asked = 0;
    const hanging = async () => await new Promise<Health>(() => void (asked += 1));
    const countersign = { health: hanging } as Partial<Countersign> as Countersign;
    const readiness = createReadiness({ countersign, now: Date.now, stopping: () => false }, 10);
    const one = new Hono<HttpEnv>().get("/readyz", readiness);
    const answers = await Promise.all(Array.from({ length: 50 }, async () => await read(one.request("/readyz"))));
    for (const answer of answers)
      expect(answer).toMatchObject({
        status: 503,
        body: { ready: false, temporal: false, searchAttributes: false, workers: 0 },
      });
    expect(asked).toBe(1);
  });
});

test("/healthz is 200 whatever Temporal does, and asks nobody", async () => {
  let asked = 0;
  const one = app({ health: async () => await new Promise<Health>(() => void (asked += 1)), stopping: () => true });
  expect(await read(one.request("/healthz"))).toMatchObject({ status: 200, body: { status: "ok" } });
  expect(asked).toBe(0);
});
