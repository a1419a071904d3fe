import { ApplicationFailure, CancelledFailure } from "@temporalio/common";
import { describe, expect, test } from "vitest";
import {
  anAnswer,
  anEvent,
  aStage,
  perform,
  type Stage,
  stageConfig,
  type StageOptions,
  type Surroundings,
} from "../../test/support/activity-stage.ts";
import { idempotencyKeyFor } from "../config/digests.ts";
import type { RawEndpoint } from "../config/raw-config.ts";
import type { LookupResult, ReconcileInput } from "../delivery/activity-shapes.ts";
import type { Exchange } from "../egress/exchange.ts";
import { handler, NonRetryableError, RetryableError } from "./handler.ts";

const KEY = idempotencyKeyFor("shop/evt_1", "crm", 1);
const RULES = { delivered: { status: 200, json: { "$.status": "succeeded" } }, absent: { status: 404 } };
const URL_ENDPOINT: RawEndpoint = {
  url: "https://pay.example/in?token=top-secret",
  headers: { authorization: "Bearer 1" },
  idempotent: false,
  timeouts: { connect: "1s", total: "3s" },
  reconcile: { url: "https://pay.example/refunds/{idempotencyKey}?of={source}/{id}", ...RULES },
};
const HANDLER_ENDPOINT: RawEndpoint = {
  handler: "refund@1",
  idempotent: false,
  timeouts: { total: "1s" },
  reconcile: { handler: "lookup@1" },
};

function stageOf(endpoint: RawEndpoint, options: StageOptions = {}): Stage {
  return aStage(stageConfig({ crm: endpoint }), options);
}

const INPUT: ReconcileInput = { v: 1, endpoint: "crm", event: anEvent(), revision: 1, number: 2 };

async function lookUp(stage: Stage, input: Partial<ReconcileInput> = {}, where?: Surroundings): Promise<LookupResult> {
  return await perform(stage.deps, ["reconcileDelivery", { ...INPUT, ...input }], where);
}

/** What the server is told, where the activity does not say yet. */
async function open(stage: Stage, tries: number): Promise<ApplicationFailure> {
  const failure: unknown = await lookUp(stage, {}, { tries }).catch((error: unknown) => error);
  if (failure instanceof ApplicationFailure) return failure;
  throw new TypeError("It was no failure", { cause: failure });
}

const answering = (status: number, body?: unknown): Exchange =>
  anAnswer({ status, ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }) });

