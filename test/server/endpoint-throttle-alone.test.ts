/** A Retry-After is known to all processes before any worker has a task of the endpoint's workflow in hand. */
import { Client, Connection } from "@temporalio/client";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { readRegistry } from "../../src/client/gate-registry.ts";
import { readLane } from "../../src/client/lane-queue.ts";
import type { Session } from "../../src/client/session.ts";
import { endpointWorkflowId } from "../../src/delivery/names.ts";
import { createLogger } from "../../src/telemetry/logger.ts";
import { GRPC_STATUS } from "../../src/temporal/grpc-status.ts";
import { createEndpointControl, type EndpointControl } from "../../src/worker/endpoint-control.ts";
import { aSession } from "../support/a-session.ts";
import { anAttempt } from "../support/deliveries.ts";
import { ownEndpoint } from "../support/endpoint-stage.ts";
import { openStage, type Stage } from "../support/stage.ts";
import { startTemporalProxy } from "../support/temporal-proxy.ts";
import { until } from "../support/until.ts";

let stage: Stage;
let session: Session;
let control: EndpointControl;
const busy = ownEndpoint("busy");
const paused = ownEndpoint("paused");
const unread = ownEndpoint("unread");
const ASKED_MS = 60_000;

beforeAll(async () => {
  const scoped = { retryAfterScope: "endpoint" } as const;
  stage = await openStage({ endpoints: { [busy]: scoped, [paused]: scoped, [unread]: scoped } });
  session = aSession(stage.temporal, stage.config);
  control = aControl(session);
  // Nobody is left to run a workflow.
  await stage.stopWorker();
});

afterAll(async () => {
  await control.stop();
  await stage.close();
});

function aControl(of: Session): EndpointControl {
  const quiet = (): void => undefined;
  const activityLog = { attempted: quiet, failed: quiet, handlerFailed: quiet, lookedUp: quiet, clockDiffers: quiet };
  const log = createLogger("silent");
  return createEndpointControl({ session: of, resolved: new Map(), log, activityLog, onRegistry: quiet });
}

function isAsked(endpoint: string, by = control): number {
  const attempt = { endpoint, round: null, counts: true, retryAfterMaxMs: ASKED_MS };
  const record = anAttempt({ outcome: "retry", status: 429, code: "http_429", retryAfterMs: ASKED_MS });
  by.gates.begin(attempt).end(record);
  return Date.now();
}

test("the process that got it enters it in the registry and holds the lane by itself", async () => {
  const askedAtMs = isAsked(busy);
  const gate = await until("the registry shows it", async () => {
    const entry = (await readRegistry(session)).gates[busy];
    return entry?.state === "throttled" && entry;
  });
  expect(gate).toMatchObject({ pending: true });
  expect(Date.parse(gate.until ?? "")).toBeGreaterThanOrEqual(askedAtMs + ASKED_MS - 1000);
  await until("the lane is held", async () => (await readLane(session, busy)).ratePerSecond === 0);
});

test("a person's pause stays what registry and lane show, and the wish of the endpoint is kept beside it", async () => {
  await stage.far.pause(paused, { actor: "ana@example.com", reason: "r" });
  const late = aControl(session);
  await late.snapshot.refresh();
  isAsked(paused, late);
  // Whatever it does to lane and registry is done.
  await late.stop();
  expect(await readLane(session, paused)).toMatchObject({ ratePerSecond: 0, reason: "paused by ana@example.com: r" });
  expect((await readRegistry(session)).gates[paused]).toMatchObject({ state: "paused", until: null });
  expect(await signalsTo(paused)).toEqual(["pause", "report"]);
});

test("a lane that cannot be read is held all the same", async () => {
  const proxy = await startTemporalProxy(stage.address);
  const connection = await Connection.connect({ address: proxy.address });
  onTestFinished(async () => {
    await connection.close();
    await proxy.close();
  });
  proxy.answer("DescribeTaskQueue", GRPC_STATUS.permissionDenied);
  // Said by a signal as well; the update would go on asking when the connection is gone.
  proxy.answer("ExecuteMultiOperation", GRPC_STATUS.permissionDenied);
  const late = aControl(aSession(new Client({ connection }), stage.config));
  isAsked(unread, late);
  await late.stop();
  const { ratePerSecond, reason } = await readLane(session, unread);
  expect([ratePerSecond, reason]).toEqual([0, expect.stringMatching(/^throttled until /u)]);
});

async function signalsTo(endpoint: string): Promise<readonly string[]> {
  const { events } = await stage.temporal.workflow.getHandle(endpointWorkflowId(endpoint)).fetchHistory();
  return (events ?? []).flatMap(({ workflowExecutionSignaledEventAttributes: said }) => said?.signalName ?? []);
}
