/** Rates and numbers at once of an endpoint, and what is compared every minute. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { putGate, putLaneInUse, readRegistry } from "../../src/client/gate-registry.ts";
import { isCurrentTry } from "../../src/client/endpoint-run.ts";
import { readLane, setLaneRate } from "../../src/client/lane-queue.ts";
import type { Session } from "../../src/client/session.ts";
import { endpointWorkflowId, GATES_WORKFLOW_ID } from "../../src/delivery/names.ts";
import { createLogger } from "../../src/telemetry/logger.ts";
import { createEndpointControl } from "../../src/worker/endpoint-control.ts";
import { watchGatesOn } from "../../src/worker/gate-repairs.ts";
import { aSession } from "../support/a-session.ts";
import {
  allSettled,
  isOpen,
  ownEndpoint,
  requestsOf,
  requestsTo,
  standing,
  submitMany,
  submitTo,
  whatsOf,
} from "../support/endpoint-stage.ts";
import { openStage, type Stage } from "../support/stage.ts";
import { until } from "../support/until.ts";

let stage: Stage;
let session: Session;
const paced = ownEndpoint("paced");
const narrow = ownEndpoint("narrow");
const lost = ownEndpoint("lost");
const orphan = ownEndpoint("orphan");
const passing = ownEndpoint("passing");
const unheld = ownEndpoint("unheld");
const known = ownEndpoint("known");
const RATE = 5;
const ACTOR = { actor: "ana@example.com", reason: "r" };

beforeAll(async () => {
  stage = await openStage({
    endpoints: {
      [paced]: { limits: { rate: { perSecond: RATE } } },
      [narrow]: { limits: { concurrency: 2 } },
      [lost]: {},
      [orphan]: {},
      [passing]: {},
      [unheld]: {},
      [known]: {},
    },
  });
  session = aSession(stage.temporal, stage.config);
});

afterAll(async () => await stage.close());

describe("an endpoint's own limits", () => {
  test("of attempts a second hold on the server, also after a pause", async () => {
    const keys = await submitMany(stage, paced, 15);
    await allSettled(stage, keys);
    expect((await readLane(session, paced)).ratePerSecond).toBe(RATE);
    const times = keys.map((key) => requestsOf(stage, key)[0]?.atMs ?? 0).toSorted((left, right) => left - right);
    // A burst of one per partition at first; then the pace.
    const spreadMs = (times.at(-1) ?? 0) - (times[0] ?? 0);
    expect(spreadMs).toBeGreaterThanOrEqual(((15 - 4 - RATE) / RATE) * 1000);
    await stage.far.pause(paced, ACTOR);
    expect((await readLane(session, paced)).ratePerSecond).toBe(0);
    const held = await submitTo(stage, paced);
    await stage.far.resume(paced, ACTOR);
    await allSettled(stage, [held]);
    await standing(stage, paced, isOpen);
    expect((await readLane(session, paced)).ratePerSecond).toBe(RATE);
  });

  test("of attempts at once hold in each process", async () => {
    let now = 0;
    let most = 0;
    stage.destination.script(`/${narrow}`, async () => {
      now += 1;
      most = Math.max(most, now);
      await new Promise((resolve) => setTimeout(resolve, 300));
      now -= 1;
      return {};
    });
    await allSettled(stage, await submitMany(stage, narrow, 8));
    expect([most, requestsTo(stage, narrow).length]).toEqual([2, 8]);
  });
});

describe("an activity that waits", () => {
  test("is one try of many, and only that one is current", async () => {
    await setLaneRate(session, paced, { ratePerSecond: 0, reason: "for a look" });
    const workflowId = await submitTo(stage, paced);
    const { runId, activityId } = await until("its attempt is put on the lane", async () => {
      const run = await stage.temporal.workflow.getHandle(workflowId).describe();
      const [pending] = run.raw.pendingActivities ?? [];
      return pending?.activityType?.name === "attemptDelivery" && { ...run, activityId: pending.activityId ?? "" };
    });
    const waiting = { workflowId, runId, activityId, attempt: 1 };
    expect(await isCurrentTry(session, waiting)).toBe(true);
    for (const other of [{ attempt: 2 }, { activityId: "none" }, { workflowId: "shop/nobody" }])
      expect(await isCurrentTry(session, { ...waiting, ...other })).toBe(false);
    await setLaneRate(session, paced, { ratePerSecond: RATE, reason: "limits.rate of the endpoint" });
    await allSettled(stage, [workflowId]);
    expect(await isCurrentTry(session, waiting)).toBe(false);
  });
});

describe("where a server allows no rates on queues", () => {
  test("attempts on a lane go back to it, use nothing up, and are made once the gate opens", async () => {
    await putGate(session, narrow, { state: "paused", until: null });
    await standing(stage, narrow, ({ gate }) => gate.state === "paused");
    const shownAtMs = Date.now();
    await until("no process trusts an older copy", () => Date.now() > shownAtMs + 2000);
    const before = requestsTo(stage, narrow).length;
    const key = await submitTo(stage, narrow);
    await until("it went back to its lane", async () => {
      const { raw } = await stage.temporal.workflow.getHandle(key).describe();
      const [pending] = raw.pendingActivities ?? [];
      return (pending?.attempt ?? 0) >= 3 && pending?.lastFailure?.applicationFailureInfo?.type === "held";
    });
    expect(await stage.far.get(key)).toMatchObject({
      state: "held",
      deliveries: [{ state: "held", waitingFor: "gate", attemptCount: 0 }],
    });
    expect((await stage.far.get(key)).deliveries[0]).not.toHaveProperty("trouble");
    expect(requestsTo(stage, narrow)).toHaveLength(before);
    await putGate(session, narrow, { state: "open", until: null });
    await allSettled(stage, [key]);
    expect((await stage.far.get(key)).deliveries[0]).toMatchObject({ attemptCount: 1, attempts: [{ number: 1 }] });
  });
});

describe("what is compared", () => {
  async function look(): Promise<void> {
    const log = createLogger("silent");
    const quiet = { attempted() {}, lookedUp() {}, failed() {}, clockDiffers() {}, handlerFailed() {} };
    const resolved = new Map();
    const control = createEndpointControl({ session, resolved, log, activityLog: quiet, onRegistry: () => undefined });
    const names = Object.keys(stage.config.endpoints);
    const watch = watchGatesOn({ session, control, known: names, openLanes: () => names, log });
    try {
      await control.snapshot.refresh();
      await watch.look();
    } finally {
      watch.stop();
      await control.stop();
    }
  }

  test("is put right: a lane and a registry that have lost a pause", async () => {
    await stage.far.pause(lost, ACTOR);
    await setLaneRate(session, lost, { ratePerSecond: null, reason: "by hand" });
    await putGate(session, lost, { state: "open", until: null });
    await look();
    await standing(stage, lost, ({ gate, lane }) => gate.state === "paused" && lane.ratePerSecond === 0);
  });

  test("is entered anew: what a lost registry knew, and until then nothing goes past it in a process that knew it", async () => {
    await stage.far.pause(known, ACTOR);
    await stage.temporal.workflow.getHandle(GATES_WORKFLOW_ID).terminate("by hand");
    // Another one, which knows of lanes alone.
    await putLaneInUse(session, known);
    const lostAtMs = Date.now();
    await until("no process trusts an older copy", () => Date.now() > lostAtMs + 2000);
    const keys = await submitMany(stage, known, 3);
    await until("they wait on the lane, or went past it", async () => {
      return requestsTo(stage, known).length > 0 || (await readLane(session, known)).held === 3;
    });
    expect(requestsTo(stage, known)).toEqual([]);
    await look();
    await standing(stage, known, ({ gate }) => gate.state === "paused");
    await stage.far.resume(known, ACTOR);
    await allSettled(stage, keys);
    expect(keys.map((key) => requestsOf(stage, key).length)).toEqual([1, 1, 1]);
  });

  test("is given an owner: a lane held by hand", async () => {
    await setLaneRate(session, orphan, { ratePerSecond: 0, reason: "by hand" });
    await look();
    const adopted = await standing(stage, orphan, ({ gate }) => gate.state === "paused");
    expect(adopted.gate).toMatchObject({ who: "countersign", why: "found held without a record: by hand" });
    await stage.far.resume(orphan, ACTOR);
    // Nothing waits there, so nothing can be tried.
    expect(whatsOf(await standing(stage, orphan, isOpen))).toEqual(["paused", "resumed", "opened"]);
  });

  test("is opened: what nobody holds any more", async () => {
    await setLaneRate(session, passing, {
      ratePerSecond: 0,
      reason: "throttled until 2001-01-01T00:00:00.000Z by nobody",
    });
    await putGate(session, passing, { state: "throttled", until: "2001-01-01T00:00:00.000Z" });
    await look();
    await standing(stage, passing, ({ gate, lane }) => gate.state === "open" && lane.ratePerSecond === null);
  });

  test("is opened by a person: a hold whose record was terminated", async () => {
    await stage.far.pause(unheld, ACTOR);
    await stage.temporal.workflow.getHandle(endpointWorkflowId(unheld)).terminate("by hand");
    expect(await stage.far.resume(unheld, ACTOR)).toMatchObject({ counted: false, refusedBecause: "not-held" });
    await standing(stage, unheld, ({ gate, lane }) => gate.state === "open" && lane.ratePerSecond === null);
    await until("its entry goes", async () => !Object.keys((await readRegistry(session)).gates).includes(unheld));
  });
});
