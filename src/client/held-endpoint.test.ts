import { describe, expect, test } from "vitest";
import { anEndpoint } from "../../test/support/an-endpoint.ts";
import type { EndpointDetail } from "./endpoint-detail.ts";
import { heldError, isHeld } from "./held-endpoint.ts";

const UNTIL = "2026-11-29T12:00:00.000Z";
const SINCE = "2026-11-29T09:59:00.000Z";
const PAUSED = { state: "paused", who: "ana@example.com", why: "vendor maintenance", since: SINCE } as const;
const messageOf = (gate: Partial<EndpointDetail["gate"]>) => heldError(anEndpoint({ gate }), null).message;

test.each([
  [{}, false],
  [{ state: "open", ramping: true }, false],
  [{ state: "tripped", probing: true }, false],
  [{ state: "tripped" }, true],
  [{ state: "throttled" }, true],
  [PAUSED, true],
] as const)("a gate %j holds a test back: %s", (gate, expected) => {
  expect(isHeld(anEndpoint({ gate }).gate)).toBe(expected);
});

describe("an endpoint that is held", () => {
  test("says who holds it, why, until when, and what to type", () => {
    const { code, message, details } = heldError(anEndpoint({ gate: PAUSED }), null);
    expect({ code, message }).toEqual({
      code: "endpoint_held",
      message:
        "crm is paused by ana@example.com: vendor maintenance; until somebody resumes it. Nothing was sent. " +
        "See `countersign endpoints crm`; `countersign resume crm --probe` lets a few attempts try it",
    });
    const { who, why } = PAUSED;
    expect(details).toEqual({ endpoint: "crm", gate: "paused", who, why, since: SINCE, until: null, key: null });
  });

  test("by a pause that nobody has taken in yet says no more than that", () => {
    expect(messageOf({ state: "paused", until: UNTIL })).toMatch(/^crm is paused; until 2026-11-29T12:00:00\.000Z\./u);
  });

  test("because it asked for it tells nobody to resume it", () => {
    const asked = { state: "throttled", who: "workers", why: "Retry-After", until: UNTIL } as const;
    expect(messageOf(asked)).toMatch(/by workers: Retry-After; until \S+Z\. Nothing was sent\. See `[^`]+`$/u);
  });

  test("names the event that was accepted before", () => {
    expect(heldError(anEndpoint({ gate: PAUSED }), "countersign/test-1")).toMatchObject({
      message: expect.stringContaining("countersign/test-1 was accepted, and goes out once the gate lets it."),
      details: { key: "countersign/test-1" },
    });
  });
});
