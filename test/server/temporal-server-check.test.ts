import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Connection } from "@temporalio/client";
import type { Connected } from "../../src/temporal/connect.ts";
import { checkServer } from "../../src/temporal/server-check.ts";
import { connectTestClient, uniqueName } from "../support/temporal.ts";

const DAY_MS = 24 * 60 * 60_000;
let connected: Connected<Connection>;

beforeAll(async () => {
  connected = await connectTestClient();
});

afterAll(() => connected.close());

describe("checking a server", () => {
  test("finds a supported one that configures task queues, and sets no limit on any", async () => {
    const taskQueue = uniqueName("checked");
    const result = await checkServer(connected.client, { namespace: "default", taskQueue, dedupeWindowMs: DAY_MS });
    expect(result).toMatchObject({ taskQueueConfig: true, retentionMs: DAY_MS, warnings: [] });
    const described = await connected.client.workflowService.describeTaskQueue({
      namespace: "default",
      taskQueue: { name: `${taskQueue}/probe` },
      taskQueueType: 2,
      reportConfig: true,
    });
    expect(described.config?.queueRateLimit?.rateLimit ?? null).toBeNull();
  });

  test("warns when the namespace forgets sooner than the dedupe window", async () => {
    const { warnings } = await checkServer(connected.client, {
      namespace: "default",
      taskQueue: "q",
      dedupeWindowMs: 7 * DAY_MS,
    });
    expect(warnings).toEqual([
      expect.stringMatching(/keeps finished events for 24h, shorter than the dedupeWindow of 168h.*--retention 168h/),
    ]);
  });

  test("names a namespace that does not exist and how to create it", async () => {
    const namespace = uniqueName("nowhere");
    await expect(checkServer(connected.client, { namespace, taskQueue: "q", dedupeWindowMs: 1 })).rejects.toMatchObject(
      {
        code: "not_found",
        message: expect.stringContaining(`temporal operator namespace create --namespace ${namespace}`),
      },
    );
  });
});
