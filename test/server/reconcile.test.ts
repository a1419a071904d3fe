/**
 * Uncertain outcomes: the receiver takes the request, has its effect and cuts the connection. What may not be
 * repeated blindly is looked up, or a person is asked; what may be repeated goes out again under the same key.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { handler } from "../../src/activities/handler.ts";
import type { EventReport } from "../../src/client/get-event.ts";
import type { RawEndpoint } from "../../src/config/raw-config.ts";
import type { DestinationRequest, ScriptedAnswer } from "../support/destination.ts";
import { exactState, historyText, openStage, type Stage } from "../support/stage.ts";
import { uniqueName } from "../support/temporal.ts";
import { until } from "../support/until.ts";
import { requestsOf } from "../support/waiting-events.ts";

const WORD = { actor: "ana@example.com", reason: "seen in their books" };

/** Of the receiver, by idempotency key: how often it had its effect. */
const effects = new Map<string, number>();

/** Has its effect and cuts the connection; honors the key, so that a repeat has none. */
function actsAndCuts({ key, nth }: DestinationRequest): ScriptedAnswer {
  effects.set(key, effects.get(key) ?? 1);
  return nth === 1 ? { how: "cut" } : { status: 200 };
}

/** The same, and does not know the key again. */
function actsEachTime({ key, nth }: DestinationRequest): ScriptedAnswer {
  effects.set(key, (effects.get(key) ?? 0) + 1);
  return nth === 1 ? { how: "cut" } : { status: 200 };
}

/** Takes the request and loses it before its effect, the first time. */
function losesFirst(request: DestinationRequest): ScriptedAnswer {
  return request.nth === 1 ? { how: "cut" } : { ...actsEachTime(request), how: "answer", status: 201 };
}

/** What the receiver tells of a key, with more than anybody asked for. */
function books({ path }: DestinationRequest): ScriptedAnswer {
  const key = new URL(path, "http://x").searchParams.get("key") ?? "";
  if (!effects.has(key)) return { status: 404, body: '{"error":"unknown key"}' };
  return { body: JSON.stringify({ status: "succeeded", card: "4111-books" }) };
}

const booked = new Set<string>();
const HANDLERS = [
  handler("refund", "1", (_, { idempotencyKey }) => {
    booked.add(idempotencyKey);
    throw new Error("the connection to the bank broke");
  }),
  handler("doubt", "1", (_, { attempt }) => {
    if (attempt === 1) throw new Error("broke before anything was done");
    return { reference: "done-at-last" };
  }),
  handler("lookup", "1", (_, { idempotencyKey }) =>
    booked.has(idempotencyKey) ? { delivered: true, reference: "bank-7" } : { delivered: false },
  ),
];

const CAREFUL = { idempotent: false, retry: { schedule: ["1s", "1s"], jitter: 0 } } as const;

function lookedUp(name: string): RawEndpoint {
  const rules = { delivered: { status: 200, json: { "$.status": "succeeded" } }, absent: { status: 404 } };
  return { ...CAREFUL, reconcile: { url: `/${name}-books?key={idempotencyKey}&of={source}/{id}`, ...rules } };
}

let stage: Stage;

