/** What holds in every state of every simulated run, whatever people say and whenever they say it. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { simulateRun } from "../../test/support/simulated-run.ts";
import type { Delivery, EventProgress } from "./progress.ts";
import { project } from "./project.ts";

const inTime = { interruptAfterTimeLimit: 12_000 };
const tapes = fc.array(fc.nat({ max: 5039 }), { minLength: 400, maxLength: 600 });

/** Checks each state of each delivery against the one before it. */
function always(check: (now: Delivery, before: Delivery | undefined, progress: EventProgress) => void): void {
  fc.assert(
    fc.property(tapes, (tape) => {
      const { trace } = simulateRun(tape);
      for (const [step, progress] of trace.entries())
        for (const [index, now] of progress.deliveries.entries())
          check(now, trace[step - 1]?.deliveries[index], progress);
    }),
    { numRuns: 500, ...inTime },
  );
}

/** The attempt before it, where this state begins one within the same budget. */
function precedingAttempt(now: Delivery, before: Delivery | undefined) {
  const begins = now.inFlight !== null && (before?.inFlight ?? null) === null;
  return begins && now.attempts.length > now.spentAttempts ? now.attempts.at(-1) : undefined;
}

/** From each hold to the release that followed it. */
function timeHeldMs(resolutions: Delivery["resolutions"]): number {
  let sinceMs = Number.NaN;
  let heldMs = 0;
  for (const { action, at } of resolutions.filter(({ counted }) => counted)) {
    if (action === "hold") sinceMs = Date.parse(at);
    if (action === "release") heldMs += Math.max(0, Date.parse(at) - sinceMs);
  }
  return heldMs;
}

describe("a delivery", () => {
  test("that somebody holds makes no attempt and waits for no timer until it is released", () => {
    always((now) => {
      if (now.hold === null) return;
      expect([now.inFlight, now.wait]).toEqual([null, null]);
    });
  });

  test("is released only by a word that counts, or by its end", () => {
    always((now, before) => {
      if (before?.hold === undefined || before.hold === null || now.hold !== null) return;
      const word = now.resolutions.findLast(({ counted }) => counted)?.action;
      expect(["release", "discard", "mark-delivered"]).toContain(word);
    });
  });

  test("shows as held exactly where nothing but the hold keeps it from going on", () => {
    always((now, _, progress) => {
      const shown = project(progress).deliveries.find(({ endpoint }) => endpoint === now.endpoint);
      if (shown?.state !== "held") return;
      expect(now.hold).not.toBeNull();
      expect(shown).toMatchObject({ waitingFor: "gate", nextAt: null, attention: null });
    });
  });

  test("is never tried before the time that its endpoint asked for, whoever hurries, holds or releases it", () => {
    always((now, before) => {
      const { at, retryAfterMs } = precedingAttempt(now, before) ?? {};
      if (at === undefined || retryAfterMs === undefined) return;
      expect(now.inFlight?.sinceMs).toBeGreaterThanOrEqual(Date.parse(at) + retryAfterMs);
    });
  });

  test("that must not be repeated blindly is tried again only once a lookup has found no effect", () => {
    always((now, before) => {
      const last = precedingAttempt(now, before);
      if (last?.outcome !== "uncertain" || now.settings.idempotent) return;
      expect(now.lookups.at(-1)).toMatchObject({ attempt: last.number, found: "absent" });
    });
  });

  test("is looked up at most once for each uncertain attempt, and only after it", () => {
    always(({ lookups, attempts }) => {
      const numbers = lookups.map(({ attempt }) => attempt);
      expect(new Set(numbers).size).toBe(numbers.length);
      for (const number of numbers) expect(attempts[number - 1]?.outcome).toBe("uncertain");
    });
  });

  test("never has its time for retries grow by more than it was held", () => {
    always(({ heldMs, resolutions }) => {
      expect(heldMs).toBeGreaterThanOrEqual(0);
      expect(heldMs).toBeLessThanOrEqual(timeHeldMs(resolutions));
    });
  });
});
