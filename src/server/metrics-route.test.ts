/** `/metrics` of a server: complete from the first moment, bounded whatever is sent, and honest while Temporal is away. */
import { Writable } from "node:stream";
import { Hono } from "hono";
import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { aConfig } from "../../test/support/a-config.ts";
import { aKey, anApp } from "../../test/support/an-app.ts";
import { seriesOf } from "../../test/support/metrics-text.ts";
import type { Countersign } from "../client/countersign.ts";
import type { EventPage } from "../client/list-page.ts";
import type { Receipt } from "../client/submit.ts";
import { CountersignError } from "../errors.ts";
import { createMetricsRoute } from "./metrics-route.ts";
import type { HttpEnv } from "./server-context.ts";

const KEY = aKey({ role: "ingest", sources: ["shop"] });
const config = aConfig({
  baseUrl: "https://crm.example",
  endpoints: { crm: {} },
  rest: {
    sources: { shop: {}, stripe: { verify: { scheme: "stripe", secrets: ["s"] } } },
    keys: [KEY.entry],
  },
});

const EMPTY: EventPage = { items: [], nextCursor: null };
const GONE = new CountersignError("temporal_unreachable", "The Temporal server does not answer");

interface Lists {
  listPage?: Countersign["listPage"];
  count?: Countersign["count"];
  submit?: Countersign["submit"];
}

function aFacade({ listPage = async () => await Promise.resolve(EMPTY), count, submit }: Lists): Countersign {
  const countNothing = async () => await Promise.resolve(0);
  const asked: Partial<Countersign> = {
    listPage,
    count: count ?? countNothing,
    ...(submit === undefined ? {} : { submit }),
  };
  return asked as Countersign; // nothing else is asked of it here
}

interface Route {
  readonly lists?: Lists;
  readonly now?: () => number;
  readonly waitMs?: number;
}

/** The route alone, and what it logs. */
function aRoute({ lists = {}, now = Date.now, waitMs }: Route) {
  const lines: string[] = [];
  const sink = new Writable({ write: (chunk: Buffer, _, done) => (lines.push(chunk.toString()), done()) });
  const { context } = anApp({ countersign: aFacade(lists), config, changes: { now, log: pino(sink) } });
  const app = new Hono<HttpEnv>().get("/metrics", createMetricsRoute(context, waitMs));
  const scrape = async () => seriesOf(await (await app.request("/metrics")).text());
  return { scrape, lines, app };
}

const PENDING = "countersign_approvals_pending";
const PARKED = 'countersign_needs_attention{reason="refused"}';
const READ_AT = "countersign_waiting_read_timestamp_seconds";

describe("the first scrape", () => {
  test("has every count there is at the door, and all that waits, at 0", async () => {
    const series = await aRoute({}).scrape();
    for (const name of [
      'countersign_ingest_requests_total{source="shop",result="accepted"}',
      'countersign_ingest_requests_total{source="stripe",result="unrouted"}',
      'countersign_ingest_duplicates_total{source="shop",match="other_body"}',
      'countersign_ingest_signature_failures_total{scheme="stripe",reason="signature_mismatch"}',
      'countersign_key_failures_total{reason="missing"}',
      PARKED,
      'countersign_needs_attention_oldest_age_seconds{reason="refused"}',
      PENDING,
      "countersign_approvals_oldest_age_seconds",
    ])
      expect([name, series.get(name)]).toEqual([name, 0]);
  });

  test("says nothing of attempts, which workers make", async () => {
    const names = [...(await aRoute({}).scrape()).keys()];
    expect(names.filter((name) => name.startsWith("countersign_delivery_"))).toEqual([]);
  });
});

