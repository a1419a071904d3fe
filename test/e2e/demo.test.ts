/** `npm run demo` from outside: the promises of the first page, read from what it prints. */
import { describe, expect, test } from "vitest";
import type { AttemptRecord } from "../../src/delivery/attempt.ts";
import type { EventState } from "../../src/delivery/event-state.ts";
import { runScript } from "../support/run-npm.ts";

interface Printed {
  readonly events: readonly EventState[];
  readonly effects: Readonly<Record<string, number>>;
  readonly temporalUi: string;
}

async function printed(...args: readonly string[]): Promise<Printed> {
  const { exitCode, stdout, stderr } = await runScript("demo", ["--json", ...args]);
  expect(stderr).not.toContain("Did not hold");
  expect(exitCode).toBe(0);
  return JSON.parse(stdout) as Printed; // fails unless standard output is exactly one document
}

function deliveryOf({ events }: Printed, id: string): EventState["deliveries"][number] {
  const delivery = events.find((event) => event.id === id)?.deliveries[0];
  if (delivery === undefined) throw new Error(`Event ${id} has no delivery in the printed document`);
  return delivery;
}

function gapMs([first, second]: readonly AttemptRecord[]): number {
  if (first === undefined || second === undefined) return Number.NaN;
  return Date.parse(second.at) - Date.parse(first.at) - first.durationMs;
}

const ANSWERED_200 = { outcome: "delivered", certainty: "answered", status: 200, code: "http_200" };

describe.concurrent("npm run demo", () => {
  test("is asked to come back after 2 s, does so, and delivers a lost answer's event once in effect", async () => {
    const document = await printed();
    expect(document.events.map(({ key, state }) => [key, state])).toEqual([
      ["shop/evt_1", "delivered"],
      ["shop/evt_2", "delivered"],
      ["shop/evt_3", "delivered"],
    ]);
    expect(document.temporalUi).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);

    const crm = deliveryOf(document, "evt_1");
    expect(crm.attempts).toMatchObject([
      { outcome: "retry", certainty: "answered", code: "http_503", retryAfterMs: 2000 },
      ANSWERED_200,
    ]);
    expect(gapMs(crm.attempts)).toBeGreaterThanOrEqual(2000);

    const ledger = deliveryOf(document, "evt_2");
    expect(ledger.attempts).toMatchObject([{ outcome: "uncertain", certainty: "unknown" }, ANSWERED_200]);

    const payments = deliveryOf(document, "evt_3");
    const { proposal, decisions, attempts } = payments;
    expect(decisions).toMatchObject([
      { action: "approve", actor: "ana@example.com", digest: proposal?.digest, revision: 1, counted: true },
    ]);
    expect(proposal).toMatchObject({ requestedBy: "rita@example.com", executedAt: attempts[0]?.at });
    expect(Date.parse(decisions[0]?.at ?? "")).toBeLessThanOrEqual(Date.parse(proposal?.executedAt ?? ""));
    expect(attempts).toMatchObject([ANSWERED_200]);
    const keys = [crm, ledger, payments].map(({ idempotencyKey }) => [idempotencyKey, 1]);
    expect(document.effects).toEqual(Object.fromEntries(keys));
  });

  test("treats a first 429 like a 503", async () => {
    const document = await printed("--answer", "429");
    const { attempts } = deliveryOf(document, "evt_1");
    expect(attempts).toMatchObject([{ outcome: "retry", code: "http_429", retryAfterMs: 2000 }, ANSWERED_200]);
    expect(gapMs(attempts)).toBeGreaterThanOrEqual(2000);
  });

  test("parks on a first 400 without an effect", async () => {
    const document = await printed("--answer", "400");
    const crm = deliveryOf(document, "evt_1");
    expect(crm).toMatchObject({
      state: "needs-attention",
      attemptCount: 1,
      lastCode: "http_400",
      attention: { reason: "refused" },
    });
    expect(document.effects).not.toHaveProperty(crm.idempotencyKey);
    expect(document.effects).toMatchObject({ [deliveryOf(document, "evt_2").idempotencyKey]: 1 });
  });

  test("repeats a request that met its time limit, with one effect", async () => {
    const document = await printed("--answer", "timeout");
    const crm = deliveryOf(document, "evt_1");
    expect(crm.attempts).toMatchObject([
      { outcome: "uncertain", certainty: "unknown", code: "timeout_total" },
      ANSWERED_200,
    ]);
    expect(document.effects[crm.idempotencyKey]).toBe(1);
  });

  test("prints a timeline of each event, and where to look in the Temporal UI", async () => {
    const { exitCode, stdout, stderr } = await runScript("demo");
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/#1 .*crm answered 503/);
    expect(stdout).toMatch(/#2 .*crm answered 200/);
    expect(stdout).toContain("2 requests, 1 key, 1 effect");
    expect(stdout).toMatch(/temporal workflow signal --workflow-id shop\/evt_3 --name approve/);
    expect(stdout).toMatch(/approve by ana@example\.com: Letter checked/);
    expect(stdout).toContain('| {"order":"o_1","amount":900,"currency":"EUR"}');
    expect(stdout).toMatch(/http:\/\/127\.0\.0\.1:\d+\/namespaces\/default\/workflows\/shop%2Fevt_1/);
    // Nothing of the SDK's own logging reaches a reader of the transcript.
    expect(stderr).not.toMatch(/temporal|webpack|workflow/i);
  });

  test("refuses an unknown answer before it starts anything", async () => {
    const { exitCode, stderr } = await runScript("demo", ["--answer", "200"]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("--answer takes 503, 429, 400, timeout");
  });
});
