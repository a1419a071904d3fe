/** An endpoint that is down: its circuit opens, holds, tries, and closes into a drain; nothing is hammered, nothing lost. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { endpointWorkflowId } from "../../src/delivery/names.ts";
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
import { historyText, openStage, type Stage } from "../support/stage.ts";
import { until } from "../support/until.ts";

let stage: Stage;
const down = ownEndpoint("down");
const vault = ownEndpoint("vault");
const gone = ownEndpoint("gone");
const picky = ownEndpoint("picky");
const off = ownEndpoint("off");
const replayed = ownEndpoint("again");
const mended = ownEndpoint("mended");
const CIRCUIT = { failures: 5, open: "2s" } as const;
const LONG = { schedule: ["1s", "1s", "1s", "1s", "1s", "1s", "1s", "1s"], jitter: 0 } as const;

beforeAll(async () => {
  stage = await openStage({
    endpoints: {
      [down]: { circuit: CIRCUIT, retry: LONG },
      [vault]: { circuit: CIRCUIT },
      [gone]: { circuit: CIRCUIT },
      [picky]: { circuit: CIRCUIT },
      [mended]: { circuit: CIRCUIT },
      [off]: { circuit: false, retry: LONG },
      [replayed]: { circuit: { failures: 2, open: "2s" }, retry: "none" },
    },
  });
});

afterAll(async () => await stage.close());

function requireEndpoint(name: string) {
  const endpoint = stage.config.endpoints[name];
  if (endpoint === undefined) throw new TypeError(`There is no endpoint ${name}`);
  return endpoint;
}

describe("an endpoint that fails whatever comes", () => {
  test("is left alone after five failures in a row, tried, and gets everything once when it works again", async () => {
    let isDown = true;
    stage.destination.script(`/${down}`, () => (isDown ? { status: 503 } : {}));
    const keys = await submitMany(stage, down, 10);
    const tripped = await standing(stage, down, ({ gate }) => gate.state === "tripped");
    expect(tripped).toMatchObject({
      gate: { who: "workers", why: expect.stringMatching(/failures in a row, the last one http_503$/u) },
      ledger: [{ n: 1, what: "tripped", who: "workers" }],
    });
    await standing(stage, down, (detail) => whatsOf(detail).includes("probe-failed"));
    const whileDown = requestsTo(stage, down).length;
    isDown = false;
    await allSettled(stage, keys);
    const states = await Promise.all(keys.map(async (key) => await stage.far.get(key)));
    expect(states.map(({ state }) => state)).toEqual(keys.map(() => "delivered"));
    const delivered = keys.map((key) => requestsOf(stage, key).at(-1));
    expect(new Set(delivered.map((request) => request?.key)).size).toBe(10);
    // Ten first attempts, what was on its way when it tripped, and bursts of at most four.
    expect(whileDown).toBeLessThanOrEqual(24);
    const open = await standing(stage, down, isOpen);
    expect(whatsOf(open).slice(0, 3)).toEqual(["tripped", "probing", "probe-failed"]);
    expect(whatsOf(open).slice(-2)).toEqual(["probing", "opened"]);
    expect(whatsOf(open).filter((what) => what === "tripped")).toHaveLength(1);
  });

  test("tells its story in the history of its workflow, which then ends", async () => {
    const handle = stage.temporal.workflow.getHandle(endpointWorkflowId(down));
    expect(await handle.result()).toMatchObject({ v: 1, endpoint: down });
    const text = await historyText(stage.temporal, endpointWorkflowId(down));
    expect(text).toContain(`${down}: hold the lane; tripped, `);
    expect(text).toContain("lane at 4 a second; probing");
    expect(text).toMatch(/in [\d.]+ s a few attempts try the endpoint/u);
  });

  test("whose circuit is off is tried by each delivery's own schedule", async () => {
    stage.destination.script(`/${off}`, ({ nth }) => (nth < 3 ? { status: 503 } : {}));
    const keys = await submitMany(stage, off, 5);
    await allSettled(stage, keys);
    expect(requestsTo(stage, off)).toHaveLength(15);
    expect((await stage.far.endpoint(off)).ledger).toEqual([]);
  });
});

describe("an endpoint that refuses one event after the other", () => {
  test("stays open: that is the events' fault", async () => {
    stage.destination.script(`/${picky}`, () => ({ status: 422 }));
    const keys = await submitMany(stage, picky, 8);
    await allSettled(stage, keys);
    expect(await stage.far.endpoint(picky)).toMatchObject({ gate: { state: "open" }, ledger: [] });
  });
});

describe.each([
  { name: vault, status: 401, why: "it does not accept our credentials (http_401)", reason: "credentials-refused" },
  { name: gone, status: 410, why: "it says that it is gone for good (http_410)", reason: "endpoint-gone" },
])("an endpoint that answers $status", ({ name, status, why, reason }) => {
  test("trips at once, without a timer, and only a person lets it be tried again", async () => {
    stage.destination.script(`/${name}`, ({ nth }) =>
      nth === 1 && requestsTo(stage, name).length === 1 ? { status } : {},
    );
    const parked = await submitTo(stage, name);
    await allSettled(stage, [parked]);
    expect(await stage.far.get(parked)).toMatchObject({
      state: "needs-attention",
      deliveries: [{ attention: { reason } }],
    });
    const tripped = await standing(
      stage,
      name,
      ({ gate, lane }) => gate.state === "tripped" && lane.ratePerSecond === 0,
    );
    expect(tripped.gate).toMatchObject({ until: null, who: "workers", why });
    const held = await submitTo(stage, name);
    await until("it is held", async () => (await stage.far.get(held)).state === "held");
    await stage.far.resume(name, { actor: "ana@example.com", reason: "mended" });
    await allSettled(stage, [held]);
    expect(await stage.far.get(held)).toMatchObject({ state: "delivered" });
    expect(whatsOf(await standing(stage, name, isOpen))).toEqual(["tripped", "resumed", "opened"]);
  });
});

describe("an endpoint that refused our credentials", () => {
  test("is tried again by itself once a worker has others, and not by one that has the same", async () => {
    const guarded = (token: string) => {
      const { endpoints } = stage.config;
      const endpoint = { ...requireEndpoint(mended), headers: { authorization: token } };
      return { config: { ...stage.config, endpoints: { ...endpoints, [mended]: endpoint } } };
    };
    await stage.stopWorker();
    await stage.startWorker(guarded("Bearer old"));
    stage.destination.script(`/${mended}`, ({ headers }) =>
      headers["authorization"] === "Bearer new" ? {} : { status: 401 },
    );
    const parked = await submitTo(stage, mended);
    await allSettled(stage, [parked]);
    await standing(stage, mended, ({ gate }) => gate.state === "tripped");
    const held = await submitTo(stage, mended);
    await stage.stopWorker();
    await stage.startWorker(guarded("Bearer old"));
    await until("it is held", async () => (await stage.far.get(held)).state === "held");
    await stage.stopWorker();
    await stage.startWorker(guarded("Bearer new"));
    await allSettled(stage, [held]);
    expect(requestsOf(stage, held)).toHaveLength(1);
    expect(whatsOf(await standing(stage, mended, isOpen))).toEqual(["tripped", "probing", "opened"]);
  });
});

describe("a manual replay that fails", () => {
  test("does not touch the circuit", async () => {
    stage.destination.script(`/${replayed}`, () => ({ status: 503 }));
    const key = await submitTo(stage, replayed);
    await allSettled(stage, [key]);
    for (const nth of [2, 3, 4]) {
      await stage.far.replay(key, { actor: "ana@example.com", reason: "try" });
      await until("it was tried", () => requestsOf(stage, key).length === nth);
      await allSettled(stage, [key]);
    }
    expect(await stage.far.endpoint(replayed)).toMatchObject({ gate: { state: "open" }, ledger: [] });
    const other = await submitTo(stage, replayed);
    await allSettled(stage, [other]);
    expect(await standing(stage, replayed, ({ gate }) => gate.state === "tripped")).toMatchObject({
      ledger: [{ what: "tripped" }],
    });
  });
});
