/** What a bulk replay makes of each event: what it tells to go on, what it leaves alone and why, and how it walks the list. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Session } from "../../src/client/session.ts";
import { createParkedEvents } from "../../src/client/parked-events.ts";
import { createReadiness } from "../../src/client/readiness.ts";
import { type ListedItem, type Position, positionAfter } from "../../src/delivery/bulk-replay/position.ts";
import { readSelection } from "../../src/delivery/bulk-replay/selection.ts";
import { aWish, resultsOf, untilEnded } from "../support/bulk-replays.ts";
import { parkMany, REFUSES_FIRST } from "../support/parked-events.ts";
import { openStage, type Stage } from "../support/stage.ts";
import { until } from "../support/until.ts";
import { inState, requestsOf } from "../support/waiting-events.ts";

const ANA = "ana@example.com";
const WORD = { actor: "bo@example.com", reason: "by hand" };

let stage: Stage;
/** The event whose second answer takes four seconds. */
let slowKey = "";

beforeAll(async () => {
  stage = await openStage({
    endpoints: {
      "items-moved": {},
      "items-asked": {},
      "items-careful": { idempotent: false },
      "items-left": {},
      "items-right": {},
      "items-refusing": {},
      "items-walked": {},
      "items-paused": {},
    },
    routes: [
      {
        match: { type: "items-ask" },
        to: ["items-asked"],
        approval: { approvers: ["group:finance"], expires: "1s", onExpire: "park" },
      },
      { match: { type: "items-both" }, to: ["items-left", "items-right"] },
    ],
    scripts: {
      "items-moved": ({ nth, headers }) => {
        if (nth === 1) return { status: 400 };
        return { delayMs: `shop/${headers["ce-id"]}` === slowKey ? 4000 : 0 };
      },
      "items-careful": [{ how: "cut" }, {}],
      "items-left": REFUSES_FIRST,
      "items-right": REFUSES_FIRST,
      "items-refusing": [{ status: 400 }],
      "items-walked": REFUSES_FIRST,
      "items-paused": REFUSES_FIRST,
    },
    rest: { people: { [ANA]: { groups: ["finance"] } } },
  });
});

afterAll(async () => await stage.close());

async function becauseByKey(id: string) {
  return new Map((await resultsOf(stage.far, id)).map(({ key, because }) => [key, because]));
}

describe("an event", () => {
  test("that went on by itself before its turn is left alone, with the reason", async () => {
    for (const count of [1, 1, 1]) await parkMany(stage.far, { type: "items-moved", count });
    const { sample } = await stage.far.bulkReplays.preview(aWish("items-moved"));
    const [, second = "", oldest = ""] = sample.map(({ key }) => key);
    slowKey = oldest;
    // The list is read as a whole before the first one has its turn, the newest.
    const { id } = await stage.far.bulkReplays.start(aWish("items-moved", { rate: 0.5 }));
    await until("the first one is done", async () => (await stage.far.bulkReplays.show(id)).done === 1);
    await stage.far.replay(second, WORD);
    await stage.far.replay(oldest, WORD);
    await until("the slow one has it", () => requestsOf(stage, oldest).length === 2);
    const status = await untilEnded(stage.far, id);
    expect(status).toMatchObject({ expected: 3, replayed: 1, because: { "already-ended": 1 } });
    const because = await becauseByKey(id);
    expect(because.get(second)).toBe("already-ended");
    // Its answer takes four seconds, and its turn comes after two or four.
    expect(["attempt-in-flight", "already-ended"]).toContain(because.get(oldest));
    expect([requestsOf(stage, oldest).length, requestsOf(stage, second).length]).toEqual([2, 2]);
    expect((await stage.far.settled(oldest)).deliveries[0]?.resolutions).toHaveLength(1);
  });

  test("that people must approve is asked about again, and nothing is sent", async () => {
    const [key = ""] = await parkMany(stage.far, { type: "items-ask", count: 1 });
    const { id } = await stage.far.bulkReplays.start(aWish("items-asked"));
    expect(await untilEnded(stage.far, id)).toMatchObject({ replayed: 1 });
    await inState(stage, key, { state: "awaiting-approval", revision: 2 });
    expect(requestsOf(stage, key)).toEqual([]);
  });

  test("that goes to a paused endpoint is held there, and goes out when somebody resumes it", async () => {
    const keys = await parkMany(stage.far, { type: "items-paused", count: 2 });
    await stage.far.pause("items-paused", { actor: ANA, reason: "maintenance" });
    const { id } = await stage.far.bulkReplays.start(aWish("items-paused"));
    expect(await untilEnded(stage.far, id)).toMatchObject({ replayed: 2 });
    for (const key of keys) await inState(stage, key, { state: "held" });
    expect(keys.map((key) => requestsOf(stage, key).length)).toEqual([1, 1]);
    await stage.far.resume("items-paused", { actor: ANA });
    for (const key of keys) expect(await stage.far.settled(key)).toMatchObject({ state: "delivered" });
    expect(keys.map((key) => requestsOf(stage, key).length)).toEqual([2, 2]);
  });

  test("whose outcome is uncertain is left alone, unless that reason is named", async () => {
    const [key = ""] = await parkMany(stage.far, { type: "items-careful", count: 1 });
    const order = aWish("items-careful");
    expect(await stage.far.bulkReplays.preview(order)).toMatchObject({ count: 1, uncertain: 1 });
    const first = await stage.far.bulkReplays.start(order);
    expect(await untilEnded(stage.far, first.id)).toMatchObject({
      replayed: 0,
      notReplayed: 1,
      because: { "outcome-uncertain": 1 },
      lastNotReplayed: [{ key, because: "outcome-uncertain" }],
    });
    expect(requestsOf(stage, key)).toHaveLength(1);
    const named = aWish("items-careful", { reason: "outcome-uncertain" });
    expect(await stage.far.bulkReplays.preview(named)).toMatchObject({ count: 1, uncertain: 0 });
    const second = await stage.far.bulkReplays.start(named);
    expect(await untilEnded(stage.far, second.id)).toMatchObject({ replayed: 1 });
    expect(await stage.far.settled(key)).toMatchObject({ state: "delivered" });
  });

  test("with several parked deliveries has the one replayed that is named, or all of them", async () => {
    const keys = await parkMany(stage.far, { type: "items-both", count: 2 });
    const one = await stage.far.bulkReplays.start(aWish("items-left"));
    expect(await untilEnded(stage.far, one.id)).toMatchObject({ replayed: 2 });
    for (const key of keys) {
      const { deliveries } = await until("the left one is delivered", async () => {
        const report = await stage.far.get(key);
        return report.deliveries[0]?.state === "delivered" && report;
      });
      expect(deliveries.map(({ endpoint, state }) => [endpoint, state])).toEqual([
        ["items-left", "delivered"],
        ["items-right", "needs-attention"],
      ]);
    }
    const all = await stage.far.bulkReplays.start({
      ...aWish("items-left", { type: "items-both", source: "shop", reason: "refused" }),
      endpoint: "",
    });
    await untilEnded(stage.far, all.id);
    for (const key of keys) expect(await stage.far.settled(key)).toMatchObject({ state: "delivered" });
    expect(keys.map((key) => requestsOf(stage, key).length)).toEqual([4, 4]);
  });
});

