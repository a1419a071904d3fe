import picocolors from "picocolors";
import { describe, expect, test } from "vitest";
import { aDecision, aProposal, aWaitingDelivery } from "../../test/support/a-proposal.ts";
import { aDelivery, anAttempt, aReport } from "../../test/support/an-event.ts";
import { aRecord } from "../../test/support/an-export.ts";
import { auditRecords } from "../audit/audit-records.ts";
import type { AuditRecord } from "../audit/audit-record.ts";
import { auditLines } from "./audit-lines.ts";

const PLAIN = picocolors.createColors(false);

function shown(records: readonly AuditRecord[]): readonly string[] {
  return auditLines("shop/evt_1", records, PLAIN);
}

/** The cells of the only record, parted at two spaces or more. */
function row(changes: Partial<AuditRecord>): readonly string[] {
  return (shown([aRecord(changes)])[2] ?? "").split(/ {2,}/);
}

describe("auditLines", () => {
  test("tells who did what when, on which revision and digest, and when it was executed", () => {
    const report = aReport({
      deliveries: [
        aWaitingDelivery({
          state: "delivered",
          proposal: aProposal({ executedAt: "2026-11-29T10:01:00.000Z" }),
          decisions: [
            aDecision({ at: "2026-11-29T10:00:30.000Z", counted: false, refusedBecause: "own-request", actor: "bo@x" }),
            aDecision({ note: "seen it", signed: true }),
          ],
          attempts: [anAttempt({ at: "2026-11-29T10:01:00.000Z" })],
        }),
      ],
    });
    expect(shown(auditRecords(report))).toEqual([
      "shop/evt_1",
      "WHEN (UTC)               WHO              WHAT                     ENDPOINT  REV  DIGEST        MORE",
      "2026-11-29 10:00:00.000  (countersign)    accepted                 -         -    -             content sha256:000000000000",
      "2026-11-29 10:00:00.000  (countersign)    asked for approval       payments  1    0123456789ab  requested by bo@example.com",
      "2026-11-29 10:00:30.000  bo@x             approve did not count    payments  1    0123456789ab  own request",
      '2026-11-29 10:01:00.000  ana@example.com  approved                 payments  1    0123456789ab  signed, "seen it"',
      "2026-11-29 10:01:00.000  (countersign)    executed under approval  payments  1    0123456789ab",
      "2026-11-29 10:01:00.000  (countersign)    attempt 1: delivered     payments  1    0123456789ab  http_200",
      "2026-11-29 10:01:00.012  (countersign)    ended: delivered         payments  -    -",
      "",
      "From the history alone. Digests are shown by their first 12 digits; --json has them whole.",
    ]);
  });

  test("says what is certain about an attempt, and why a delivery is parked", () => {
    const attempts = [
      anAttempt({ outcome: "uncertain", certainty: "unknown", code: "worker_lost" }),
      anAttempt({ number: 2, outcome: "retry", certainty: "not-sent", code: "connect_refused" }),
    ];
    const attention = { reason: "outcome-uncertain", since: "2026-11-29T10:00:01.000Z", advice: "…" } as const;
    const lines = shown(
      auditRecords(aReport({ deliveries: [aDelivery({ state: "needs-attention", attempts, attention })] })),
    );
    expect(lines[3]).toMatch(/attempt 1: uncertain .* worker_lost, may have taken effect$/);
    expect(lines[4]).toMatch(/attempt 2: retry .* connect_refused, nothing was sent$/);
    expect(lines[5]).toMatch(/parked for a person .* outcome uncertain$/);
  });

  test("tells a word that is not judged yet from one that was", () => {
    expect(row({ action: "discard", actor: "cli:op" })[2]).toBe("discard, not judged yet");
    expect(row({ action: "discard", actor: "cli:op", counted: true })[2]).toBe("discarded");
    expect(row({ action: "lookup", number: 2, found: "absent" })[2]).toBe("lookup of attempt 2: absent");
    expect(row({ action: "mark-delivered", actor: "cli:op", counted: true })[2]).toBe("marked as delivered");
    expect(row({ actor: "", counted: false, refusedBecause: "unknown-person" }).slice(1)).toEqual([
      "(nobody named)",
      "approve did not count",
      "-",
      "-",
      "-",
      "unknown person",
    ]);
  });

  test("tells other content and an end from outside", () => {
    const fingerprint = `sha256:${"9".repeat(64)}`;
    expect(row({ action: "conflict", fingerprint, via: "http" })).toContain("by http, content sha256:999999999999");
    expect(row({ action: "ended-outside" })).toContain("ended outside in Temporal");
  });

  test("lets nothing from outside move the cursor or make a line of its own", () => {
    const hostile = "a\u001b[2J\nb\u202e";
    const lines = auditLines(
      hostile,
      [aRecord({ actor: hostile, note: hostile, digest: hostile, endpoint: hostile, at: hostile })],
      PLAIN,
    );
    expect(lines).toHaveLength(5);
    for (const line of lines) expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });
});
