import { describe, expect, test } from "vitest";
import {
  aClue,
  anEvent,
  anInput,
  aStage,
  perform,
  type Stage,
  type StageOptions,
  stageConfig,
} from "../../test/support/activity-stage.ts";
import type { RawEndpoint } from "../config/raw-config.ts";
import type { AttemptRecord } from "../delivery/attempt.ts";
import type { BusinessEvent } from "../delivery/event.ts";
import { type HandlerFunction, handler, NonRetryableError, RetryableError } from "./handler.ts";

type Run = HandlerFunction;

function aHandlerStage(run: Run, raw: Partial<RawEndpoint> = {}, options: StageOptions = {}): Stage {
  const config = stageConfig({ crm: { handler: "refund@1", ...raw } });
  return aStage(config, { handlers: new Map([["refund@1", handler("refund", "1", run)]]), ...options });
}

async function attempt(stage: Stage, event: BusinessEvent = anEvent()): Promise<AttemptRecord> {
  const result = await perform(stage.deps, ["attemptDelivery", anInput({ event })]);
  if (result.kind !== "attempted") throw new TypeError(`The attempt was not made: ${result.kind}`);
  return result.record;
}

const recordOf = (run: Run, raw: Partial<RawEndpoint> = {}): Promise<AttemptRecord> => attempt(aHandlerStage(run, raw));
const failing =
  (error: unknown): Run =>
  () =>
    Promise.reject(error instanceof Error ? error : (error as Error));
const careful = { idempotent: false };