beforeAll(async () => {
  const names = ["found", "lost", "errs", "vague", "shut", "patient"];
  stage = await openStage({
    endpoints: {
      ...Object.fromEntries(names.map((name) => [name, lookedUp(name)])),
      repeats: { retry: { schedule: ["1s"], jitter: 0 } },
      unasked: CAREFUL,
      vault: { ...lookedUp("vault"), isolated: true },
      refunds: { ...CAREFUL, handler: "refund@1", reconcile: { handler: "lookup@1" } },
      doubts: { ...CAREFUL, handler: "doubt@1", reconcile: { handler: "lookup@1" } },
      phoned: { ...CAREFUL, reconcile: { handler: "lookup@1" } },
    },
    routes: [{ match: { type: "pair" }, to: ["found", "repeats"] }],
    handlers: HANDLERS,
    scripts: {
      found: actsEachTime,
      "found-books": books,
      lost: losesFirst,
      "lost-books": books,
      errs: (request) => ({ ...actsEachTime(request), how: "answer", status: 502 }),
      "errs-books": books,
      vague: actsEachTime,
      "vague-books": [{ status: 202, body: '{"status":"pending"}' }],
      shut: actsEachTime,
      "shut-books": [{ status: 403 }],
      patient: actsEachTime,
      "patient-books": [{ status: 503, headers: { "retry-after": "3" } }, { body: '{"status":"succeeded"}' }],
      vault: actsEachTime,
      "vault-books": books,
      repeats: actsAndCuts,
      unasked: actsEachTime,
      phoned(request) {
        booked.add(request.key);
        return actsEachTime(request);
      },
    },
  });
});

afterAll(async () => await stage.close());

async function submitted(type: string): Promise<string> {
  const { key } = await stage.far.submit({ source: "shop", id: uniqueName(type), type, data: { amount: 12 } });
  return key;
}

async function inState(key: string, state: EventReport["state"]): Promise<EventReport> {
  return await until(`${key} is ${state}`, async () => {
    const report = await stage.far.get(key);
    return report.state === state && report;
  });
}

/** Settled and exact, with the effects at the receiver and its requests; a lookup is none of those. */
async function outcomeOf(type: string) {
  const key = await submitted(type);
  await stage.far.settled(key, { timeout: "50s" });
  const report = await exactState(stage, key);
  const [delivery] = report.deliveries;
  if (delivery === undefined) throw new TypeError(`${key} has no delivery`);
  const sent = requestsOf(stage, key);
  return { key, delivery, sent, effects: effects.get(delivery.idempotencyKey) ?? 0 };
}

function lookupsOf(name: string, idempotencyKey: string): readonly DestinationRequest[] {
  return stage.destination.requests.filter(
    ({ path }) => path.startsWith(`/${name}-books?`) && path.includes(idempotencyKey),
  );
}

describe.concurrent("a receiver that acts and cuts the connection", () => {
  test("is asked what became of it: one effect, delivered by reconciliation", async () => {
    const outcome = await outcomeOf("found");
    expect([outcome.effects, outcome.sent.length]).toEqual([1, 1]);
    expect(outcome.delivery).toMatchObject({
      state: "delivered",
      attemptCount: 1,
      lastCode: "closed_after_send",
      attempts: [
        {
          outcome: "uncertain",
          certainty: "unknown",
          via: "direct",
          phase: "sent",
          bytesSent: expect.any(Number),
          bytesReceived: 0,
        },
      ],
      lookups: [
        {
          attempt: 1,
          by: "url",
          found: "delivered",
          code: "http_200",
          status: 200,
          matched: { "$.status": "succeeded" },
        },
      ],
    });
    const [lookup, ...others] = lookupsOf("found", outcome.delivery.idempotencyKey);
    expect(others).toEqual([]);
    expect(lookup?.path).toContain(`&of=shop/${outcome.key.slice("shop/".length)}`);
    expect(lookup?.body).toHaveLength(0);
    expect(await historyText(stage.temporal, outcome.key)).not.toContain("4111-books");
  });

  test("parks for a person where nothing can be asked, with how far it got", async () => {
    const { delivery, sent, effects: acted } = await outcomeOf("unasked");
    expect([acted, sent.length]).toEqual([1, 1]);
    expect(delivery).toMatchObject({ state: "needs-attention", attention: { reason: "outcome-uncertain" } });
    const { bytesSent = 0, durationMs } = delivery.attempts[0] ?? {};
    expect(bytesSent).toBeGreaterThan(100);
    expect(delivery.attention?.advice).toContain(
      `(the whole request was sent; ${bytesSent} bytes went out and 0 came back in ${durationMs} ms)`,
    );
  });

  test("gets it again under the same key where it may be repeated", async () => {
    const { delivery, sent, effects: acted } = await outcomeOf("repeats");
    expect(delivery).toMatchObject({ state: "delivered", attemptCount: 2 });
    expect(sent.map(({ key }) => key)).toEqual([delivery.idempotencyKey, delivery.idempotencyKey]);
    expect(acted).toBe(1);
  });
});

