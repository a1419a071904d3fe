/** The sender that Countersign is measured against when an endpoint is down. */
import { describe, expect, test } from "vitest";
import { naiveRequests } from "../scenarios/naive-sender.ts";

const OUTAGE = { fromMs: 1000, toMs: 21_000 };

describe("a sender of five tries without a circuit", () => {
  test.each([
    { arrivals: "an event at its beginning", atMs: [1000], requests: 5 },
    { arrivals: "an event whose last try comes when it is over", atMs: [6000], requests: 4 },
    { arrivals: "an event at its very end", atMs: [20_999], requests: 1 },
    { arrivals: "an event before it", atMs: [999], requests: 0 },
    { arrivals: "an event after it", atMs: [21_000], requests: 0 },
    {
      arrivals: "one event a second",
      atMs: Array.from({ length: 20 }, (_, index) => 1000 * (index + 1)),
      requests: 74,
    },
  ])("makes $requests requests during an outage of 20 s for $arrivals", ({ atMs, requests }) => {
    expect(naiveRequests(atMs, OUTAGE)).toBe(requests);
  });
});
