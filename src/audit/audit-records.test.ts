import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aDecision, aProposal, aWaitingDelivery, DIGEST } from "../../test/support/a-proposal.ts";
import { aDelivery, anAttempt, aReport } from "../../test/support/an-event.ts";
import type { EventReport } from "../client/get-event.ts";
import type { Resolution } from "../delivery/event-state.ts";
import { auditRecords } from "./audit-records.ts";

const at = (clock: string): string => `2026-11-29T${clock}Z`;

function aResolution(changes: Partial<Resolution> = {}): Resolution {
  const said = { action: "replay", actor: "cli:op", at: at("11:00:00.000"), reason: "it is up again" } as const;
  return { ...said, counted: true, refusedBecause: null, ...changes };
}

/** Time and action of each, with the endpoint where there is one. */
function told(report: EventReport): readonly string[] {
  return auditRecords(report).map(({ at: when, action, endpoint }) =>
    [when.slice(11, 23), action, ...(endpoint === null ? [] : [endpoint])].join(" "),
  );
}

const EXECUTED_AT = at("10:02:00.000");

/** Asked, refused to one, approved by two, sent twice. */
const APPROVED = aReport({
  deliveries: [
    aWaitingDelivery({
      state: "delivered",
      proposal: aProposal({ executedAt: EXECUTED_AT, policy: { ...aProposal().policy, version: 7 } }),
      decisions: [
        aDecision({ actor: "bo@example.com", at: at("10:00:30.000"), counted: false, refusedBecause: "own-request" }),
        aDecision({ note: "seen", signed: true }),
        aDecision({ actor: "cy@example.com", at: EXECUTED_AT }),
      ],
      attempts: [
        anAttempt({ at: EXECUTED_AT, outcome: "retry", status: 503, code: "http_503", durationMs: 12.4 }),
        anAttempt({ number: 2, at: at("10:02:05.000"), via: "lane", reference: "re_1" }),
      ],
    }),
  ],
});