describe.concurrent("a lookup", () => {
  test("that finds no effect lets it be tried again, by the policy and under the same key", async () => {
    const { delivery, sent, effects: acted } = await outcomeOf("lost");
    expect(delivery).toMatchObject({
      state: "delivered",
      attempts: [{ outcome: "uncertain" }, { number: 2, status: 201 }],
      lookups: [{ attempt: 1, found: "absent", status: 404 }],
    });
    expect([acted, new Set(sent.map(({ key }) => key)).size]).toEqual([1, 1]);
    expect((sent[1]?.atMs ?? 0) - (sent[0]?.atMs ?? 0)).toBeGreaterThanOrEqual(1000);
  });

  test("is made after an answer that does not tell either", async () => {
    const { delivery, sent, effects: acted } = await outcomeOf("errs");
    expect(delivery).toMatchObject({
      state: "delivered",
      attempts: [{ outcome: "uncertain", certainty: "answered", status: 502 }],
      lookups: [{ found: "delivered" }],
    });
    expect([acted, sent.length]).toEqual([1, 1]);
  });

  test.each([
    ["vague", 202, 4],
    ["shut", 403, 1],
  ])("that cannot tell parks the delivery: %s", async (type, status, tries) => {
    const { delivery, sent, effects: acted } = await outcomeOf(type);
    expect(delivery).toMatchObject({
      state: "needs-attention",
      attention: { reason: "outcome-uncertain" },
      lookups: [{ found: "unclear", status, tries }],
    });
    expect(delivery.attention?.advice).toContain(`the lookup's answer, ${status}, does not tell`);
    expect([acted, sent.length]).toEqual([1, 1]);
    expect(lookupsOf(type, delivery.idempotencyKey)).toHaveLength(tries);
  });

  test("waits for what the other side asks for, and goes on", async () => {
    const { delivery, effects: acted } = await outcomeOf("patient");
    expect(delivery).toMatchObject({ state: "delivered", lookups: [{ found: "delivered", tries: 2 }] });
    const [first, second] = lookupsOf("patient", delivery.idempotencyKey);
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(3000);
    expect(acted).toBe(1);
  });

  test("by a handler finds the effect, with its reference", async () => {
    const { delivery } = await outcomeOf("refunds");
    expect(delivery).toMatchObject({
      state: "delivered",
      attempts: [{ outcome: "uncertain", code: "handler_failed" }],
      lookups: [{ by: "handler", found: "delivered", code: "handler_done", reference: "bank-7" }],
    });
  });

  test("by a handler about a URL finds the effect too: one request, one effect", async () => {
    const { delivery, sent, effects: acted } = await outcomeOf("phoned");
    expect(delivery).toMatchObject({
      state: "delivered",
      attempts: [{ outcome: "uncertain", code: "closed_after_send" }],
      lookups: [{ by: "handler", found: "delivered", reference: "bank-7" }],
    });
    expect([acted, sent.length]).toEqual([1, 1]);
  });

  test("by a handler that finds none lets it be tried again", async () => {
    const { delivery } = await outcomeOf("doubts");
    expect(delivery).toMatchObject({
      state: "delivered",
      attempts: [{ outcome: "uncertain" }, { outcome: "delivered", reference: "done-at-last" }],
      lookups: [{ found: "absent" }],
    });
  });

  test("of one delivery does not keep the other of its event", async () => {
    const key = await submitted("pair");
    await stage.temporal.workflow.getHandle(key).result();
    expect((await exactState(stage, key)).deliveries).toMatchObject([
      { endpoint: "found", state: "delivered", lookups: [{ found: "delivered" }] },
      { endpoint: "repeats", state: "delivered", attemptCount: 2 },
    ]);
  });
});

