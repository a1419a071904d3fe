/** One key is one event: repeats, other content under a used key, and keys of every shape. */
import { WorkflowFailedError } from "@temporalio/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exactState, openStage, type Stage } from "../support/stage.ts";
import { uniqueName } from "../support/temporal.ts";
import { until } from "../support/until.ts";

const WORD = { actor: "ana@example.com", reason: "looked into it" };
/** A source of this run alone, so that keys with odd ids are free. */
const ODD = uniqueName("odd").slice(0, 40);

let stage: Stage;

beforeAll(async () => {
  stage = await openStage({
    endpoints: { crm: {}, "first-400": {} },
    scripts: { "first-400": [{ status: 400 }, {}] },
    rest: { sources: { shop: { aliases: ["https://shop.example/orders"] }, billing: {}, [ODD]: {} } },
  });
});

afterAll(async () => await stage.close());

function anEvent(type: string, members: object = {}) {
  return { source: "shop", id: uniqueName(type), type, data: { total: 42 }, ...members };
}

function requestsFor(event: { readonly id: string; readonly source?: string }) {
  const { source = "shop" } = event;
  return stage.destination.requests.filter(
    ({ headers }) => headers["ce-id"] === encodeURIComponent(event.id) && headers["ce-source"] === source,
  );
}

describe("the same event again", () => {
  test("is a duplicate while it is under way, parked and delivered, and is sent once", async () => {
    const [parked, done] = [anEvent("first-400"), anEvent("crm")];
    for (const event of [parked, done]) {
      const first = await stage.far.submit(event);
      expect(first).toMatchObject({ duplicate: false, state: "in-progress", workflowId: first.key });
      await stage.far.settled(first.key);
    }
    expect(await stage.far.submit(parked)).toMatchObject({ duplicate: true, state: "needs-attention" });
    expect(await stage.near().submit(done)).toMatchObject({ duplicate: true, state: "delivered" });
    expect([requestsFor(parked).length, requestsFor(done).length]).toEqual([1, 1]);
  });

  test("has its run's id, and may come under an alias, with another time, evidence or trace", async () => {
    const event = anEvent("crm");
    const { runId, key } = await stage.far.submit(event);
    const again = {
      ...event,
      source: "https://shop.example/orders",
      time: "2026-01-01T00:00:00Z",
      evidence: [{ title: "order" }],
    };
    expect(await stage.far.submit(again)).toMatchObject({ key, runId, duplicate: true });
  });

  test("fifty times at once is one delivery and forty-nine duplicates", async () => {
    const event = anEvent("crm");
    const clients = [stage.far, stage.near()];
    const receipts = await Promise.all(Array.from({ length: 50 }, async (_, n) => await clients[n % 2]?.submit(event)));
    await stage.far.settled(`shop/${event.id}`);
    expect(receipts.filter((receipt) => receipt?.duplicate === false)).toHaveLength(1);
    expect(receipts.filter((receipt) => receipt?.duplicate === true)).toHaveLength(49);
    expect(requestsFor(event)).toHaveLength(1);
  });
});

describe("other content under a used key", () => {
  test.each(["first-400", "crm"])("is refused, recorded once and shown by get: %s", async (type) => {
    const event = anEvent(type);
    const { key } = await stage.far.submit(event);
    const { fingerprint } = await stage.far.settled(key);
    const other = { ...event, data: { total: 43, secret: "not to be shown" } };
    for (const client of [stage.far, stage.near()]) {
      await expect(client.submit(other, { via: "http" })).rejects.toMatchObject({
        code: "conflict",
        details: { key, accepted: fingerprint, refused: expect.stringMatching(/^sha256:/) },
      });
    }
    const state = await until("the conflict is listed", async () => {
      const found = await stage.far.get(key);
      return found.conflicts.length > 0 && found;
    });
    expect(state.conflicts).toEqual([
      { at: expect.any(String), via: "http", fingerprint: expect.not.stringMatching(fingerprint) },
    ]);
    expect(JSON.stringify(state)).not.toContain("not to be shown");
    await exactState(stage, key);
    expect(requestsFor(event)).toHaveLength(1);
  });

  test.each([
    ["another type", { type: "first-400" }],
    ["another subject", { subject: "order 7" }],
    ["another content type", { datacontenttype: "application/vnd.shop+json" }],
  ])("is also %s", async (_, change) => {
    const event = anEvent("crm");
    await stage.far.submit(event);
    await expect(stage.far.submit({ ...event, ...change })).rejects.toMatchObject({ code: "conflict" });
  });
});

