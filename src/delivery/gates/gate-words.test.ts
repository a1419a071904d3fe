import { describe, expect, test } from "vitest";
import { DEFAULT_CIRCUIT } from "./circuit.ts";
import { type EndpointControl, newControl } from "./control.ts";
import type { ControlFact, TroubleReport } from "./control-facts.ts";
import { advanceControl } from "./endpoint-control.ts";
import { applySummary, controlDetails, timerSummary } from "./gate-words.ts";
import { oneLineReason, throttledUntilMs, throttleReason } from "./lane-reason.ts";
import { withLimit } from "./lane-rate.ts";

const NOON_MS = Date.UTC(2026, 10, 29, 12);
const head = { worker: "w1", configVersion: "v1", circuit: DEFAULT_CIRCUIT, lastCode: "http_503" } as const;

function after(...facts: readonly object[]): EndpointControl {
  return facts.reduce<EndpointControl>(
    (control, fact) => advanceControl(control, { atMs: NOON_MS, ...fact } as ControlFact),
    newControl("crm"),
  );
}

const reported = (report: object) => ({ fact: "reported", report: { ...head, ...report } as TroubleReport });
const failing = (count: number) =>
  reported({ kind: "failures", failures: count, successes: 0, trailingFailures: count });
const paused = (word: object = {}) => ({
  fact: "pause",
  word: { actor: "ana@example.com", reason: "vendor\nmaintenance", untilMs: null, forMs: null, earliestMs: 0, ...word },
});
const resumed = { fact: "resume", word: { actor: "bob", reason: "", strict: false, rampMs: 60_000 } };
const begun = reported({ kind: "probe", round: NOON_MS, begun: 1, succeeded: 0, failed: 0, others: 0 });
const good = reported({ kind: "probe", round: NOON_MS, begun: 4, succeeded: 4, failed: 0, others: 0 });

describe("what people read", () => {
  test.each([
    [after(paused()), "crm: hold the lane; paused by ana@example.com: vendor maintenance"],
    [
      after(failing(5)),
      "crm: hold the lane; tripped, 5 failures in a row, the last one http_503 (until 2026-11-29T12:00:30.000Z)",
    ],
    [
      after(reported({ kind: "throttled", retryAfterMs: 5000 })),
      "crm: hold the lane; throttled by its Retry-After (until 2026-11-29T12:00:05.000Z)",
    ],
    [after(paused(), resumed), "crm: lane at 4 a second; probing, 0 of 0 attempts succeeded, 4 wanted"],
    [after(paused(), resumed, good), "crm: lane at 4 a second; open, what waits drains at a rising rate"],
    [newControl("crm"), "crm: lane without a limit; open"],
  ])("of a step", (control, expected) => {
    expect(applySummary(control, NOON_MS)).toBe(expected);
  });

  test.each([
    [after(paused({ forMs: 60_000 })), "crm: in 5 s the pause is over, then a few attempts try the endpoint"],
    [after(failing(5)), "crm: in 5 s a few attempts try the endpoint"],
    [after(reported({ kind: "throttled", retryAfterMs: 5000 })), "crm: in 5 s the Retry-After is over"],
    [after(paused(), resumed), "crm: in 5 s look whether anything waits on the lane"],
    [after(paused(), resumed, begun), "crm: in 5 s look what the probes have met"],
    [after(paused(), resumed, good), "crm: in 5 s the lane drains faster"],
    [after(failing(3)), "crm: in 5 s nobody watches it any more"],
  ])("of a timer", (control, expected) => {
    expect(timerSummary(control, 5000)).toBe(expected);
  });

  test("is cut to one line", () => {
    expect(applySummary(after(paused({ reason: "x".repeat(500) })), NOON_MS)).toHaveLength(200);
  });

  test("says how it stands, what may be said, and the ledger, the newest first", () => {
    expect(controlDetails(after(paused({ reason: "`x`\n# y", forMs: 1000 }))).split("\n\n")).toEqual([
      "**crm** is paused: `paused by ana@example.com: 'x' # y (until 2026-11-29T12:00:01.000Z)`",
      'Signal `resume` with `{"actor":"you@example.com"}` to let a few attempts try it, then open it.',
      "- 2026-11-29T12:00:00.000Z **paused** by `ana@example.com`: `'x' # y` (until 2026-11-29T12:00:01.000Z)",
    ]);
    expect(
      controlDetails(after(paused(), resumed, good))
        .split("\n\n")
        .slice(1),
    ).toEqual([
      'Signal `pause` with `{"actor":"you@example.com","reason":"…"}` to hold it.',
      "- 2026-11-29T12:00:00.000Z **opened** by `workers`: `4 probes succeeded; what waits drains at a rising rate`",
      "- 2026-11-29T12:00:00.000Z **resumed** by `bob`",
      "- 2026-11-29T12:00:00.000Z **paused** by `ana@example.com`: `vendor maintenance`",
    ]);
  });
});

describe("the reason that stands on the server", () => {
  test("of a throttle says until when, and is read back", () => {
    expect(throttledUntilMs(throttleReason(NOON_MS))).toBe(NOON_MS);
  });

  test.each(["", "paused by ana: throttled until 2026-11-29T12:00:00.000Z", "throttled until then"])(
    "%o is nobody's throttle",
    (reason) => expect(throttledUntilMs(reason)).toBeNull(),
  );

  test("is one short line", () => {
    expect(oneLineReason(`a\n\tb ${"x".repeat(500)}`)).toMatch(/^a b x{196}$/u);
  });
});

test.each([
  [null, null, null],
  [0, 20, 0],
  [null, 20, 20],
  [4, 20, 4],
  [64, 20, 20],
  [4, null, 4],
  [4, 0.5, 0.5],
])("a gate's rate of %s under a limit of %s is %s", (rate, limit, expected) => {
  expect(withLimit(rate, limit)).toBe(expected);
});
