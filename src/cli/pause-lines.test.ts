import picocolors from "picocolors";
import { describe, expect, test } from "vitest";
import type { PauseReport } from "../client/endpoint-control.ts";
import { pauseLines, unconfirmedWarning } from "./pause-lines.ts";

const COLORS = picocolors.createColors(false);
const NOW_MS = Date.parse("2026-11-29T10:00:00Z");
const REPORT: PauseReport = {
  endpoint: "crm",
  at: "2026-11-29T10:00:00.000Z",
  until: null,
  workers: 2,
  confirmed: true,
  heldOnServer: true,
  inFlight: 0,
  replaces: null,
};

function said(changes: Partial<PauseReport>): string {
  return pauseLines({ ...REPORT, ...changes }, NOW_MS, COLORS).join("\n");
}

describe("a pause", () => {
  test("that holds everywhere says so, what is in flight, and how it ends", () => {
    expect(said({ inFlight: 3 })).toBe(
      [
        "crm is paused until somebody resumes it: it holds everywhere, no attempt begins any more. Events are still accepted, and wait.",
        "3 attempts had begun before and may still be on the way (approximate).",
        "Let it go on: countersign resume crm",
      ].join("\n"),
    );
    expect(said({})).toContain("Nothing is in flight, as far as workers have told.");
    expect(said({ until: "2026-11-29T12:00:00.000Z" })).toContain(
      "is paused until 2026-11-29 12:00:00 UTC (in 2 h): it holds",
    );
  });

  test("without a worker says that none runs, and claims nothing of what is in flight", () => {
    const text = said({ workers: 0 });
    expect(text).toContain("no worker runs; the Temporal server holds its lane, and the first worker that starts");
    expect(text).not.toMatch(/in flight|everywhere/u);
  });

  test("that no worker has confirmed claims no more than what the server holds", () => {
    const report = { ...REPORT, confirmed: false, workers: 1 };
    expect(said(report)).toContain(": the Temporal server holds its lane. Events");
    expect(said({ ...report, heldOnServer: false })).toContain(": it stands in the registry that workers read. Events");
    expect(said(report)).not.toContain("everywhere");
    expect(unconfirmedWarning(report)).toMatch(
      /^Not confirmed: 1 worker was seen .* look again: countersign endpoints crm$/u,
    );
    expect(unconfirmedWarning({ ...report, workers: 2 })).toContain("2 workers were seen");
  });

  test("that replaces another one says whose, and whether it ends earlier", () => {
    const replaces = { who: "ana@example.com", why: "vendor maintenance", until: "2026-11-29T18:00:00.000Z" };
    const line = "This pause replaces the one by ana@example.com until 2026-11-29 18:00:00 UTC (vendor maintenance).";
    expect(said({ replaces, until: "2026-11-29T12:00:00.000Z" })).toContain(`${line} The new one ends earlier.`);
    expect(said({ replaces })).toContain(`${line}\n`);
    expect(said({ replaces: { ...replaces, until: null } })).toContain(
      "by ana@example.com until somebody resumes it (vendor maintenance).\n",
    );
    expect(said({})).not.toContain("replaces");
  });

  test("on a server that refuses rates says that workers hold", () => {
    expect(said({ heldOnServer: false })).toMatch(
      /refuses rates on task queues, so the workers hold it; `countersign doctor`/u,
    );
    expect(said({ heldOnServer: false, workers: 0 })).toContain("no worker runs; workers that start will hold it");
    expect(said({})).not.toContain("refuses");
  });
});