describe("a lookup by URL", () => {
  test("asks with a GET, without a body, under the endpoint's limits and with its headers", async () => {
    const stage = stageOf(URL_ENDPOINT, { answers: [answering(404)] });
    await lookUp(stage, { event: anEvent({ id: "a/b" }) });
    expect(stage.sent).toMatchObject([
      {
        url: `https://pay.example/refunds/${idempotencyKeyFor("shop/a/b", "crm", 1)}?of=shop/a%2Fb`,
        method: "GET",
        headers: {
          accept: "application/json",
          authorization: "Bearer 1",
          "accept-encoding": "identity",
          "user-agent": "countersign/test",
        },
        timeouts: { connectMs: 1000, totalMs: 3000 },
        keepBodyBytes: 65_536,
      },
    ]);
    expect(stage.sent[0]?.body).toHaveLength(0);
  });

  test("finds the effect, and keeps of the answer what was looked for and nothing else", async () => {
    const stage = stageOf(URL_ENDPOINT, { answers: [answering(200, { status: "succeeded", card: "4111 secret" })] });
    const result = await lookUp(stage);
    expect(result).toEqual({
      endpoint: "crm",
      record: {
        attempt: 2,
        at: "2026-11-29T12:00:00.000Z",
        durationMs: expect.any(Number),
        tries: 1,
        by: "url",
        found: "delivered",
        code: "http_200",
        status: 200,
        matched: { "$.status": "succeeded" },
      },
    });
    expect(JSON.stringify([result, stage.lines, stage.failures])).not.toMatch(/secret|4111/u);
  });

  test("finds that there is no effect", async () => {
    const { record } = await lookUp(stageOf(URL_ENDPOINT, { answers: [answering(404)] }));
    expect(record).toMatchObject({ found: "absent", status: 404 });
    expect(record).not.toHaveProperty("matched");
  });

  test.each<[string, Exchange, number]>([
    ["another member", answering(200, { status: "pending" }), 4],
    ["what is not JSON", anAnswer({ body: Buffer.from("<html>") }), 4],
    ["a body too large to keep", answering(200), 4],
    ["an error of its own", answering(500), 4],
    ["nothing", { kind: "failure", code: "connect_refused", certainty: "not-sent", elapsedMs: 1 }, 10],
  ])("asks again when it gets %s, and cannot tell in the end", async (_, exchange, tries) => {
    const stage = stageOf(URL_ENDPOINT, { answers: [exchange] });
    expect(await open(stage, 1)).toMatchObject({ type: "lookup_open", nonRetryable: false, nextRetryDelay: 1000 });
    expect(await open(stage, tries - 1)).toMatchObject({ type: "lookup_open" });
    expect((await lookUp(stage, {}, { tries })).record).toMatchObject({ found: "unclear", tries });
    expect(stage.failures).toEqual([]);
  });

  test.each([301, 401, 410])("does not ask twice what is answered %d", async (status) => {
    const { record } = await lookUp(stageOf(URL_ENDPOINT, { answers: [answering(status)] }));
    expect(record).toMatchObject({ found: "unclear", status, code: `http_${status}`, tries: 1 });
  });

  test("does not ask before the time that it was asked for", async () => {
    const stage = stageOf(URL_ENDPOINT, { answers: [anAnswer({ status: 429, retryAfter: ["30"] })] });
    expect(await open(stage, 1)).toMatchObject({ nextRetryDelay: 30_000 });
  });

  test("asks nobody where the names make no URL of their own", async () => {
    const endpoint = { ...URL_ENDPOINT, reconcile: { url: "https://pay.example/refunds/{id}", ...RULES } };
    const stage = stageOf(endpoint, { answers: [answering(404)] });
    const { record } = await lookUp(stage, { event: anEvent({ id: ".." }) });
    expect(record).toMatchObject({ found: "unclear", code: "request_invalid" });
    expect(stage.sent).toEqual([]);
  });

  test("asks under the key that was sent, also after an amendment", async () => {
    const stage = stageOf(URL_ENDPOINT, { answers: [answering(404)] });
    await lookUp(stage, { amendment: { revision: 2, actor: "ana", from: "crm", data: 1 } });
    expect(stage.sent[0]?.url).toContain(idempotencyKeyFor("shop/evt_1", "crm", 2));
    await lookUp(stage);
    expect(stage.sent[1]?.url).toContain(KEY);
  });

  test("reads a large event from its run", async () => {
    const stage = stageOf(URL_ENDPOINT, { answers: [answering(404)] });
    expect((await lookUp(stage, { event: null })).record.found).toBe("absent");
    expect(stage.sent[0]?.url).toContain(KEY);
  });
});

