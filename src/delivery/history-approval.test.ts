/** What a history tells of approvals: proposals, their clocks, decisions and what became of them. */
import { describe, expect, test } from "vitest";
import { aDraft, aRule, digestOf, EXPIRES_MS, rightsFor } from "../../test/support/approvals.ts";
import {
  aDeliveredAttempt,
  anAttempt,
  anIdentity,
  aPlan,
  at,
  NOON_MS,
  someSettings,
} from "../../test/support/deliveries.ts";
import type { Examination, PlannedDelivery } from "./activity-shapes.ts";
import type { BallotRights, ProposalDraft } from "./approval.ts";
import type { DeliveryStatus } from "./event-state.ts";
import type { AttemptResult } from "./facts.ts";
import { progressFromHistory } from "./history.ts";
import type { HistoryEntry, RunStart } from "./history-entries.ts";
import { project } from "./project.ts";

const start = (
  endpoints: readonly string[] = ["crm"],
  settings: Parameters<typeof aPlan>[1] = { approval: true },
): RunStart => ({
  event: anIdentity(),
  plan: aPlan(endpoints, settings),
  fingerprint: "sha256:test",
  startedMs: NOON_MS,
});

/** One task that starts so long after noon, with what it read and what it did. */
const task = (afterMs: number, ...commands: readonly HistoryEntry[]): readonly HistoryEntry[] => [
  { entry: "task-started", atMs: NOON_MS + afterMs },
  { entry: "task-completed", atMs: NOON_MS + afterMs },
  ...commands,
];
const local = (type: string, result: unknown, afterMs = 0): HistoryEntry => ({
  entry: "local-activity",
  type,
  result,
  failed: result === undefined,
  atMs: NOON_MS + afterMs,
});
const scheduled = (id: number, type: string, input: object = {}): HistoryEntry => ({
  entry: "activity-scheduled",
  id,
  activityId: String(id),
  type,
  input: { v: 1, endpoint: "crm", ...input },
  atMs: NOON_MS,
});
const attempt = (id: number, endpoint = "crm", number = 1): HistoryEntry =>
  scheduled(id, "attemptDelivery", { endpoint, number, via: "direct" });
const returned = (scheduledId: number, result: unknown, afterMs = 0): HistoryEntry => ({
  entry: "activity-completed",
  scheduledId,
  result,
  atMs: NOON_MS + afterMs,
});
const timer = (timerId: string): HistoryEntry => ({ entry: "timer-started", timerId, atMs: NOON_MS });
const fired = (timerId: string, afterMs: number): HistoryEntry => ({
  entry: "timer-fired",
  timerId,
  atMs: NOON_MS + afterMs,
});
const said = (name: string, word: object = {}): HistoryEntry => ({
  entry: "message",
  message: { name, argument: { actor: "ana", digest: digestOf(1), note: "so be it", ...word } },
  atMs: NOON_MS,
});
const proposed = (draft: ProposalDraft | null = aDraft(), endpoint = "crm"): PlannedDelivery => {
  const settings = someSettings({ idempotencyKey: `cs1_${endpoint}` });
  return { kind: "planned", endpoint, draft, settings: draft === null ? settings : { ...settings, approval: true } };
};
const examined = (sequences: readonly number[], rights: Partial<BallotRights> = {}, endpoint = "crm"): Examination => ({
  kind: "examined",
  endpoint,
  rights: sequences.map((sequence) => rightsFor(sequence, rights)),
});
const attempted = (record = anAttempt({ via: "direct" }), endpoint = "crm"): AttemptResult => ({
  kind: "attempted",
  endpoint,
  record,
});

const asked = task(10, local("planDelivery", proposed(), 40), timer("1"));
const approved = [...asked, said("approve"), ...task(500, local("examineBallots", examined([0]), 530), attempt(5))];

function deliveries(run: RunStart, ...entries: readonly HistoryEntry[]): readonly DeliveryStatus[] {
  return project(progressFromHistory(run, entries)).deliveries;
}

function lone(run: RunStart, ...entries: readonly HistoryEntry[]): DeliveryStatus {
  const [delivery, ...others] = deliveries(run, ...entries);
  if (delivery === undefined || others.length > 0) throw new TypeError("There is not exactly one delivery");
  return delivery;
}