describe("auditRecords", () => {
  test("tells an approved delivery from its acceptance to its end", () => {
    expect(told(APPROVED)).toEqual([
      "10:00:00.000 accepted",
      "10:00:00.000 proposed payments",
      "10:00:30.000 approve payments",
      "10:01:00.000 approve payments",
      "10:02:00.000 approve payments",
      "10:02:00.000 executed payments",
      "10:02:00.000 attempt payments",
      "10:02:05.000 attempt payments",
      "10:02:05.012 ended payments",
    ]);
  });

  test("tells proposals that were replaced, under the endpoint they were made for", () => {
    const earlier = {
      endpoint: "billing",
      revision: 1,
      digest: "sha256:1",
      createdAt: at("09:59:00.000"),
      expiresAt: at("12:00:00.000"),
      requestedBy: "bo@example.com",
      executedAt: at("09:59:30.000"),
      standing: "approved",
      replacedAt: at("09:59:45.000"),
      replacedBecause: "amended",
    } as const;
    const report = aReport({
      deliveries: [
        aWaitingDelivery({
          earlierProposals: [
            { ...earlier, executedAt: null },
            { ...earlier, revision: 2 },
          ],
        }),
      ],
    });
    const about = auditRecords(report).filter(({ endpoint }) => endpoint === "billing");
    expect(about).toMatchObject([
      { action: "proposed", revision: 1, digest: "sha256:1", requestedBy: "bo@example.com" },
      { action: "proposed", revision: 2 },
      { action: "executed", revision: 2, at: at("09:59:30.000") },
      { action: "replaced", revision: 1, reason: "amended" },
      { action: "replaced", revision: 2, reason: "amended" },
    ]);
  });

  test("tells under which endpoint people decided before an amendment moved the delivery, and what lapsed", () => {
    const earlier = {
      endpoint: "billing",
      revision: 1,
      digest: "sha256:1",
      createdAt: at("10:00:00.000"),
      expiresAt: at("10:01:00.000"),
      requestedBy: null,
      executedAt: null,
      standing: "expired",
      replacedAt: at("10:02:00.000"),
      replacedBecause: "expired",
    } as const;
    const decisions = [aDecision({ at: at("10:00:30.000") }), aDecision({ at: at("10:03:00.000") })];
    const report = aReport({ deliveries: [aWaitingDelivery({ earlierProposals: [earlier], decisions })] });
    const lines = told(report).filter((line) => /approve|lapsed|replaced/u.test(line));
    expect(lines).toEqual([
      "10:00:30.000 approve billing",
      "10:01:00.000 lapsed billing",
      "10:02:00.000 replaced billing",
      "10:03:00.000 approve payments",
    ]);
  });

  test("says who decided what on which revision and digest, and why it did not count", () => {
    const [, proposed, refused, approved, , executed] = auditRecords(APPROVED);
    expect(proposed).toMatchObject({
      actor: null,
      revision: 1,
      digest: DIGEST,
      requestedBy: "bo@example.com",
      expiresAt: "2026-11-30T10:00:00.000Z",
      configVersion: `sha256:${"f".repeat(64)}`,
      policyVersion: "7",
    });
    expect(refused).toMatchObject({
      actor: "bo@example.com",
      counted: false,
      refusedBecause: "own-request",
      note: null,
    });
    expect(approved).toEqual({
      at: at("10:01:00.000"),
      action: "approve",
      actor: "ana@example.com",
      key: "shop/evt_1",
      endpoint: "payments",
      revision: 1,
      digest: DIGEST,
      counted: true,
      refusedBecause: null,
      note: "seen",
      signed: true,
    });
    expect(executed).toMatchObject({ at: EXECUTED_AT, actor: null, revision: 1, digest: DIGEST, counted: null });
  });

  test("gives every attempt its outcome, in whole numbers, and the proposal it went out under", () => {
    const [first, second] = auditRecords(APPROVED).filter(({ action }) => action === "attempt");
    expect(first).toMatchObject({
      number: 1,
      outcome: "retry",
      certainty: "answered",
      code: "http_503",
      status: 503,
      durationMs: 12,
      via: "local",
      digest: DIGEST,
    });
    expect(first).not.toHaveProperty("reference");
    expect(second).toMatchObject({ number: 2, via: "lane", reference: "re_1", revision: 1 });
  });

  test("does not claim that an attempt went out under a proposal made later, or never executed", () => {
    const proposal = aProposal({ revision: 2, executedAt: at("12:00:00.000"), createdAt: at("11:00:00.000") });
    const early = anAttempt({ at: at("10:30:00.000"), certainty: "not-sent", code: "connect_refused" });
    const delivery = aWaitingDelivery({ state: "needs-attention", attempts: [early] });
    for (const made of [proposal, aProposal()]) {
      const records = auditRecords(aReport({ deliveries: [{ ...delivery, proposal: made }] }));
      expect(records.find(({ action }) => action === "attempt")).toMatchObject({ revision: null, digest: null });
    }
  });

  test("keeps decisions on earlier revisions as they were given", () => {
    const proposal = aProposal({ revision: 2, createdAt: at("11:00:00.000") });
    const earlier = aDecision({ revision: 1, digest: "sha256:old" });
    const unknown = aDecision({ revision: null, digest: null, counted: false, refusedBecause: "no-digest", actor: "" });
    const records = auditRecords(
      aReport({ deliveries: [aWaitingDelivery({ proposal, decisions: [earlier, unknown] })] }),
    );
    const decided = records.filter(({ action }) => action === "approve");
    expect(decided.map(({ revision, digest, actor }) => [revision, digest, actor])).toEqual([
      [1, "sha256:old", "ana@example.com"],
      [null, null, ""],
    ]);
  });

  test("tells what people said besides, counted, refused and not judged yet", () => {
    const delivery = aDelivery({
      state: "delivering",
      resolutions: [aResolution(), aResolution({ counted: false, refusedBecause: "malformed", reason: "", actor: "" })],
      pending: [{ action: "discard", actor: "cli:op", at: at("11:30:00.000") }],
    });
    const words = auditRecords(aReport({ deliveries: [delivery] })).slice(2);
    expect(words).toMatchObject([
      { action: "replay", actor: "cli:op", counted: true, refusedBecause: null, note: "it is up again", signed: null },
      { action: "replay", actor: "", counted: false, refusedBecause: "malformed", note: null },
      { action: "discard", actor: "cli:op", counted: null, note: null },
    ]);
  });

  test("says since when and why a delivery is parked", () => {
    const attention = { reason: "refused", since: at("10:00:00.135"), advice: "…" } as const;
    const report = aReport({ deliveries: [aDelivery({ state: "needs-attention", attention })] });
    expect(auditRecords(report).at(-1)).toMatchObject({ action: "parked", at: attention.since, reason: "refused" });
    expect(auditRecords(report).at(-1)).not.toHaveProperty("advice");
  });

  test("tells other content under the key, without it, and an end from outside", () => {
    const fingerprint = `sha256:${"9".repeat(64)}`;
    const conflicts = [{ at: "2026-11-29T12:00:00.5+01:00", fingerprint, via: "http" }] as const;
    const report = aReport({ conflicts, endedOutside: { at: at("12:00:00.000") } });
    expect(told(report).slice(2)).toEqual([
      "10:00:00.135 ended crm",
      "12:00:00.5+0 conflict",
      "12:00:00.000 ended-outside",
    ]);
    expect(auditRecords(report).find(({ action }) => action === "conflict")).toMatchObject({
      fingerprint,
      via: "http",
      endpoint: null,
    });
  });

  test("tells what was looked up after an uncertain attempt", () => {
    const asked = { attempt: 1, at: at("10:00:05.000"), durationMs: 7.6, tries: 1, by: "handler" } as const;
    const lookups = [{ ...asked, found: "absent", code: "handler_done", reference: "re_1" } as const];
    const records = auditRecords(aReport({ deliveries: [aDelivery({ state: "waiting-retry", lookups })] }));
    expect(records.find(({ action }) => action === "lookup")).toMatchObject({
      at: at("10:00:05.000"),
      actor: null,
      endpoint: "crm",
      number: 1,
      found: "absent",
      code: "handler_done",
      durationMs: 8,
      reference: "re_1",
    });
  });

  test("begins with what was accepted", () => {
    expect(auditRecords(aReport({ deliveries: [] }))).toEqual([
      expect.objectContaining({ action: "accepted", type: "order.created", fingerprint: `sha256:${"0".repeat(64)}` }),
    ]);
  });

  test.each([
    "accepted",
    "awaiting-approval",
    "delivering",
    "waiting-retry",
    "held",
    "reconciling",
    "needs-attention",
  ] as const)("does not end a delivery that is %s", (state) => {
    expect(told(aReport({ deliveries: [aDelivery({ state })] })).join("\n")).not.toContain("ended");
  });
});

