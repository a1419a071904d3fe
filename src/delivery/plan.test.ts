import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aPlan, someSettings } from "../../test/support/deliveries.ts";
import { parsePlan } from "./plan.ts";
import { NO_RETRY, STANDARD_RETRY } from "./policy.ts";

const plan = aPlan(["crm"]);
const withSettings = (changes: object): unknown => ({
  ...plan,
  deliveries: [{ endpoint: "crm", settings: { ...someSettings(), ...changes } }],
});
const withRetry = (changes: object): unknown => withSettings({ retry: { ...STANDARD_RETRY, ...changes } });
const toEndpoints = (endpoints: readonly unknown[]): unknown => ({
  ...plan,
  deliveries: endpoints.map((endpoint) => ({ endpoint, settings: someSettings() })),
});

describe("parsePlan", () => {
  test.each([
    ["one delivery", plan],
    ["several deliveries", aPlan(["crm", "ledger", "mail"])],
    ["a policy without retries", aPlan(["crm"], { retry: NO_RETRY })],
    ["a window", aPlan(["crm"], { retry: { ...STANDARD_RETRY, windowMs: 0, jitter: 1 } })],
    ["an approval that is due", aPlan(["crm"], { approval: true })],
    ["a lookup", aPlan(["crm"], { idempotent: false, reconcile: true })],
    ["a hundred deliveries", aPlan(Array.from({ length: 100 }, (_, index) => `e${index}`))],
  ])("reads back %s after JSON", (_, whole) => {
    expect(parsePlan(JSON.parse(JSON.stringify(whole)))).toEqual(whole);
  });

  test.each([false, "true", 1, null])(
    "takes approval or lookup %j for none: only a hint, and the attempt asks again",
    (approval) => {
      expect(parsePlan(withSettings({ approval }))).toEqual(parsePlan(withSettings({})));
      expect(parsePlan(withSettings({ reconcile: approval }))).toEqual(parsePlan(withSettings({})));
    },
  );

  test("drops members it does not know, so that they cannot reach a decision", () => {
    const extra = JSON.parse(
      JSON.stringify({ ...plan, approvedBy: "nobody", deliveries: [{ ...plan.deliveries[0], url: "x" }] }),
    );
    expect(parsePlan(extra)).toEqual(plan);
  });

  test.each([
    ["nothing", undefined],
    ["null", null],
    ["a text", "plan"],
    ["a list", [plan]],
    ["no fingerprint", { deliveries: plan.deliveries }],
    ["deliveries that are no list", { ...plan, deliveries: { 0: plan.deliveries[0], length: 1 } }],
    ["no delivery", { ...plan, deliveries: [] }],
    ["more than a hundred deliveries", aPlan(Array.from({ length: 101 }, (_, index) => `e${index}`))],
    ["one delivery of two broken", { ...plan, deliveries: [plan.deliveries[0], null] }],
    ["an endpoint named twice", aPlan(["crm", "crm"])],
    ["an endpoint without name", toEndpoints([undefined])],
    ["an endpoint name nobody can configure", toEndpoints(["Ünknown endpoint"])],
    ["an endpoint name of a million characters", toEndpoints(["x".repeat(1_000_000)])],
    ["no settings", { ...plan, deliveries: [{ endpoint: "crm" }] }],
    ["no key", withSettings({ idempotencyKey: null })],
    ["no version", withSettings({ configVersion: 1 })],
    ["idempotent as a text", withSettings({ idempotent: "true" })],
    ["isolated missing", withSettings({ isolated: undefined })],
    ["lane as a number", withSettings({ lane: 1 })],
    ["a total time that is no number", withSettings({ totalMs: "20s" })],
    ["a total time beyond what a timer takes", withSettings({ totalMs: Number.MAX_SAFE_INTEGER })],
    ["no policy", withSettings({ retry: null })],
    ["no schedule", withRetry({ scheduleMs: null })],
    ["a schedule without end", withRetry({ scheduleMs: Array.from({ length: 1000 }, () => 1000) })],
    ["a negative wait", withRetry({ scheduleMs: [1000, -1] })],
    ["a fraction of a millisecond", withRetry({ scheduleMs: [0.5] })],
    ["jitter above one", withRetry({ jitter: 1.01 })],
    ["jitter below zero", withRetry({ jitter: -0.1 })],
    ["jitter that is not a number", withRetry({ jitter: Number.NaN })],
    ["jitter as a text", withRetry({ jitter: "0.2" })],
    ["a window that never ends", withRetry({ windowMs: Number.POSITIVE_INFINITY })],
    ["no limit for Retry-After", withRetry({ retryAfterMaxMs: undefined })],
  ])("takes %s for no plan at all", (_, junk) => {
    expect(parsePlan(junk)).toBeNull();
  });

  test("never throws, whatever stands in the input", () => {
    const anything = fc.anything({ withNullPrototype: true, withSparseArray: true, withBigInt: true });
    fc.assert(
      fc.property(anything, (junk) => {
        expect(parsePlan(junk)).toBeNull();
      }),
    );
    fc.assert(
      fc.property(anything, fc.constantFrom("endpoint", "settings"), (junk, member) => {
        expect(parsePlan({ ...plan, deliveries: [{ ...plan.deliveries[0], [member]: junk }] }) ?? plan).toBeTruthy();
      }),
    );
  });

  test("yields only delays that every timer takes", () => {
    const almost = fc.record({
      scheduleMs: fc.array(fc.oneof(fc.double(), fc.maxSafeInteger()), { maxLength: 3 }),
      jitter: fc.double(),
      windowMs: fc.oneof(fc.constant(null), fc.double(), fc.maxSafeInteger()),
      retryAfterMaxMs: fc.oneof(fc.double(), fc.maxSafeInteger()),
    });
    fc.assert(
      fc.property(almost, (retry) => {
        const read = parsePlan(withSettings({ retry }))?.deliveries[0]?.settings.retry;
        if (read === undefined) return;
        for (const delayMs of [...read.scheduleMs, read.windowMs ?? 0, read.retryAfterMaxMs]) {
          expect(Number.isInteger(delayMs) && delayMs >= 0 && delayMs < 4e12).toBe(true);
        }
        expect(read.jitter >= 0 && read.jitter <= 1).toBe(true);
      }),
    );
  });
});