describe("a preview", () => {
  test("counts, shows a few and starts nothing", async () => {
    const keys = await parkMany(stage.far, { type: "items-refusing", count: 2 });
    const before = (await stage.far.bulkReplays.list()).length;
    const preview = await stage.far.bulkReplays.preview(
      aWish("items-refusing", { type: "items-refusing", since: "1h", rate: 0.1 }),
    );
    expect(preview).toMatchObject({ uncertain: 0, rate: 0.1, leastMs: preview.count * 10_000, exact: false });
    expect(preview.count).toBeGreaterThanOrEqual(2);
    expect(preview.sample.map(({ key }) => key)).toEqual(expect.arrayContaining([...keys]));
    expect(preview.sample[0]).toMatchObject({
      state: "needs-attention",
      reason: "refused",
      endpoints: ["items-refusing"],
    });
    expect(await stage.far.bulkReplays.list()).toHaveLength(before);
  });

  test("tells when the selection reaches nothing", async () => {
    const preview = await stage.far.bulkReplays.preview(aWish("items-refusing", { until: "1h" }));
    expect(preview).toMatchObject({ count: 0, sample: [] });
  });

  test.each([
    ["another state", { state: "delivered" }, "bad_argument"],
    ["a reason there is none", { reason: "because" }, "bad_argument"],
    ["a time that is none", { since: "yesterday" }, "bad_argument"],
    ["a type with quotes", { type: 'a"b' }, "bad_argument"],
    ["a source that is no name", { source: "Shop" }, "bad_argument"],
    ["too high a rate", { rate: 101 }, "bad_argument"],
    ["an id that is none", { id: "A b" }, "bad_argument"],
    ["an endpoint that is not configured", { endpoint: "nope" }, "unknown_endpoint"],
    ["nobody's name", { actor: " " }, "bad_argument"],
  ])("refuses %s", async (_what, more, code) => {
    await expect(stage.far.bulkReplays.preview(aWish("items-refusing", more))).rejects.toMatchObject({ code });
  });
});

test("the list is walked page by page, whatever leaves it meanwhile: no event twice, none that stays left out", async () => {
  const keys = await parkMany(stage.far, { type: "items-walked", count: 9 });
  const session: Session = {
    client: stage.temporal,
    config: stage.config,
    eager: false,
    ...createReadiness({ client: stage.temporal, config: stage.config, eager: false }),
  };
  const parked = createParkedEvents(session);
  const selection = readSelection({ state: "needs-attention", endpoint: "items-walked" });
  if (typeof selection === "string") throw new TypeError(selection);
  const met: ListedItem[] = [];
  const beyond: number[] = [];
  let position: Position = { untilMs: Date.now(), taken: [] };
  for (let more = true; more;) {
    const page = await parked.list({ selection, position, items: 2 });
    met.push(...page.items);
    beyond.push(page.beyond);
    position = positionAfter(position, page.items);
    ({ more } = page);
    const [gone] = page.items;
    if (gone !== undefined) await stage.far.discard(gone.key, WORD);
  }
  expect(met.map(({ key }) => key).toSorted()).toEqual(keys.toSorted());
  expect([beyond[0], beyond.at(-1)]).toEqual([7, 0]);
  expect(met.map(({ acceptedMs }) => acceptedMs)).toEqual(
    met.map(({ acceptedMs }) => acceptedMs).toSorted((a, b) => b - a),
  );
});