describe("a lookup by handler", () => {
  const by = (run: Parameters<typeof handler>[2]): Stage =>
    stageOf(HANDLER_ENDPOINT, { handlers: new Map([["lookup@1", handler("lookup", "1", run)]]) });

  test("gets the event's data, the key and the number of the attempt", async () => {
    const calls: unknown[] = [];
    const stage = by((input, { idempotencyKey, attempt }) => {
      calls.push([input, idempotencyKey, attempt]);
      return { delivered: true, reference: "re_1" };
    });
    const { record } = await lookUp(stage);
    expect(record).toMatchObject({ by: "handler", found: "delivered", code: "handler_done", reference: "re_1" });
    expect(calls).toEqual([[{ total: 42 }, KEY, 2]]);
    expect(stage.sent).toEqual([]);
  });

  test("says that there is no effect", async () => {
    expect((await lookUp(by(() => ({ delivered: false })))).record).toMatchObject({ found: "absent" });
  });

  test.each<[string, unknown]>([
    ["null", { delivered: null }],
    ["nothing", undefined],
    ["a text", { delivered: "yes" }],
    ["a receipt of a refund", { reference: "re_1" }],
    [
      "what throws when it is looked at",
      Object.defineProperty({}, "delivered", {
        get: () => {
          throw new Error("no");
        },
      }),
    ],
  ])("that answers %s cannot tell", async (_, answer) => {
    const stage = by(() => answer as undefined); // what a handler in plain JavaScript may do
    expect(await open(stage, 1)).toMatchObject({ type: "lookup_open", nextRetryDelay: 1000 });
    expect((await lookUp(stage, {}, { tries: 4 })).record).toMatchObject({ found: "unclear", code: "handler_done" });
  });

  test("that throws is asked again, and its message stays in the worker's log", async () => {
    const failing = by(() => {
      throw new RetryableError("secret words", { retryAfterMs: 45_000 });
    });
    const failure = await open(failing, 1);
    expect(failure).toMatchObject({ type: "lookup_open", nextRetryDelay: 45_000 });
    expect(JSON.stringify(failure)).not.toContain("secret words");
    expect(failing.handlerErrors).toMatchObject([{ message: "secret words" }]);
    const refusing = by(() => {
      throw new NonRetryableError("never");
    });
    expect((await lookUp(refusing)).record).toMatchObject({ found: "unclear", code: "handler_refused", tries: 1 });
  });

  test("that takes too long is cut at the endpoint's time-out", async () => {
    const stage = by(async (_, { signal }) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      return { delivered: true };
    });
    expect(await open(stage, 1)).toMatchObject({
      type: "lookup_open",
      message: "The lookup does not tell yet (timeout_total)",
    });
  });

  test("that this worker does not have waits for one that has it", async () => {
    expect(await open(stageOf(HANDLER_ENDPOINT), 3)).toMatchObject({ type: "handler_missing", nonRetryable: false });
  });

  test("asks nobody once the worker has to stop", async () => {
    const stopping = AbortSignal.abort();
    const handlers = new Map([["lookup@1", handler("lookup", "1", () => ({ delivered: true }))]]);
    const stage = stageOf(HANDLER_ENDPOINT, { handlers, stopping });
    expect(await open(stage, 30)).toMatchObject({ type: "lookup_open", nextRetryDelay: 60_000 });
  });
});

describe("a lookup", () => {
  test("leaves a line each time it asks, which says what it found and nothing of the answer", async () => {
    const stage = stageOf(URL_ENDPOINT, { answers: [answering(500, { card: "4111" }), answering(404)] });
    await open(stage, 1);
    await lookUp(stage, {}, { tries: 2 });
    const line = { key: "shop/evt_1", endpoint: "crm", attempt: 2, by: "url", durationMs: expect.any(Number) };
    expect(stage.lookups).toEqual([
      { ...line, tries: 1, found: "unclear", code: "http_500", status: 500 },
      { ...line, tries: 2, found: "absent", code: "http_404", status: 404 },
    ]);
  });

  test("stands whatever becomes of its line", async () => {
    const stage = stageOf(URL_ENDPOINT, { answers: [answering(404)] });
    const log = { ...stage.deps.log, lookedUp: () => expect.fail("disk full") };
    const { record } = await lookUp({ ...stage, deps: { ...stage.deps, log } });
    expect(record).toMatchObject({ found: "absent" });
  });

  test.each<[string, RawEndpoint, Partial<ReconcileInput>]>([
    ["has no lookup any more", { url: "https://pay.example/in", idempotent: false }, {}],
    ["no longer knows the endpoint", URL_ENDPOINT, { endpoint: "gone" }],
  ])("asks nobody where the configuration %s: a person must look", async (_, endpoint, input) => {
    const stage = stageOf(endpoint);
    expect((await lookUp(stage, input)).record).toMatchObject({ found: "unclear", code: "not_configured", tries: 1 });
    expect(stage.sent).toEqual([]);
  });

  test("that nobody wants any more ends as canceled", async () => {
    const failure = { kind: "failure", code: "canceled", certainty: "not-sent", elapsedMs: 1 } as const;
    const stage = stageOf(URL_ENDPOINT, { answers: [failure] });
    const asked = lookUp(stage, {}, { meet: (environment) => environment.cancel("CANCELLED") });
    await expect(asked).rejects.toBeInstanceOf(CancelledFailure);
  });

  test("goes on elsewhere where the worker stops", async () => {
    const failure = { kind: "failure", code: "canceled", certainty: "not-sent", elapsedMs: 1 } as const;
    const stage = stageOf(URL_ENDPOINT, { answers: [failure] });
    const asked = lookUp(stage, {}, { meet: (environment) => environment.cancel("WORKER_SHUTDOWN") });
    await expect(asked).rejects.toMatchObject({ type: "lookup_open" });
  });
});