describe("a key whose run was ended otherwise", () => {
  test("may be used again after its input was refused", async () => {
    const event = anEvent("crm");
    const handle = await stage.temporal.workflow.start("event", {
      workflowId: `shop/${event.id}`,
      taskQueue: stage.config.temporal.taskQueue,
      args: [{ source: "shop", id: event.id }],
    });
    await expect(handle.result()).rejects.toThrow(WorkflowFailedError);
    expect(await stage.far.submit(event)).toMatchObject({ duplicate: false });
    await stage.far.settled(`shop/${event.id}`);
    expect(await stage.far.submit(event)).toMatchObject({ duplicate: true, state: "delivered" });
    expect(requestsFor(event)).toHaveLength(1);
  });

  test("is a duplicate after somebody terminated the run, whatever the content", async () => {
    const event = anEvent("first-400");
    const { key } = await stage.far.submit(event);
    await stage.far.settled(key);
    await stage.temporal.workflow.getHandle(key).terminate("by hand");
    expect(await stage.far.submit(event)).toMatchObject({ duplicate: true, state: "terminated" });
    expect(await stage.far.submit({ ...event, data: 1 })).toMatchObject({ duplicate: true, state: "terminated" });
    const state = await stage.far.settled(key);
    expect(state).toMatchObject({ state: "needs-attention", endedOutside: { at: expect.any(String) } });
    expect(await stage.far.replay(key, WORD)).toMatchObject({ counted: false, refusedBecause: "already-ended" });
    expect(requestsFor(event)).toHaveLength(1);
  });
});

describe("what a key is made of", () => {
  test("the same id from two sources is two events with two idempotency keys", async () => {
    const id = uniqueName("shared");
    const sources = ["shop", "billing"];
    const receipts = await Promise.all(
      sources.map(async (source) => await stage.far.submit(anEvent("crm", { source, id }))),
    );
    await Promise.all(receipts.map(async ({ key }) => await stage.far.settled(key)));
    const keys = sources.map((source) => requestsFor({ id, source }).map(({ key }) => key));
    expect(keys.map(({ length }) => length)).toEqual([1, 1]);
    expect(keys[0]).not.toEqual(keys[1]);
  });

  test("no id, an empty one and a blank one are refused, and nothing is started", async () => {
    const { id: _, ...nameless } = anEvent("crm");
    for (const event of [
      nameless,
      { ...nameless, id: "" },
      { ...nameless, id: " " },
      { ...nameless, id: null },
      { ...nameless, id: 7 },
    ]) {
      await expect(stage.far.submit(event)).rejects.toMatchObject({ code: "bad_id" });
    }
  });

  test("an older event that comes after a newer one is an event of its own, its time unchanged", async () => {
    const [newer, older] = [
      anEvent("crm", { time: "2026-01-01T17:27:00Z" }),
      anEvent("crm", { time: "2026-01-01T17:25:00Z" }),
    ];
    for (const event of [newer, older]) await stage.far.settled((await stage.far.submit(event)).key);
    const times = [newer, older].map((event) => requestsFor(event).map(({ headers }) => headers["ce-time"]));
    expect(times).toEqual([["2026-01-01T17:27:00Z"], ["2026-01-01T17:25:00Z"]]);
  });

  test("two ids with equal content are two events", async () => {
    const [one, two] = [anEvent("crm"), anEvent("crm")];
    await Promise.all([stage.far.submit(one), stage.far.submit(two)]);
    await Promise.all([one, two].map(async ({ id }) => await stage.far.settled(`shop/${id}`)));
    expect([requestsFor(one).length, requestsFor(two).length]).toEqual([1, 1]);
  });
});

describe("characters in ids", () => {
  const accepted = [
    "foo/bar",
    "a b",
    "a+b",
    "a%20b",
    "a%2Fb",
    "x'y\"z",
    "p:q",
    "p:q:r",
    "../x",
    "#?&",
    "%",
    "é",
    "back\\slash",
    "under_score",
    "名前",
    "/".repeat(160),
  ];
  const refused = ["/".repeat(161), "tab\tinside", "line\nbreak", " a", "a ", "\u0000", "é".repeat(81), "\u202e"];

  test.each(accepted)("%j is delivered, shown, listed, replayed and discarded under its own key", async (id) => {
    const event = { source: ODD, id, type: "first-400", data: { total: 42 } };
    const { key } = await stage.far.submit(event);
    expect(key).toBe(`${ODD}/${id}`);
    expect(await stage.far.settled(key)).toMatchObject({ key, id, state: "needs-attention" });
    await until("the list shows it", async () => {
      for await (const row of stage.far.list({ source: ODD, state: "needs-attention" }))
        if (row.key === key) return true;
      return false;
    });
    await expect(stage.far.submit({ ...event, data: 1 })).rejects.toMatchObject({ code: "conflict" });
    expect(await stage.far.replay(key, WORD)).toMatchObject({ counted: true });
    await stage.temporal.workflow.getHandle(key).result();
    expect(await exactState(stage, key)).toMatchObject({ state: "delivered" });
    expect(await stage.far.discard(key, WORD)).toMatchObject({ counted: false, refusedBecause: "already-ended" });
    expect(await until("the conflict is listed", async () => (await stage.far.get(key)).conflicts[0])).toMatchObject({
      via: "client",
    });
    const sent = stage.destination.requests.filter(({ headers }) => decodeURIComponent(headers["ce-id"] ?? "") === id);
    expect(sent.map(({ path, nth }) => `${path} ${nth}`)).toEqual(["/first-400 1", "/first-400 2"]);
  });

  test.each(refused)("%j is refused by name, and nothing is started", async (id) => {
    await expect(stage.far.submit({ source: ODD, id, type: "crm" })).rejects.toMatchObject({
      code: "bad_id",
      message: expect.stringContaining('"id"'),
    });
  });
});