describe("a history", () => {
  test("tells what waits for approval since the worker proposed it", () => {
    expect(lone(start(), ...task(10))).toMatchObject({ state: "accepted", waitingFor: "worker", proposal: null });
    expect(lone(start(), ...asked)).toMatchObject({
      state: "awaiting-approval",
      waitingFor: "approval",
      proposal: { digest: digestOf(1), createdAt: at(40), expiresAt: at(40 + EXPIRES_MS) },
    });
  });

  test("tells the same where a regular activity had to ask", () => {
    const later = [
      ...task(10, local("planDelivery", undefined, 20), scheduled(3, "planDelivery")),
      returned(3, proposed(), 900),
    ];
    expect(lone(start(), ...later.slice(0, -1))).toMatchObject({ state: "accepted" });
    expect(lone(start(), ...later, ...task(1000, timer("4")))).toMatchObject({ proposal: { createdAt: at(1000) } });
    const decided = [
      ...asked,
      said("approve"),
      ...task(500, local("examineBallots", undefined, 510), scheduled(7, "examineBallots")),
    ];
    expect(lone(start(), ...decided)).toMatchObject({ pending: [{ action: "approve", actor: "ana", at: at(500) }] });
    expect(lone(start(), ...decided, returned(7, examined([0])), ...task(700))).toMatchObject({
      state: "delivering",
      decisions: [{ counted: true, at: at(500) }],
    });
  });

  test("tells decisions by signal and by update, and the attempt that follows", () => {
    const update: HistoryEntry = {
      entry: "update-accepted",
      message: { name: "decide", argument: { action: "approve", actor: "bo", digest: digestOf(1) } },
      atMs: NOON_MS,
    };
    const two = local("planDelivery", proposed(aDraft({ terms: { rules: [aRule({ quorum: 2 })] } })), 40);
    const both = [
      ...task(10, two, timer("1")),
      said("approve"),
      ...task(500, update, local("examineBallots", examined([0, 1]), 530), attempt(5)),
    ];
    expect(lone(start(), ...both)).toMatchObject({
      state: "delivering",
      waitingFor: null,
      decisions: [{ actor: "ana" }, { actor: "bo" }],
      proposal: { approvals: [{ actor: "ana" }, { actor: "bo" }], executedAt: null },
    });
    const done = returned(5, attempted(aDeliveredAttempt({ at: at(600) })), 700);
    expect(lone(start(), ...both, done)).toMatchObject({ state: "delivered", proposal: { executedAt: at(600) } });
  });

  test("begins an attempt where the approval was found, not where the task began: a loss shows when", () => {
    const lost: HistoryEntry = { entry: "activity-failed", scheduledId: 5, timedOut: true, atMs: NOON_MS + 9000 };
    expect(lone(start(), ...approved, lost)).toMatchObject({
      attempts: [{ at: at(530), durationMs: 8470, code: "worker_lost" }],
    });
  });

  test("begins an attempt of one delivery where it was due, whatever is planned for another in the same task", () => {
    const plan = aPlan(["crm", "ledger"], { lane: true });
    const [crm, ledger] = plan.deliveries;
    if (crm === undefined || ledger === undefined) throw new TypeError("There are two deliveries");
    const guarded = { ...ledger, settings: { ...ledger.settings, approval: true as const } };
    const run: RunStart = { ...start(), plan: { ...plan, deliveries: [crm, guarded] } };
    const lane = scheduled(6, "attemptDelivery", { number: 1, via: "lane" });
    const opened = local("ensureLane", { kind: "opened" }, 300);
    const first = task(
      10,
      local("planDelivery", proposed(aDraft({ endpoint: "ledger" }), "ledger"), 200),
      timer("1"),
      opened,
      lane,
    );
    const lost: HistoryEntry = { entry: "activity-failed", scheduledId: 6, timedOut: true, atMs: NOON_MS + 9000 };
    expect(deliveries(run, ...first, lost)[0]).toMatchObject({ attempts: [{ at: at(10), durationMs: 8990 }] });
  });

  test("parks at the time at which no lane was found", () => {
    const none = local("ensureLane", { kind: "withheld", endpoint: "crm", reason: "unknown-endpoint" }, 300);
    expect(lone(start(["crm"], { lane: true }), ...task(10, none))).toMatchObject({
      state: "needs-attention",
      attention: { reason: "misconfigured", since: at(300) },
    });
  });

  test("acts on what was held when it is free to, not when it had arrived", () => {
    const first = { kind: "withheld", endpoint: "crm", reason: "not-routed" } as const;
    const routes = local("resolveRoutes", { source: "shop", plan: aPlan(["crm"]), first }, 200);
    const replay: HistoryEntry = {
      entry: "message",
      message: { name: "replay", argument: { actor: "ops", reason: "mended" } },
      atMs: NOON_MS,
    };
    const lost: HistoryEntry = { entry: "activity-failed", scheduledId: 5, timedOut: true, atMs: NOON_MS + 9000 };
    const run: RunStart = { ...start(), plan: null };
    expect(lone(run, replay, ...task(10, routes, attempt(5)), lost)).toMatchObject({
      attempts: [{ at: at(200), durationMs: 8800 }],
      resolutions: [{ action: "replay", counted: true, at: at(10) }],
    });
  });
});

