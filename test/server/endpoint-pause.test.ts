/** An endpoint that a person stops and lets go on: nothing is lost, nothing is sent, nothing comes twice. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { connect } from "../../src/client/connect.ts";
import { endpointWorkflowId } from "../../src/delivery/names.ts";
import { startChild } from "../support/child.ts";
import {
  allHeld,
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
import { readCost, uniqueName } from "../support/temporal.ts";
import { until } from "../support/until.ts";

let stage: Stage;
const crm = ownEndpoint("crm");
const erp = ownEndpoint("erp");
const slow = ownEndpoint("slow");
const unseen = ownEndpoint("unseen");
const tried = ownEndpoint("tried");
const spoken = ownEndpoint("spoken");

beforeAll(async () => {
  stage = await openStage({
    endpoints: { [crm]: {}, [erp]: {}, [slow]: {}, [unseen]: {}, [tried]: {}, [spoken]: {} },
    scripts: { [slow]: [{ delayMs: 6000 }] },
  });
  await until("the server has seen the worker", async () => (await stage.far.health()).workers === 1);
});

afterAll(async () => await stage.close());

describe("a paused endpoint", () => {
  test("takes in events and sends nothing, at no cost while they wait; a resume sends each once", async () => {
    const paused = await stage.far.pause(crm, { actor: "ana@example.com", reason: "vendor maintenance" });
    expect(paused).toMatchObject({ workers: 1, confirmed: true, heldOnServer: true, inFlight: 0, until: null });
    const keys = await submitMany(stage, crm, 20);
    await allHeld(stage, keys);
    const costs = async () => await Promise.all(keys.map(async (key) => await readCost(stage.temporal, key)));
    const before = await costs();
    const detail = await standing(stage, crm, ({ lane }) => lane.held === 20);
    expect(detail).toMatchObject({
      gate: { state: "paused", who: "ana@example.com", why: "vendor maintenance", until: null },
      lane: { approximate: true, ratePerSecond: 0, oldestAgeMs: expect.any(Number) },
      ledger: [{ n: 1, what: "paused", who: "ana@example.com", why: "vendor maintenance", until: null }],
    });
    expect(await costs()).toEqual(before);
    expect(requestsTo(stage, crm)).toEqual([]);
    const word = { actor: "bob@example.com", reason: "vendor says done", ramp: "4s" };
    expect(await stage.far.resume(crm, word)).toMatchObject({ counted: true, refusedBecause: null, workers: 1 });
    await allSettled(stage, keys);
    expect(keys.map((key) => requestsOf(stage, key).length)).toEqual(keys.map(() => 1));
    const [{ deliveries }] = [await stage.far.get(keys[0] ?? "")];
    expect(deliveries[0]?.attempts).toMatchObject([{ via: "lane", heldMs: expect.any(Number) }]);
    const done = await standing(stage, crm, isOpen);
    expect(whatsOf(done)).toEqual(["paused", "resumed", "opened"]);
    expect(done.lane.ratePerSecond).toBeNull();
  });

  test("lets go by a burst of probes first, whatever waits behind them", async () => {
    await stage.far.pause(erp, { actor: "ana@example.com", reason: "r" });
    const keys = await submitMany(stage, erp, 12);
    await allHeld(stage, keys);
    // The first probes hang, so that the burst stays undecided for a while.
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    stage.destination.script(`/${erp}`, async () => {
      await released;
      return {};
    });
    await stage.far.resume(erp, { actor: "ana@example.com" });
    const probing = await standing(stage, erp, () => requestsTo(stage, erp).length >= 4);
    expect(probing.gate).toMatchObject({ state: "tripped", probing: true });
    // Two more seconds' worth of a rate of 4 would be 8 attempts more.
    await standing(stage, erp, ({ gate, lane }) => gate.probing && lane.ratePerSecond === 0);
    const during = requestsTo(stage, erp).length;
    release();
    await allSettled(stage, keys);
    expect(during).toBeLessThanOrEqual(8);
    expect(keys.map((key) => requestsOf(stage, key).length)).toEqual(keys.map(() => 1));
  });

  test("pauses again where the probe fails and was asked to decide", async () => {
    const name = erp;
    await standing(stage, name, isOpen);
    await stage.far.pause(name, { actor: "ana@example.com", reason: "for a look" });
    stage.destination.script(`/${name}`, ({ nth }) => (nth === 1 ? { status: 503 } : {}));
    const key = await submitTo(stage, name);
    await allHeld(stage, [key]);
    await stage.far.resume(name, { actor: "ana@example.com", probe: true });
    const again = await standing(stage, name, (detail) => {
      return whatsOf(detail).at(-1) === "probe-failed" && detail.gate.state === "paused";
    });
    expect(again.gate).toMatchObject({ who: "ana@example.com", why: "for a look" });
    await stage.far.resume(name, { actor: "ana@example.com" });
    await allSettled(stage, [key]);
    expect(requestsOf(stage, key)).toHaveLength(2);
  });

  test("is handed out by the server itself at a few a second while it is tried, and freely once it is open", async () => {
    await stage.far.pause(tried, { actor: "ana@example.com", reason: "r" });
    // Nothing waits, so it goes on being tried until a delivery comes.
    await stage.far.resume(tried, { actor: "ana@example.com", probe: true });
    await standing(stage, tried, ({ gate }) => gate.probing);
    expect((await stage.far.endpoint(tried)).lane.ratePerSecond).toBe(4);
    const key = await submitTo(stage, tried);
    await allSettled(stage, [key]);
    await standing(stage, tried, isOpen);
    expect((await stage.far.endpoint(tried)).lane.ratePerSecond).toBeNull();
  });

  test("tells what was in flight when it was paused, and does not cut it", async () => {
    const key = await submitTo(stage, slow);
    await until("it is on its way", () => requestsOf(stage, key).length === 1);
    const paused = await stage.far.pause(slow, { actor: "ana@example.com", reason: "r" });
    expect(paused).toMatchObject({ confirmed: true, inFlight: 1 });
    await allSettled(stage, [key]);
    expect(await stage.far.get(key)).toMatchObject({ state: "delivered" });
    expect(await standing(stage, slow, ({ inFlight }) => inFlight === 0)).toMatchObject({ gate: { state: "paused" } });
  });

  test("goes on by itself when its time is over", async () => {
    const paused = await stage.far.pause(slow, { actor: "ana@example.com", reason: "r", for: "1s" });
    expect(Date.parse(paused.until ?? "")).toBeGreaterThan(Date.parse(paused.at) - 5000);
    stage.destination.script(`/${slow}`, []);
    const key = await submitTo(stage, slow);
    await allSettled(stage, [key]);
    const opened = await standing(stage, slow, isOpen);
    expect(whatsOf(opened)).toEqual(["paused", "paused", "pause-ended", "opened"]);
    // From when a worker took it in, not by the clock of whoever said it.
    const [, said] = opened.ledger;
    expect(Date.parse(said?.until ?? "") - Date.parse(said?.at ?? "")).toBe(1000);
  });
});

describe("words that do not count", () => {
  test("are a resume of what is open, and orders that make no sense", async () => {
    const { far } = stage;
    await standing(stage, crm, isOpen);
    const word = { actor: "ana@example.com", reason: "r" };
    expect(await far.resume(crm, word)).toMatchObject({ counted: false, refusedBecause: "not-held" });
    for (const order of [
      { ...word, actor: " " },
      { ...word, reason: "" },
      { ...word, for: "soon" },
      { ...word, for: "1h", until: "2999-01-01T00:00:00Z" },
      { ...word, until: "2001-01-01T00:00:00Z" },
    ]) {
      await expect(far.pause(crm, order)).rejects.toMatchObject({ code: "bad_argument" });
    }
    await expect(far.resume(crm, { ...word, ramp: "fast" })).rejects.toMatchObject({ code: "bad_argument" });
    await expect(far.pause("nowhere", word)).rejects.toMatchObject({ code: "unknown_endpoint" });
    await expect(far.resume("nowhere", word)).rejects.toMatchObject({ code: "unknown_endpoint" });
    await expect(far.endpoint("nowhere")).rejects.toMatchObject({ code: "unknown_endpoint" });
    expect((await far.endpoint(crm)).gate).toMatchObject({ state: "open", who: null });
  });
});

describe("without any worker", () => {
  test("a pause is confirmed once nobody trusts what was read before: one that has just begun is not seen yet", async () => {
    const { address, config } = stage;
    const temporal = { ...config.temporal, taskQueue: uniqueName("deserted") };
    const far = await connect({ config: { ...config, temporal }, address, environment: {} });
    onTestFinished(async () => await far.close());
    const askedMs = performance.now();
    const paused = await far.pause(unseen, { actor: "ana@example.com", reason: "at night" });
    expect(paused).toMatchObject({ workers: 0, confirmed: true, heldOnServer: true });
    expect(performance.now() - askedMs).toBeGreaterThanOrEqual(2000);
  });

  test("words wait for one, and count in the order in which they were said, until when they said", async () => {
    const { address, config: shared } = stage;
    const config = { ...shared, temporal: { ...shared.temporal, taskQueue: uniqueName("deserted") } };
    const far = await connect({ config, address, environment: {} });
    onTestFinished(async () => await far.close());
    await far.pause(spoken, { actor: "ana@example.com", reason: "first" });
    expect(await far.resume(spoken, { actor: "bob@example.com" })).toMatchObject({ counted: null, workers: 0 });
    const last = await far.pause(spoken, { actor: "ana@example.com", reason: "last", for: "1h" });
    const worker = startChild("worker-process.ts", { address, config });
    onTestFinished(async () => await worker.kill());
    const said = async () => (await far.endpoint(spoken)).ledger.map(({ who, why }) => `${who}: ${why}`);
    await until("a worker has taken them in", async () => (await said()).length >= 3);
    expect(await said()).toEqual(["ana@example.com: first", expect.stringMatching(/^bob/u), "ana@example.com: last"]);
    const { gate } = await far.endpoint(spoken);
    expect(gate).toMatchObject({ state: "paused", why: "last", until: last.until });
  });

  test("a pause holds, and a worker that starts during it never outruns it", async () => {
    const { address, config, far } = stage;
    await standing(stage, crm, isOpen);
    await until("nothing more is said of it", async () => {
      const running = await stage.temporal.workflow.count(
        `WorkflowId = '${endpointWorkflowId(crm)}' AND ExecutionStatus = 'Running'`,
      );
      return running.count === 0;
    });
    await stage.stopWorker();
    const before = requestsTo(stage, crm).length;
    const paused = await far.pause(crm, { actor: "ana@example.com", reason: "at night" });
    expect(paused).toMatchObject({ heldOnServer: true, inFlight: 0 });
    // The server still lists the worker that has just left.
    expect(paused.confirmed).toBe(paused.workers === 0);
    const keys = await submitMany(stage, crm, 5);
    expect(await far.endpoint(crm)).toMatchObject({
      gate: { state: "paused", why: expect.stringContaining("at night") },
    });
    const other = startChild("worker-process.ts", { address, config });
    onTestFinished(async () => await other.kill());
    await other.line("is up", ({ ready }) => ready === true);
    await allHeld(stage, keys);
    await standing(stage, crm, ({ gate }) => gate.who === "ana@example.com");
    expect(requestsTo(stage, crm).length).toBe(before);
    expect(await far.resume(crm, { actor: "ana@example.com" })).toMatchObject({ counted: true });
    await allSettled(stage, keys);
    expect(keys.map((key) => requestsOf(stage, key).length)).toEqual(keys.map(() => 1));
  });
});