describe("while Temporal is away", () => {
  test("the last reading is shown for two minutes with ages that go on, then nothing, and the counters all the time", async () => {
    let [atMs, isGone] = [0, false];
    const startedAt = new Date(0).toISOString();
    const row = { key: "shop/1", type: "t", endpoints: [], startedAt, approval: null };
    const count = async () => (isGone ? await Promise.reject<number>(GONE) : await Promise.resolve(1));
    const listPage: Countersign["listPage"] = async ({ state = "needs-attention" }) => {
      const reason = state === "needs-attention" ? "refused" : null;
      return await Promise.resolve({ items: [{ ...row, state, reason }], nextCursor: null });
    };
    const { scrape, lines } = aRoute({ lists: { listPage, count }, now: () => atMs });
    atMs = 10_000;
    const age = 'countersign_needs_attention_oldest_age_seconds{reason="refused"}';
    const first = await scrape();
    expect([first.get(PARKED), first.get(age), first.get(PENDING), first.get(READ_AT)]).toEqual([1, 10, 1, 10]);
    isGone = true;
    atMs = 130_000;
    const within = await scrape();
    expect([within.get(PARKED), within.get(age), within.get(PENDING), within.get(READ_AT)]).toEqual([1, 130, 1, 10]);
    atMs = 130_001;
    const beyond = await scrape();
    expect([beyond.get(PARKED), beyond.get(age), beyond.get(PENDING), beyond.get(READ_AT)]).toEqual([
      undefined,
      undefined,
      undefined,
      10,
    ]);
    expect(beyond.has('countersign_key_failures_total{reason="missing"}')).toBe(true);
    for (let scrapes = 0; scrapes < 5; scrapes += 1) {
      atMs += 15_000;
      await scrape();
    }
    // One line per change, however long it lasts and however many scrape.
    expect(lines.filter((line) => line.includes("metrics.stale"))).toHaveLength(1);
    isGone = false;
    atMs += 15_000;
    expect((await scrape()).get(PENDING)).toBe(1);
  });

  test("a Temporal that hangs costs the scrape a bounded wait, and is asked once meanwhile", async () => {
    let asked = 0;
    const count = async () => await new Promise<never>(() => void (asked += 1));
    const { scrape } = aRoute({ lists: { count }, waitMs: 10 });
    for (let scrapes = 0; scrapes < 3; scrapes += 1) {
      const series = await scrape();
      expect(series.has(PENDING)).toBe(false);
      expect(series.has('countersign_key_failures_total{reason="missing"}')).toBe(true);
    }
    // Two lists.
    expect(asked).toBe(2);
  });

  test("a slow one is read on in the background, for the scrape that comes next", async () => {
    let answer = (): void => undefined;
    const slow = new Promise<number>((resolve) => (answer = () => resolve(0)));
    const { scrape } = aRoute({ lists: { count: async () => await slow }, waitMs: 10, now: () => 0 });
    expect((await scrape()).has(PENDING)).toBe(false);
    answer();
    expect((await scrape()).get(PENDING)).toBe(0);
  });
});

test("a crowd of scrapers costs two calls in fifteen seconds", async () => {
  let [asked, atMs] = [0, 0];
  const count = async () => await Promise.resolve(((asked += 1), 0));
  const { scrape } = aRoute({ lists: { count }, now: () => atMs });
  await Promise.all(Array.from({ length: 100 }, scrape));
  atMs = 14_999;
  await scrape();
  expect(asked).toBe(2);
  atMs = 15_000;
  await scrape();
  expect(asked).toBe(4);
});

describe("hostile requests", () => {
  const SECRET = "hunter2";
  const submit = async (event: unknown): Promise<Receipt> => {
    const { id } = event as { readonly id: string }; // parsed by the door
    const key = `shop/${id}`;
    return await Promise.resolve({ key, duplicate: false, state: "in-progress", workflowId: key, runId: "r" });
  };
  const { app } = anApp({ countersign: aFacade({ submit }), config });
  const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND", "HUNTER2"];

  /** Everything of a request that a stranger, or somebody with a key, chooses. */
  const attack = async (at: number): Promise<void> => {
    const name = `${SECRET}-${at}`;
    const method = METHODS[at % METHODS.length] ?? "GET";
    const json = { "content-type": "application/json", authorization: KEY.bearer };
    const event = JSON.stringify({ source: name, id: name, type: name, data: SECRET });
    const known = JSON.stringify({ source: "shop", id: name, type: name, subject: name });
    const hook = { method: "POST", body: name, headers: { "stripe-signature": name } };
    for (const [path, init] of [
      [`/${name}`, { method }],
      [`/v1/events/${name}/${name}`, { method }],
      [`/v1/events?state=${name}`, { method, headers: { authorization: `Bearer csk_${at}_${name}` } }],
      ["/v1/events", { method: "POST", body: event, headers: json }],
      ["/v1/events", { method: "POST", body: known, headers: json }],
      ["/v1/events", { method: "POST", body: event, headers: { ...json, authorization: name } }],
      [`/v1/hooks/${name}`, hook],
      ["/v1/hooks/stripe", hook],
      [`/v1/endpoints/${name}`, { method }],
    ] as const)
      await app.request(path, init);
  };
  const scraped = async () => await (await app.request("/metrics")).text();

  test("by the thousand leave the number of series flat, and nothing of theirs as a label", async () => {
    for (let at = 0; at < 100; at += 1) await attack(at);
    // The scrape itself is a request of a route that was not asked for yet.
    await scraped();
    const before = seriesOf(await scraped()).size;
    for (let at = 100; at < 400; at += 1) await attack(at);
    const text = await scraped();
    expect(seriesOf(text).size).toBe(before);
    expect(before).toBeLessThan(700);
    expect(text.toLowerCase()).not.toContain(SECRET);
    expect(seriesOf(text).get('countersign_ingest_requests_total{source="shop",result="accepted"}')).toBe(400);
    expect(seriesOf(text).get('countersign_ingest_requests_total{source="unknown",result="refused"}')).toBe(400);
  });
});