describe("the timers of a proposal", () => {
  test("end it when they fire, also before any task has read that", () => {
    expect(lone(start(), ...asked, fired("1", EXPIRES_MS + 40))).toMatchObject({ state: "expired" });
    expect(lone(start(), ...asked, fired("1", EXPIRES_MS + 40), ...task(EXPIRES_MS + 50))).toMatchObject({
      state: "expired",
    });
  });

  test("change nothing while it is too early: reminders and escalation only tell people", () => {
    const reminded = [...asked, fired("1", 5000), ...task(5010, scheduled(3, "notifyPeople"), timer("2"))];
    expect(lone(start(), ...reminded)).toEqual(lone(start(), ...asked));
    expect(lone(start(), ...reminded, returned(3, null))).toEqual(lone(start(), ...asked));
  });

  test("are not taken for the end of a retry wait", () => {
    const sent = [...approved, returned(5, attempted()), fired("1", 600), ...task(610, timer("9"))];
    expect(lone(start(), ...sent)).toMatchObject({ state: "waiting-retry", nextAt: at(1010) });
    expect(lone(start(), ...sent, fired("9", 1010))).toMatchObject({ state: "delivering", waitingFor: "worker" });
    const unnamed: HistoryEntry = { entry: "timer-fired", atMs: NOON_MS + 1010 };
    expect(lone(start(), ...sent, unnamed)).toMatchObject({ state: "delivering" });
  });

  test("of one delivery are heard while another waits for its retry", () => {
    const run = start(["crm", "ledger"], { approval: true });
    const ledger = local("planDelivery", proposed(null, "ledger"), 20);
    const first = task(10, ledger, attempt(5, "ledger"), scheduled(3, "planDelivery"));
    const waits = [...first, returned(5, attempted(undefined, "ledger")), ...task(100, timer("6"))];
    const both = [...waits, returned(3, proposed()), ...task(200, timer("7"))];
    expect(deliveries(run, ...both).map(({ state }) => state)).toEqual(["awaiting-approval", "waiting-retry"]);
    const over = deliveries(run, ...both, fired("7", EXPIRES_MS + 200));
    expect(over.map(({ state }) => state)).toEqual(["expired", "waiting-retry"]);
  });
});

describe("an approval that ends while its attempt is queued", () => {
  const late = [...approved, fired("1", EXPIRES_MS + 40), ...task(EXPIRES_MS + 50)];
  const back: HistoryEntry = {
    entry: "activity-failed",
    scheduledId: 5,
    timedOut: false,
    canceled: true,
    atMs: NOON_MS + EXPIRES_MS + 60,
  };

  test("is expired once the attempt was taken back", () => {
    expect(lone(start(), ...late)).toMatchObject({ state: "delivering", waitingFor: null });
    expect(lone(start(), ...late, back)).toMatchObject({ state: "expired", attemptCount: 0 });
  });

  test("holds where the request was on its way", () => {
    const answer = returned(5, attempted(aDeliveredAttempt({ at: at(EXPIRES_MS) })), EXPIRES_MS + 60);
    expect(lone(start(), ...late, answer)).toMatchObject({ state: "delivered" });
  });

  test("is expired where the worker came too late", () => {
    expect(lone(start(), ...approved, returned(5, { kind: "too-late", endpoint: "crm" }))).toMatchObject({
      state: "expired",
    });
  });

  test("asks again where the worker would send something else", () => {
    const other = returned(5, { kind: "unapproved", endpoint: "crm", draft: aDraft({ revision: 2 }) }, 800);
    expect(lone(start(), ...approved, other)).toMatchObject({
      state: "awaiting-approval",
      proposal: { revision: 2, approvals: [], createdAt: at(800) },
    });
  });
});
