/** A worker that is told to stop while a request is on its way: what the endpoint answers is still told to all others. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { isOpen, ownEndpoint, requestsTo, standing } from "../support/endpoint-stage.ts";
import { openStage, type Stage } from "../support/stage.ts";
import { uniqueName } from "../support/temporal.ts";
import { until } from "../support/until.ts";

let stage: Stage;
const slow = ownEndpoint("slow");

beforeAll(async () => {
  stage = await openStage({
    endpoints: { [slow]: { retryAfterScope: "endpoint" } },
    scripts: { [slow]: [{ delayMs: 2000, status: 429, headers: { "retry-after": "3600" } }] },
  });
});

afterAll(async () => await stage.close());

test("a Retry-After that a leaving worker gets holds the endpoint for the whole fleet", async () => {
  const leaving = await stage.startWorker();
  await leaving.client.submit({ source: "shop", id: uniqueName("evt"), type: slow, data: {} });
  await until("the request is on its way", () => requestsTo(stage, slow).length === 1);
  const { gate } = await stage.far.endpoint(slow);
  expect(gate.state).toBe("open");
  await leaving.stop();
  const { ledger } = await standing(stage, slow, (detail) => !isOpen(detail));
  expect(ledger.map(({ what }) => what)).toEqual(["throttled"]);
});
