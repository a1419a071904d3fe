/** The endpoint has answered 200, and our own record of it fails for a while: the record is tried again, the request is not. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type BreakableLink, startBreakableLink } from "../support/breakable-link.ts";
import { requestsOf, submitTo } from "../support/endpoint-stage.ts";
import { openStage, type Stage } from "../support/stage.ts";
import { until } from "../support/until.ts";

/** Shorter than it takes the server to give an attempt up. */
const AWAY_MS = 3000;

let stage: Stage;
let link: BreakableLink;

beforeAll(async () => {
  stage = await openStage({
    endpoints: { local: {}, direct: { idempotent: false }, lane: { limits: { concurrency: 5 } } },
  });
  link = await startBreakableLink(stage.address);
  await stage.stopWorker();
  await stage.startWorker({ address: link.address });
});

afterAll(async () => {
  await stage.close();
  await link.close();
});

describe("a delivery whose record gets lost on the way to Temporal", () => {
  // hookdeck/outpost#276: the row of the log could not be written, and the event was sent again and again.
  test.each(["local", "direct", "lane"])("is one request, and on record once that works again: %s", async (way) => {
    stage.destination.script(`/${way}`, () => {
      link.cut();
      return {};
    });
    const key = await submitTo(stage, way);
    await until("it was answered", () => requestsOf(stage, key).length === 1);
    const cutMs = Date.now();
    await until("Temporal was away long enough", () => Date.now() > cutMs + AWAY_MS);
    expect(await stage.far.get(key)).toMatchObject({ state: "delivering" });
    link.mend();
    await stage.temporal.workflow.getHandle(key).result();
    const report = await stage.far.get(key);
    expect(report).toMatchObject({ state: "delivered", deliveries: [{ attempts: [{ number: 1, status: 200 }] }] });
    // Right after an outage a process may not know yet that the gate is open: then it is the lane.
    expect([way, "lane"]).toContain(report.deliveries[0]?.attempts[0]?.via);
    expect(requestsOf(stage, key)).toHaveLength(1);
  });
});
