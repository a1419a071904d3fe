import { CompleteAsyncError } from "@temporalio/activity";
import {
  ApplicationFailure,
  CancelledFailure,
  defaultFailureConverter,
  defaultPayloadConverter,
  TimeoutFailure,
} from "@temporalio/common";
import { MockActivityEnvironment } from "@temporalio/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anInput, aStage, perform, type Stage, stageConfig } from "../../test/support/activity-stage.ts";
import { CountersignError, type ErrorCode } from "../errors.ts";
import { atBoundary } from "./boundary.ts";
import type { ActivityLog } from "./dependencies.ts";

const SECRET = "whsec_c3VwZXJzZWNyZXQ";
const config = stageConfig({ crm: { url: "https://crm.example/" } });

/** What the boundary makes of a thrown value: the real failure, and what the default converter makes of that. */
async function passing(thrown: unknown, options: { readonly tries?: number; readonly log?: ActivityLog } = {}) {
  const log = options.log ?? aStage(config).deps.log;
  const guarded = atBoundary("attemptDelivery", log, () => Promise.reject(thrown as Error));
  const environment = new MockActivityEnvironment({ attempt: options.tries ?? 1 }, { logger: SILENT });
  const failure: unknown = await environment.run(guarded, undefined).then(
    () => new TypeError("nothing was thrown"),
    (error: unknown) => error,
  );
  if (!(failure instanceof ApplicationFailure))
    throw new TypeError("The boundary let something else through", { cause: failure });
  return { failure, proto: defaultFailureConverter.errorToFailure(failure, defaultPayloadConverter) };
}

const SILENT = { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} };
const silentLog: ActivityLog = { attempted() {}, lookedUp() {}, failed() {}, clockDiffers() {}, handlerFailed() {} };

class Hostile extends Error {
  override get message(): string {
    throw new Error(SECRET);
  }
  override get name(): string {
    throw new Error(SECRET);
  }
}

const closed = (trap: string): unknown => {
  throw new TypeError(`${trap} ${SECRET}`);
};
const untouchable = new Proxy(new Error(SECRET), {
  get: () => closed("get"),
  has: () => closed("has") as boolean,
  getPrototypeOf: () => closed("getPrototypeOf") as object,
  getOwnPropertyDescriptor: () => closed("descriptor") as undefined,
});
const circular: Record<string, unknown> = { token: SECRET };
circular["self"] = circular;

const STRANGERS: readonly (readonly [string, unknown])[] = [
  ["undefined", undefined],
  ["null", null],
  ["a text", SECRET],
  ["a number that is none", Number.NaN],
  ["a BigInt", 10n ** 30n],
  ["a symbol", Symbol(SECRET)],
  ["a function", () => SECRET],
  ["a circle", circular],
  ["an error with a circle", Object.assign(new Error(SECRET), { circular, details: [1n] })],
  ["an error with a cause", new Error(SECRET, { cause: new Error(SECRET) })],
  ["an error that throws when it is looked at", new Hostile()],
  ["a proxy that throws whatever is done to it", untouchable],
  ["a revoked proxy", revoked()],
  ["many errors", new AggregateError([new Error(SECRET)], SECRET)],
  ["an abort nobody asked for", new DOMException(SECRET, "AbortError")],
  [
    "a failure with details that cannot be converted",
    ApplicationFailure.create({ message: SECRET, details: [1n, circular] }),
  ],
  ["a failure with an endless delay", ApplicationFailure.create({ message: SECRET, nextRetryDelay: Number.NaN })],
  ["a cancellation nobody asked for", new CancelledFailure(SECRET, [1n])],
  ["a time-out of Temporal's", new TimeoutFailure(SECRET, 1n, "HEARTBEAT")],
  ["a promise to complete later", new CompleteAsyncError()],
  ["an error that only bears our name", Object.assign(new Error(SECRET), { name: "CountersignError", code: 7 })],
  [
    "our name, and a message that is none",
    Object.assign(new Error(), { name: "CountersignError", code: "x", message: { SECRET } }),
  ],
];

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable(new Error(SECRET), {});
  revoke();
  return proxy;
}