describe("the end of a delivery", () => {
  const late = aDecision({
    action: "reject",
    at: at("15:00:00.000"),
    counted: false,
    refusedBecause: "already-decided",
  });

  test.each([
    ["the end of its last attempt", aDelivery(), "10:00:00.135"],
    [
      "the lookup that found its effect",
      aDelivery({
        lookups: [
          {
            attempt: 1,
            at: at("12:30:00.000"),
            durationMs: 40,
            tries: 2,
            by: "url",
            found: "delivered",
            code: "http_200",
            status: 200,
          },
        ],
      }),
      "12:30:00.040",
    ],
    [
      "the word that it was delivered",
      aDelivery({ resolutions: [aResolution({ action: "mark-delivered" }), aResolution({ at: at("12:00:00.000") })] }),
      "11:00:00.000",
    ],
    [
      "the end of an attempt that a discard waited for",
      aDelivery({
        state: "discarded",
        attempts: [anAttempt({ at: at("10:59:59.500"), durationMs: 1500 })],
        resolutions: [aResolution({ action: "discard" })],
      }),
      "11:00:01.000",
    ],
    [
      "the discard that counted",
      aDelivery({
        state: "discarded",
        resolutions: [
          aResolution({ action: "discard" }),
          aResolution({ action: "discard", at: at("13:00:00.000"), counted: false, refusedBecause: "already-ended" }),
        ],
      }),
      "11:00:00.000",
    ],
    [
      "the last rejection that counted",
      aWaitingDelivery({
        state: "rejected",
        decisions: [aDecision({ action: "reject" }), aDecision({ action: "reject", at: at("10:03:00.000") }), late],
      }),
      "10:03:00.000",
    ],
    [
      "the expiry of the proposal",
      aWaitingDelivery({ state: "expired", proposal: aProposal({ expiresAt: at("14:00:00.000") }) }),
      "14:00:00.000",
    ],
    ["never before the event was accepted", aDelivery({ state: "expired", attempts: [] }), "10:00:00.000"],
  ])("is %s", (_what, delivery, clock) => {
    const ended = auditRecords(aReport({ deliveries: [delivery] })).find(({ action }) => action === "ended");
    expect(ended).toMatchObject({ at: at(clock), state: delivery.state });
  });
});

describe("the order of records", () => {
  test("is the same whatever the order in the report", () => {
    const deliveries = ["crm", "ledger", "mail"].map((endpoint) =>
      aDelivery({ endpoint, resolutions: [aResolution({ at: at("10:00:00.123") })] }),
    );
    const conflicts = [{ at: at("10:00:00.123"), fingerprint: `sha256:${"9".repeat(64)}`, via: "cli" }] as const;
    const expected = auditRecords(aReport({ deliveries, conflicts }));
    fc.assert(
      fc.property(fc.shuffledSubarray(deliveries, { minLength: 3 }), (shuffled) => {
        expect(auditRecords(aReport({ deliveries: shuffled, conflicts }))).toEqual(expected);
      }),
    );
  });

  test("is that of causes within one millisecond", () => {
    const now = at("10:00:00.000");
    const delivery = aWaitingDelivery({
      state: "delivered",
      proposal: aProposal({ createdAt: now, executedAt: now }),
      resolutions: [aResolution({ at: now, action: "amend" })],
      decisions: [aDecision({ at: now })],
      attempts: [anAttempt({ at: now, durationMs: 0 })],
    });
    expect(auditRecords(aReport({ deliveries: [delivery] })).map(({ action }) => action)).toEqual([
      "accepted",
      "amend",
      "proposed",
      "approve",
      "executed",
      "attempt",
      "ended",
    ]);
  });
});