describe("a handler", () => {
  test("gets the data parsed, the event, the stable key and the number of the attempt", async () => {
    const calls: unknown[] = [];
    const stage = aHandlerStage((input, { event, idempotencyKey, attempt: number, signal }) => {
      calls.push({ input, event, idempotencyKey, number, aborted: signal.aborted });
    });
    await perform(stage.deps, ["attemptDelivery", anInput({ number: 3 })]);
    const idempotencyKey = stage.lines[0]?.idempotencyKey;
    expect(calls).toEqual([{ input: { total: 42 }, event: anEvent(), idempotencyKey, number: 3, aborted: false }]);
    expect(stage.sent).toEqual([]);
  });

  test.each<[string, Partial<BusinessEvent>, unknown]>([
    ["JSON", { data: [1, null] }, [1, null]],
    ["a text", { data: "a=1", datacontenttype: "text/plain" }, "a=1"],
    ["JSON that came as bytes", { data_base64: Buffer.from('{"n":1.0}').toString("base64") }, { n: 1 }],
    ["bytes", { data_base64: "AAE=", datacontenttype: "image/png" }, new Uint8Array([0, 1])],
    ["an empty body", {}, new Uint8Array(0)],
  ])("gets %s as it can use it", async (_, body, expected) => {
    const inputs: unknown[] = [];
    const { data: __, ...bare } = anEvent();
    await attempt(
      aHandlerStage((input) => void inputs.push(input)),
      { ...bare, ...body },
    );
    expect(inputs).toEqual([expected]);
  });

  test("that returns has done its work", async () => {
    for (const run of [() => undefined, () => ({}), () => null as unknown as undefined, () => Promise.resolve()]) {
      expect(await recordOf(run)).toMatchObject({ outcome: "delivered", certainty: "answered", code: "handler_done" });
    }
    expect(await recordOf(() => undefined)).not.toHaveProperty("reference");
  });

  test.each<[unknown, string | undefined]>([
    ["re_1Nv0", "re_1Nv0"],
    ["x".repeat(200), "x".repeat(200)],
    ["x".repeat(201), undefined],
    ["two words", undefined],
    ["né", undefined],
    ["", undefined],
    [7, undefined],
    [{ id: "re_1" }, undefined],
  ])("leaves the reference %j in the attempt only when it is short visible ASCII", async (reference, kept) => {
    const record = await recordOf(() => ({ reference, card: "4242" }) as { reference: string });
    expect(record.reference).toBe(kept);
    expect(JSON.stringify(record)).not.toContain("4242");
  });

  test("that refuses for good parks the delivery, at whatever endpoint", async () => {
    const refusal = { outcome: "refused", certainty: "answered", code: "handler_refused" };
    expect(await recordOf(failing(new NonRetryableError("no such account")))).toMatchObject(refusal);
    expect(await recordOf(failing(new NonRetryableError("no such account")), careful)).toMatchObject(refusal);
  });

  test("that asks for another try gets it, where a repeat may do harm too: it knows what it did", async () => {
    const retry = { outcome: "retry", certainty: "answered", code: "handler_failed" };
    expect(await recordOf(failing(new RetryableError("busy")))).toMatchObject(retry);
    expect(await recordOf(failing(new RetryableError("busy")), careful)).toMatchObject(retry);
  });

  test.each<[number | undefined, number | undefined]>([
    [60_000, 60_000],
    [1.2, 2],
    [0, undefined],
    [-5, undefined],
    [Number.NaN, undefined],
    [Number.POSITIVE_INFINITY, undefined],
    [undefined, undefined],
  ])("that asks to wait %d ms is heard when that is a time", async (retryAfterMs, kept) => {
    const error = new RetryableError("busy", retryAfterMs === undefined ? {} : { retryAfterMs });
    expect((await recordOf(failing(error))).retryAfterMs).toBe(kept);
  });

  test("that throws anything else is tried again, but not where a repeat may do harm", async () => {
    for (const error of [new Error("boom"), new TypeError("bug"), "a text", undefined, null, { code: 1 }]) {
      expect(await recordOf(failing(error))).toMatchObject({ outcome: "retry", code: "handler_failed" });
      expect(await recordOf(failing(error), careful)).toMatchObject({
        outcome: "uncertain",
        certainty: "answered",
        code: "handler_failed",
      });
    }
    const synchronous: Run = () => {
      throw new Error("before the first await");
    };
    expect(await recordOf(synchronous)).toMatchObject({ outcome: "retry", code: "handler_failed" });
  });

  test("that throws something that cannot be looked at is recorded all the same", async () => {
    const { proxy, revoke } = Proxy.revocable(new Error("x"), {});
    revoke();
    const hostile = Object.defineProperty(new Error("x"), "name", {
      get() {
        throw new Error("a getter that throws");
      },
    });
    const named = Object.defineProperty(new RetryableError("x"), "retryAfterMs", {
      get() {
        throw new Error("a getter that throws");
      },
    });
    for (const error of [proxy, hostile]) {
      expect(await recordOf(failing(error), careful)).toMatchObject({ outcome: "uncertain", code: "handler_failed" });
    }
    const asking = await recordOf(failing(named), careful);
    expect(asking).toMatchObject({ outcome: "retry", code: "handler_failed" });
    expect(asking).not.toHaveProperty("retryAfterMs");
  });

  test("may use the error classes of another copy of this package", async () => {
    class Foreign extends Error {
      readonly retryAfterMs = 5000;
    }
    const named = (name: string): Error => Object.assign(new Foreign("x"), { name });
    expect(await recordOf(failing(named("NonRetryableError")))).toMatchObject({ outcome: "refused" });
    expect(await recordOf(failing(named("RetryableError")), careful)).toMatchObject({
      outcome: "retry",
      retryAfterMs: 5000,
    });
    expect(await recordOf(failing(named("OtherError")))).not.toHaveProperty("retryAfterMs");
  });

  test("keeps its message in the worker's log alone", async () => {
    const stage = aHandlerStage(failing(new Error("card 4242 of ana")));
    const record = await attempt(stage);
    expect(stage.handlerErrors).toEqual([new Error("card 4242 of ana")]);
    expect(JSON.stringify([record, stage.lines])).not.toMatch(/4242|ana/u);
  });

  test("is not called again because its error cannot be logged", async () => {
    let calls = 0;
    const stage = aHandlerStage(() => {
      calls += 1;
      throw new Error("boom");
    });
    const log = {
      ...stage.deps.log,
      handlerFailed: () => {
        throw new Error("disk full");
      },
    };
    const result = await perform({ ...stage.deps, log }, ["attemptDelivery", anInput()]);
    expect(result).toMatchObject({ kind: "attempted", record: { code: "handler_failed" } });
    expect(calls).toBe(1);
  });

  test("whose time is up is uncertain, and hears of it", async () => {
    const aborted: boolean[] = [];
    const hanging: Run = (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          aborted.push(signal.aborted);
          reject(new Error("too late to matter"));
        });
      });
    const stage = aHandlerStage(hanging, { timeouts: { total: "1s" } });
    expect(await attempt(stage)).toMatchObject({ outcome: "uncertain", certainty: "unknown", code: "timeout_total" });
    expect(aborted).toEqual([true]);
  });

  test("is cut off when the worker must stop, which leaves its fate unknown", async () => {
    const stopping = new AbortController();
    const never: Run = () => new Promise(() => stopping.abort());
    const cut = { outcome: "uncertain", certainty: "unknown", code: "canceled" };
    expect(await attempt(aHandlerStage(never, {}, { stopping: stopping.signal }))).toMatchObject(cut);
  });

  test("is not begun by a worker that stops already", async () => {
    let calls = 0;
    const stage = aHandlerStage(() => void (calls += 1), {}, { stopping: AbortSignal.abort() });
    expect(await attempt(stage)).toMatchObject({ outcome: "canceled", certainty: "not-sent", code: "canceled" });
    expect(calls).toBe(0);
  });

  test("may run locally", async () => {
    const stage = aHandlerStage(() => ({ reference: "ok" }));
    const input = anInput({ via: "local", clues: aClue() });
    expect(await perform(stage.deps, ["attemptDelivery", input])).toMatchObject({
      record: { via: "local", reference: "ok" },
    });
  });

  test("that this worker does not have is our own trouble: no attempt is recorded", async () => {
    const stage = aHandlerStage(() => undefined, {}, { handlers: new Map() });
    await expect(perform(stage.deps, ["attemptDelivery", anInput()])).rejects.toMatchObject({ type: "internal" });
    expect(stage.failures).toMatchObject([
      { error: new TypeError("Handler refund@1 is not registered in this worker") },
    ]);
    expect(stage.lines).toEqual([]);
  });
});
