/** An attempt that was lost with its worker is told once by the worker that finds it; nothing else is told. */
import { Writable } from "node:stream";
import { pino } from "pino";
import { describe, expect, test } from "vitest";
import type { EventActivities } from "../activities/contract.ts";
import type { AttemptInput } from "../delivery/activity-shapes.ts";
import type { AttemptResult } from "../delivery/facts.ts";
import { type LostAttempt, tellingLost } from "./lost-attempts.ts";

const LOST: AttemptResult = { kind: "lost", endpoint: "crm", number: 2, sinceMs: Date.parse("2026-01-02T00:00:00Z") };
const event = { source: "shop", id: "evt_1", type: "order.created" };
const settings = { idempotencyKey: "cs1_x" } as AttemptInput["settings"]; // nothing else of them is looked at
const input: AttemptInput = { v: 1, endpoint: "crm", number: 2, via: "local", settings, event, lastStatus: null };

/** Activities that report this and no other. */
function reporting(result: AttemptResult): EventActivities {
  const activities: Partial<EventActivities> = {
    attemptDelivery: async () => await Promise.resolve(result),
    resolveRoutes: async () =>
      await Promise.resolve({
        source: "shop",
        plan: { deliveries: [] } as never, // passed through
        ...(result.kind === "withheld" ? {} : { first: result }),
      }),
  };
  return activities as EventActivities; // the others are not called
}

function told(result: AttemptResult, onLost?: (lost: LostAttempt) => void) {
  const [lines, lost]: [string[], LostAttempt[]] = [[], []];
  const log = pino(new Writable({ write: (chunk: Buffer, _, done) => (lines.push(chunk.toString()), done()) }));
  const activities = tellingLost(reporting(result), { log, onLost: onLost ?? ((one) => void lost.push(one)) });
  return { activities, lines, lost };
}

describe("a lost attempt", () => {
  test("that the next one finds is a line and a count, and is passed on", async () => {
    const { activities, lines, lost } = told(LOST);
    expect(await activities.attemptDelivery(input)).toBe(LOST);
    expect(lost).toEqual([{ endpoint: "crm" }]);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      {
        msg: "delivery.attempt_lost",
        key: "shop/evt_1",
        endpoint: "crm",
        attempt: 2,
        since: "2026-01-02T00:00:00.000Z",
      },
    ]);
  });

  test("that shows while routes are found is told too", async () => {
    const { activities, lost } = told(LOST);
    expect(await activities.resolveRoutes({ v: 1, event })).toMatchObject({ first: LOST });
    expect(lost).toEqual([{ endpoint: "crm" }]);
  });

  test("of an event too large to carry, at a time nobody knows, is told with what is known", async () => {
    const { activities, lines } = told({ kind: "lost", endpoint: "crm", number: 1 });
    await activities.attemptDelivery({ ...input, event: null });
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ key: null, endpoint: "crm", attempt: 1, since: null });
  });

  test("stands although the counter of a stranger throws", async () => {
    const { activities } = told(LOST, () => {
      throw new Error("no counter");
    });
    expect(await activities.attemptDelivery(input)).toBe(LOST);
  });
});

test.each<AttemptResult>([
  { kind: "set-aside", endpoint: "crm" },
  { kind: "to-lane", endpoint: "crm" },
  { kind: "withheld", endpoint: "crm", reason: "not-routed" },
])("$kind is no loss", async (result) => {
  const { activities, lines, lost } = told(result);
  expect(await activities.attemptDelivery(input)).toBe(result);
  await activities.resolveRoutes({ v: 1, event });
  expect([lines, lost]).toEqual([[], []]);
});