describe("a lookup about an isolated endpoint", () => {
  test("is made by the worker that alone delivers there, and told to whoever counts there", async () => {
    const counted: unknown[] = [];
    const keeper = await stage.startWorker({ only: ["vault"], onLookup: (lookup) => void counted.push(lookup) });
    try {
      const { delivery, sent, effects: acted } = await outcomeOf("vault");
      expect(delivery).toMatchObject({
        state: "delivered",
        attempts: [{ outcome: "uncertain", via: "lane" }],
        lookups: [{ found: "delivered" }],
      });
      expect([acted, sent.length]).toEqual([1, 1]);
      expect(counted).toEqual([{ endpoint: "vault", found: "delivered" }]);
    } finally {
      await keeper.stop();
    }
  });

  test("needs its handler where it is made: a worker without it does not start", async () => {
    await expect(stage.startWorker({ handlers: HANDLERS.slice(0, 2) })).rejects.toMatchObject({
      code: "handler_missing",
      message: expect.stringContaining("lookup@1"),
    });
  });
});

describe("while it is looked up", () => {
  test.each([
    ["mark-delivered", "delivered"],
    ["discard", "discarded"],
  ] as const)("a person who knows ends it by %s, at once", async (word, state) => {
    stage.destination.script("/vague-books", [{ status: 503, headers: { "retry-after": "300" } }]);
    const key = await submitted("vague");
    await until("it was asked", async () => {
      const [delivery] = (await inState(key, "reconciling")).deliveries;
      return delivery !== undefined && lookupsOf("vague", delivery.idempotencyKey).length > 0;
    });
    const say = word === "discard" ? stage.far.discard : stage.far.markDelivered;
    expect(await say(key, WORD)).toMatchObject({ counted: true });
    await stage.temporal.workflow.getHandle(key).result();
    const { deliveries } = await exactState(stage, key);
    expect(deliveries).toMatchObject([{ state, resolutions: [{ action: word }] }]);
    expect(deliveries[0]).not.toHaveProperty("lookups");
  });

  test("a hold counts, and what it finds absent is not sent until the release", async () => {
    stage.destination.script("/lost-books", [{ status: 425 }, { status: 404 }]);
    const key = await submitted("lost");
    await inState(key, "reconciling");
    expect(await stage.far.hold(key, WORD)).toMatchObject({ counted: true });
    const held = await inState(key, "held");
    expect(held.deliveries).toMatchObject([{ lookups: [{ found: "absent", tries: 2 }], hold: { actor: WORD.actor } }]);
    await exactState(stage, key);
    expect(requestsOf(stage, key)).toHaveLength(1);
    expect(await stage.far.release(key, WORD)).toMatchObject({ counted: true });
    await stage.temporal.workflow.getHandle(key).result();
    expect(await exactState(stage, key)).toMatchObject({ state: "delivered", deliveries: [{ attemptCount: 2 }] });
  });

  test("the worker may go: another one asks on, and sends nothing meanwhile", async () => {
    stage.destination.script("/shut-books", [{ status: 500 }, { body: '{"status":"succeeded"}' }]);
    const key = await submitted("shut");
    await inState(key, "reconciling");
    await stage.stopWorker();
    expect(await stage.far.get(key)).toMatchObject({ state: "reconciling" });
    await stage.startWorker();
    await stage.temporal.workflow.getHandle(key).result();
    expect(await exactState(stage, key)).toMatchObject({ state: "delivered", deliveries: [{ attemptCount: 1 }] });
    expect(requestsOf(stage, key)).toHaveLength(1);
  });
});
