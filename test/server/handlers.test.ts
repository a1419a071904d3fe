/** Endpoints that are functions: what they get, what their results and errors mean, and that nothing they throw ends the worker. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { handler, type HandlerContext, NonRetryableError, RetryableError } from "../../src/activities/handler.ts";
import type { RawEndpoint } from "../../src/config/raw-config.ts";
import { exactState, historyText, openStage, type Stage } from "../support/stage.ts";
import { uniqueName } from "../support/temporal.ts";

const WORD = { actor: "ana@example.com", reason: "looked into it" };

interface Call {
  readonly input: unknown;
  readonly context: HandlerContext;
  readonly atMs: number;
}

/** Calls by idempotency key. */
const calls = new Map<string, Call[]>();

function noted(input: unknown, context: HandlerContext): Call[] {
  const known = [...(calls.get(context.idempotencyKey) ?? []), { input, context, atMs: Date.now() }];
  calls.set(context.idempotencyKey, known);
  return known;
}

/** Whatever a handler may throw or give back that is hard to carry: each once, then the event is delivered. */
const POISON: Readonly<Record<string, () => unknown>> = {
  undefined: () => undefined,
  null: () => null,
  bigint: () => 10n,
  symbol: () => Symbol("poison"),
  function: () => () => undefined,
  "delay of NaN": () => new RetryableError("poison", { retryAfterMs: Number.NaN }),
  "endless delay": () => new RetryableError("poison", { retryAfterMs: Number.POSITIVE_INFINITY }),
  "negative delay": () => new RetryableError("poison", { retryAfterMs: -5 }),
  "delay of text": () => Object.assign(new RetryableError("poison"), { retryAfterMs: "NaNs" }),
  "delay of bigint": () => Object.assign(new RetryableError("poison"), { retryAfterMs: 5n }),
  "next retry delay": () =>
    Object.assign(new Error("poison"), { nextRetryDelay: Number.NaN, details: [10n], nonRetryable: true }),
  cycle: () => {
    const error = new Error("poison");
    return Object.assign(error, { cause: error, details: [error] });
  },
  "bigint inside": () => ({ amount: 10n, nested: { deep: [10n] } }),
  "throwing getter": () => ({
    get message() {
      throw new Error("poison in the poison");
    },
  }),
  "throwing name": () =>
    Object.defineProperty(new Error("poison"), "name", {
      get() {
        throw new Error("poison in the poison");
      },
    }),
  "throwing proxy": () =>
    new Proxy(new Error("poison"), {
      get() {
        throw new Error("poison in the poison");
      },
      getPrototypeOf() {
        throw new Error("poison in the poison");
      },
    }),
};

const RECEIPTS: Readonly<Record<string, () => unknown>> = {
  "a reference": () => ({ reference: "re_42" }),
  "no reference": () => undefined,
  "an empty one": () => ({ reference: "" }),
  "a long one": () => ({ reference: "x".repeat(201) }),
  "one with a line break": () => ({ reference: "a\nb" }),
  "one of bigint": () => ({ reference: 10n }),
  "a secret beside it": () => ({ reference: "re_42", token: "not to be kept" }),
  "one that throws": () => ({
    get reference() {
      throw new Error("poison");
    },
  }),
};

const HANDLERS = [
  handler("greet", "1", (input, context) => {
    noted(input, context);
    return { reference: `greeting-${context.attempt}` };
  }),
  handler("receipt", "1", ({ kind }: { readonly kind: string }, context) => {
    noted(kind, context);
    return RECEIPTS[kind]?.() as never;
  }),
  handler("poison", "1", ({ kind }: { readonly kind: string }, context) => {
    if (noted(kind, context).length === 1) throw POISON[kind]?.();
  }),
  handler("refuse", "1", (input, context) => {
    if (noted(input, context).length === 1) throw new NonRetryableError("card 4242 is not to be kept");
  }),
  handler("later", "2", (input, context) => {
    if (noted(input, context).length === 1) throw new RetryableError("busy", { retryAfterMs: 2500 });
  }),
  handler("much-later", "1", (input, context) => {
    noted(input, context);
    throw new RetryableError("busy", { retryAfterMs: 1e300 });
  }),
  handler("plain-error", "1", (input, context) => {
    if (noted(input, context).length === 1) throw new Error("password=hunter2");
  }),
  handler("hang", "1", async (input, context) => {
    if (noted(input, context).length === 1) await new Promise(() => undefined);
  }),
  handler("careful", "1", (input, context) => {
    noted(input, context);
    throw new Error("maybe it happened");
  }),
];

let stage: Stage;

beforeAll(async () => {
  const named = HANDLERS.map(({ name, version }) => [name, { handler: `${name}@${version}` }] as const);
  const endpoints: Record<string, RawEndpoint> = {
    ...Object.fromEntries(named),
    hang: { handler: "hang@1", timeouts: { total: "1s" } },
    careful: { handler: "careful@1", idempotent: false },
  };
  stage = await openStage({ endpoints, handlers: HANDLERS });
});

afterAll(async () => await stage.close());

async function outcomeOf(type: string, members: object = {}) {
  const { key } = await stage.far.submit({ source: "shop", id: uniqueName(type), type, data: {}, ...members });
  return await settledOutcome(key);
}

async function settledOutcome(key: string) {
  await stage.far.settled(key);
  const [delivery] = (await exactState(stage, key)).deliveries;
  if (delivery === undefined) throw new Error(`${key} has no delivery`);
  return { key, delivery, calls: calls.get(delivery.idempotencyKey) ?? [] };
}

