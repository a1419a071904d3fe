import picocolors from "picocolors";
import { describe, expect, test } from "vitest";
import { anEndpoint } from "../../test/support/an-endpoint.ts";
import type { EndpointDetail } from "../client/endpoint-detail.ts";
import { endpointDetailLines } from "./endpoint-lines.ts";

const COLORS = picocolors.createColors(false);
const NOW_MS = Date.parse("2026-11-29T10:00:00Z");

function lines(detail: EndpointDetail): readonly string[] {
  return endpointDetailLines(detail, NOW_MS, COLORS);
}

function row(detail: EndpointDetail, head: string): string {
  return lines(detail).find((line) => line.startsWith(head)) ?? "";
}

describe("one endpoint", () => {
  test("that is open has its five lines, and no ledger when nothing has happened", () => {
    expect(lines(anEndpoint())).toEqual([
      "crm  https://crm.example/hook",
      "gate       open",
      "lane       0 attempts waiting (approximate, up to 5 s old); no limit on the server",
      "in flight  not counted while it is open",
      "workers    2 run event workflows, none polls the lane (seen within 75 s)",
      "events     3 in progress, 1 awaiting approval, 2 needing attention, 10 delivered (eventually consistent)",
    ]);
  });

  test("that is held shows what waits and for how long, and calls both approximate", () => {
    const held = anEndpoint({
      gate: { state: "paused", who: "ana@example.com", why: "maintenance", since: "2026-11-29T09:00:00.000Z" },
      lane: { held: 52, oldestAgeMs: 182_000, ratePerSecond: 0 },
      inFlight: 1,
    });
    expect(row(held, "gate")).toContain("paused since 2026-11-29 09:00:00 UTC by ana@example.com: maintenance");
    expect(row(held, "lane")).toBe(
      "lane       52 attempts waiting, the oldest for 3 min 2 s (approximate, up to 5 s old); held on the server",
    );
    expect(row(held, "in flight")).toBe("in flight  1 attempt that had begun before, as workers told (approximate)");
  });

  test.each([
    [{ ratePerSecond: 20 }, "at most 20 a second on the server"],
    [{ held: null }, "the server does not say what waits"],
    [{ held: 1, oldestAgeMs: 900 }, "1 attempt waiting, the oldest for 0.9 s"],
  ])("whose lane is %j says so", (lane, words) => {
    expect(row(anEndpoint({ lane }), "lane")).toContain(words);
  });

  test("says where no worker runs, and what an isolated one needs", () => {
    expect(row(anEndpoint({ workers: 0 }), "workers")).toContain("none runs event workflows, none polls the lane");
    const isolated = anEndpoint({ isolated: true, idempotent: false });
    expect(lines(isolated)[0]).toBe("crm  https://crm.example/hook  (isolated)  (not idempotent)");
    expect(row(isolated, "workers")).toContain("only `countersign worker --only` delivers to it");
    expect(row(anEndpoint({ isolated: true, lane: { pollers: 1 } }), "workers")).toBe(
      "workers    2 run event workflows, 1 poll the lane (seen within 75 s)",
    );
  });

  test("shows its last changes, oldest first, and where all of them are", () => {
    const at = "2026-11-29T09:00:00.123Z";
    const ledger = [
      { n: 1, at, what: "paused", who: "ana\u001b@example.com", why: "maintenance", until: "2026-11-29T12:00:00.000Z" },
      { n: 2, at, what: "resumed", who: "ana@example.com", why: "", until: null },
    ] as const;
    expect(lines(anEndpoint({ ledger })).slice(6)).toEqual([
      "",
      "WHEN (UTC)           WHAT     WHO               UNTIL (UTC)          WHY",
      "2026-11-29 09:00:00  paused   ana?@example.com  2026-11-29 12:00:00  maintenance",
      "2026-11-29 09:00:00  resumed  ana@example.com   -                    -",
      "All that is known: countersign audit endpoint crm",
    ]);
  });
});