describe("the boundary", () => {
  test.each(STRANGERS)(
    "turns %s into a failure that every converter accepts and that tells nothing",
    async (_, thrown) => {
      const { failure, proto } = await passing(thrown);
      expect(failure).toMatchObject({ type: "internal", nonRetryable: false });
      expect(failure.cause).toBeUndefined();
      expect(proto.stackTrace ?? "").toBe("");
      expect(proto.cause ?? null).toBeNull();
      expect(proto.applicationFailureInfo?.details ?? null).toBeNull();
      expect(proto.applicationFailureInfo?.nextRetryDelay ?? null).toBeNull();
      expect(JSON.stringify(proto)).not.toContain(SECRET);
      expect(JSON.stringify(proto)).not.toContain(".ts");
    },
  );

  test("does so for any thrown value whatsoever", async () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withObjectString: true,
      withSet: true,
      withSparseArray: true,
      withTypedArray: true,
    });
    const strangers = fc.oneof(
      anything,
      anything.map((value) => Object.assign(new Error(SECRET), { value, details: [value], code: value })),
      fc.tuple(anything, anything).map(([value, cause]) => Object.assign(new TypeError(SECRET, { cause }), { value })),
      anything.map((value) => ApplicationFailure.create({ message: SECRET, details: [value] })),
      fc.double().map((nextRetryDelay) => ApplicationFailure.create({ message: SECRET, nextRetryDelay })),
    );
    await fc.assert(
      fc.asyncProperty(strangers, async (thrown) => {
        const { failure, proto } = await passing(thrown, { log: silentLog });
        expect(failure.type).toBe("internal");
        expect(proto).toEqual({
          message: "The activity failed on our side; the worker's log has the reason",
          stackTrace: "",
          cause: undefined,
          source: "TypeScriptSDK",
          applicationFailureInfo: expect.objectContaining({
            type: "internal",
            details: undefined,
            nextRetryDelay: undefined,
          }),
        });
      }),
    );
  });

  test("keeps code and sentence of an error of ours, and nothing else of it", async () => {
    const error = new CountersignError("missing_env", "Endpoint crm needs CRM_URL, which is not set.", {
      cause: new Error(SECRET),
      details: { endpoint: "crm" },
    });
    const { failure, proto } = await passing(error);
    expect(failure).toMatchObject({
      type: "missing_env",
      message: "Endpoint crm needs CRM_URL, which is not set.",
      nonRetryable: false,
    });
    expect(JSON.stringify(proto)).not.toContain(SECRET);
    expect(proto.stackTrace).toBe("");
  });

  test.each<[ErrorCode, boolean]>([
    ["no_route", true],
    ["bad_event", true],
    ["body_too_large", true],
    ["unknown_source", true],
    ["config_invalid", false],
    ["missing_env", false],
    ["temporal_unreachable", false],
  ])("lets %s end the run: %s", async (code, nonRetryable) => {
    expect((await passing(new CountersignError(code, "x"))).failure).toMatchObject({ type: code, nonRetryable });
    expect((await passing(new CountersignError(code, "x"), { tries: 100 })).failure.nonRetryable).toBe(nonRetryable);
  });

  test("gives up on what nobody can explain after eight tries, so that a person looks", async () => {
    for (const [tries, nonRetryable] of [
      [1, false],
      [7, false],
      [8, true],
      [9, true],
    ] as const) {
      expect((await passing(new Error("x"), { tries })).failure.nonRetryable).toBe(nonRetryable);
    }
  });

  test("keeps the stranger's error in the worker's log", async () => {
    const stage: Stage = aStage(config, { answers: [() => Promise.reject(new Error(SECRET))] });
    await expect(perform(stage.deps, ["attemptDelivery", anInput()])).rejects.toMatchObject({ type: "internal" });
    expect(stage.failures).toEqual([{ activity: "attemptDelivery", code: "internal", error: new Error(SECRET) }]);
  });

  test("survives an error that the log cannot show, and a log that is broken", async () => {
    const lines: unknown[] = [];
    const failed: ActivityLog["failed"] = (line) => {
      lines.push(String((line.error as { readonly message?: unknown }).message ?? line.error));
    };
    const { failure } = await passing(new Hostile(), { log: { ...silentLog, failed } });
    expect([failure.type, lines]).toEqual(["internal", ["the error cannot be shown"]]);
    const broken = { ...silentLog, failed: () => breakDown() };
    expect((await passing(new Error("x"), { log: broken })).failure.type).toBe("internal");
  });

  test("passes on a cancellation that Temporal asked for, without its stack", async () => {
    const environment = new MockActivityEnvironment({}, { logger: SILENT });
    const guarded = atBoundary("attemptDelivery", silentLog, () => environment.context.cancelled);
    environment.cancel();
    const failure: unknown = await environment.run(guarded, undefined).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(CancelledFailure);
    const proto = defaultFailureConverter.errorToFailure(failure, defaultPayloadConverter);
    expect(proto).toMatchObject({ message: "canceled", stackTrace: "" });
  });

  test("lets a result pass as it is", async () => {
    const result = { kind: "to-lane", endpoint: "crm" };
    const guarded = atBoundary("attemptDelivery", silentLog, () => Promise.resolve(result));
    expect(await new MockActivityEnvironment({}, { logger: SILENT }).run(guarded, undefined)).toBe(result);
  });
});

function breakDown(): never {
  throw new Error("disk full");
}