describe.concurrent("a handler", () => {
  test("gets parsed data, the event, one idempotency key and the number of the attempt", async () => {
    const { key, delivery, calls: made } = await outcomeOf("greet", { subject: "order 7", data: { total: 42 } });
    expect(delivery).toMatchObject({
      state: "delivered",
      attempts: [{ code: "handler_done", reference: "greeting-1" }],
    });
    expect(made).toMatchObject([
      {
        input: { total: 42 },
        context: { attempt: 1, idempotencyKey: delivery.idempotencyKey, event: { subject: "order 7" } },
      },
    ]);
    expect(`shop/${made[0]?.context.event.id}`).toBe(key);
    expect(made[0]?.context.signal).toBeInstanceOf(AbortSignal);
  });

  test("gets text as text, bytes as bytes, and JSON bytes parsed", async () => {
    const text = await outcomeOf("greet", { data: "naïve ☕", datacontenttype: "text/plain" });
    const bytes = await outcomeOf("greet", {
      data: undefined,
      data_base64: "AAH/",
      datacontenttype: "application/pdf",
    });
    const json = await outcomeOf("greet", { data: undefined, data_base64: Buffer.from('{"a": 1}').toString("base64") });
    expect([text.calls[0]?.input, json.calls[0]?.input]).toEqual(["naïve ☕", { a: 1 }]);
    expect(bytes.calls[0]?.input).toEqual(new Uint8Array([0, 1, 255]));
  });

  test.each(Object.keys(RECEIPTS))("that gives back %s has delivered, called once", async (kind) => {
    const { delivery, calls: made } = await outcomeOf("receipt", { data: { kind } });
    const reference = kind === "a reference" || kind === "a secret beside it" ? "re_42" : undefined;
    expect(delivery).toMatchObject({ state: "delivered", attemptCount: 1 });
    expect(delivery.attempts[0]?.reference).toBe(reference);
    expect(made).toHaveLength(1);
    expect(JSON.stringify(delivery)).not.toContain("not to be kept");
  });

  test.each(Object.keys(POISON))("that throws %s has failed once, and is called again", async (kind) => {
    const { delivery, calls: made } = await outcomeOf("poison", { data: { kind } });
    expect(delivery).toMatchObject({
      state: "delivered",
      attempts: [{ code: "handler_failed" }, { code: "handler_done" }],
    });
    expect(made.map(({ context }) => context.attempt)).toEqual([1, 2]);
    expect((made[1]?.atMs ?? 0) - (made[0]?.atMs ?? 0)).toBeGreaterThanOrEqual(1000);
  });

  test("that refuses parks, and may be asked again", async () => {
    const { key, delivery } = await outcomeOf("refuse");
    expect(delivery).toMatchObject({
      attention: { reason: "handler-refused" },
      attempts: [{ outcome: "refused", code: "handler_refused" }],
    });
    await stage.far.replay(key, WORD);
    await stage.temporal.workflow.getHandle(key).result();
    expect(await settledOutcome(key)).toMatchObject({ delivery: { state: "delivered", attemptCount: 2 } });
    expect(JSON.stringify(await stage.far.get(key))).not.toContain("4242");
  });

  test("that asks for time gets it in full", async () => {
    const { delivery, calls: made } = await outcomeOf("later");
    expect(delivery).toMatchObject({ state: "delivered", attempts: [{ retryAfterMs: 2500 }, {}] });
    expect((made[1]?.atMs ?? 0) - (made[0]?.atMs ?? 0)).toBeGreaterThanOrEqual(2500);
  });

  test("that asks for more time than there is parks", async () => {
    const { delivery } = await outcomeOf("much-later");
    expect(delivery).toMatchObject({ attemptCount: 1, attention: { reason: "retry-after-too-long" } });
    expect(JSON.stringify(delivery)).not.toMatch(/NaN|Infinity|null ms/u);
  });

  test("that throws a plain error is called again, and its message goes nowhere", async () => {
    const { key, delivery } = await outcomeOf("plain-error");
    expect(delivery).toMatchObject({ state: "delivered", attemptCount: 2 });
    const text = await historyText(stage.temporal, key);
    expect(text).toContain("handler_failed");
    expect(text).not.toContain("hunter2");
  });

  test("that hangs is cut off at its time-out", async () => {
    const { delivery, calls: made } = await outcomeOf("hang");
    expect(delivery).toMatchObject({
      state: "delivered",
      attempts: [{ outcome: "uncertain", certainty: "unknown", code: "timeout_total" }, { code: "handler_done" }],
    });
    expect(made[0]?.context.signal.aborted).toBe(true);
  });

  test("that is not idempotent and fails is not called again", async () => {
    const { delivery, calls: made } = await outcomeOf("careful");
    expect(delivery).toMatchObject({
      attention: { reason: "outcome-uncertain" },
      attempts: [{ outcome: "uncertain", via: "direct" }],
    });
    expect(made).toHaveLength(1);
  });
});

describe("a worker", () => {
  test("still delivers after all that", async () => {
    expect((await outcomeOf("greet")).delivery.state).toBe("delivered");
  });

  test("does not start without a handler it must serve", async () => {
    await expect(stage.startWorker({ handlers: HANDLERS.slice(1) })).rejects.toMatchObject({
      code: "handler_missing",
      message: expect.stringContaining("greet@1"),
    });
  });
});
