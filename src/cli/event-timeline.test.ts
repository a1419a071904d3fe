import picocolors from "picocolors";
import { describe, expect, test } from "vitest";
import { aDelivery, anAttempt, aReport } from "../../test/support/an-event.ts";
import { aDecision, aProposal, aVote, aWaitingDelivery, DIGEST } from "../../test/support/a-proposal.ts";
import type { EventReport } from "../client/get-event.ts";
import { timelineLines } from "./event-timeline.ts";

const NOW_MS = Date.parse("2026-11-29T10:05:00.000Z");
const FAILED = anAttempt({ outcome: "retry", status: 503, code: "http_503", retryAfterMs: 2000, retryAfterRaw: "2" });

function shown(event: EventReport, uiUrl: string | null = null): readonly string[] {
  return timelineLines(event, { nowMs: NOW_MS, colors: picocolors.createColors(false), uiUrl, isolated: ["vault"] });
}

describe("timelineLines", () => {
  test("tells the story of a delivery attempt by attempt", () => {
    const second = anAttempt({ number: 2, at: "2026-11-29T10:00:02.535Z", durationMs: 9 });
    expect(shown(aReport({ deliveries: [aDelivery({ attempts: [FAILED, second] })] }), "http://ui/x")).toEqual([
      "shop/evt_1  order.created  delivered",
      "accepted 2026-11-29 10:00:00 UTC (5 min ago)",
      "",
      "crm  delivered  key cs1_x",
      "  10:00:00.123  #1  retry      crm answered 503  (took 12 ms)",
      "                    asked to wait 2 s (Retry-After: 2)",
      "  10:00:02.535  #2  delivered  crm answered 200  (after 2.4 s, took 9 ms)",
      "",
      "Temporal UI: http://ui/x",
    ]);
  });

  test.each([
    ["retry-after", "as its Retry-After asks"],
    ["retry", "by the retry policy"],
  ] as const)("says when the next attempt is due and why (%s)", (waitingFor, why) => {
    const delivery = aDelivery({
      state: "waiting-retry",
      attempts: [FAILED],
      nextAt: "2026-11-29T10:09:12.000Z",
      waitingFor,
    });
    expect(shown(aReport({ deliveries: [delivery] }))).toContain(
      `  attempt 2 at 2026-11-29 10:09:12 UTC (in 4 min 12 s), ${why}`,
    );
  });

  test("says that an attempt is overdue", () => {
    const delivery = aDelivery({
      state: "waiting-retry",
      attempts: [FAILED],
      nextAt: "2026-11-29T10:04:57.000Z",
      waitingFor: "retry",
    });
    expect(shown(aReport({ deliveries: [delivery] })).join("\n")).toContain("(overdue by 3 s)");
  });

  test("gives advice and the commands that answer a parked delivery", () => {
    const attention = {
      reason: "refused",
      since: "2026-11-29T10:00:01.000Z",
      advice: "crm answered 400. Replay; or discard.",
    } as const;
    const lines = shown(aReport({ key: "shop/a b", deliveries: [aDelivery({ state: "needs-attention", attention })] }));
    expect(lines.slice(-5)).toEqual([
      "  needs attention: refused since 2026-11-29 10:00:01 UTC (4 min ago)",
      "  crm answered 400. Replay; or discard.",
      `    countersign replay 'shop/a b' --reason "…"`,
      `    countersign mark-delivered 'shop/a b' --reason "…"`,
      `    countersign discard 'shop/a b' --reason "…"`,
    ]);
  });

  test("offers to amend, and nothing to mark, where time ran out before anything was sent", () => {
    const attention = { reason: "approval-expired", since: "2026-11-29T10:00:01.000Z", advice: "…" } as const;
    const parked = (attempts: readonly ReturnType<typeof anAttempt>[]) =>
      shown(aReport({ deliveries: [aDelivery({ state: "needs-attention", attention, attempts })] })).slice(-3);
    expect(parked([])).toEqual([
      '    countersign replay shop/evt_1 --reason "…"',
      '    countersign amend shop/evt_1 --data FILE --reason "…"',
      '    countersign discard shop/evt_1 --reason "…"',
    ]);
    expect(parked([FAILED])[1]).toBe('    countersign mark-delivered shop/evt_1 --reason "…"');
  });

  const LOOKUP = {
    attempt: 1,
    at: "2026-11-29T10:00:01.000Z",
    durationMs: 8,
    tries: 1,
    by: "url",
    found: "delivered",
    code: "http_200",
    status: 200,
    matched: { "$.status": "ok" },
  } as const;
  const CUT = anAttempt({ outcome: "uncertain", certainty: "unknown", code: "closed_after_send" });

  test("shows what was looked up after an uncertain attempt, and how far that got", () => {
    const attempt = { ...CUT, phase: "sent", bytesSent: 812, bytesReceived: 0 } as const;
    const lookups = [
      LOOKUP,
      { ...LOOKUP, found: "unclear", by: "handler", code: "handler_done", reference: "re_1" } as const,
    ];
    const lines = shown(aReport({ deliveries: [aDelivery({ attempts: [attempt], lookups })] }));
    expect(lines.slice(4)).toEqual([
      "  10:00:00.123  #1  uncertain  crm closed the connection after the request was sent [closed_after_send]; the request may have taken effect  (took 12 ms)",
      "                    the whole request was sent; 812 bytes went out and 0 came back in 12 ms",
      '  10:00:01.000  lookup about #1: a lookup found its effect (200, $.status "ok")  (took 8 ms)',
      "  10:00:01.000  lookup about #1: the lookup's handler cannot tell  (took 8 ms)",
      "                    reference re_1",
    ]);
  });

  test("says that a lookup is under way, and what it got so far", () => {
    const asking = aDelivery({ state: "reconciling", attempts: [CUT], waitingFor: null });
    expect(shown(aReport({ deliveries: [asking] })).at(-1)).toBe("  it is being looked up what became of attempt 1");
    const trouble = { tries: 3, message: "The lookup does not tell yet (http_202)" };
    expect(shown(aReport({ deliveries: [{ ...asking, trouble }] })).at(-1)).toBe(
      "  it is being looked up what became of attempt 1 (The lookup does not tell yet (http_202); try 3)",
    );
    const unserved = shown(aReport({ deliveries: [{ ...asking, waitingFor: "worker" }] }));
    expect(unserved.at(-1)).toContain("waiting for a worker");
  });

  test("says of each delivery that its endpoint's gate holds how to find out who, and of no other", () => {
    const held = { state: "held", waitingFor: "gate", attempts: [] } as const;
    const deliveries = [aDelivery(held), aDelivery({ ...held, endpoint: "ledger" }), aDelivery({ endpoint: "mail" })];
    const lines = shown(aReport({ deliveries })).filter((line) => line.includes("waits until"));
    expect(lines).toEqual([
      "  waits until crm is let go on; who holds it, why and until when: countersign endpoints crm",
      "  waits until ledger is let go on; who holds it, why and until when: countersign endpoints ledger",
    ]);
  });

  test("shows who holds a delivery and how to let it go on, wherever it stands", () => {
    const hold = { since: "2026-11-29T10:01:00.000Z", actor: "ana\u001b[2J", reason: "stock count" };
    const held = aDelivery({ state: "held", waitingFor: "gate", attempts: [FAILED], hold });
    expect(shown(aReport({ deliveries: [held] })).slice(-3)).toEqual([
      expect.stringContaining("asked to wait"),
      "  held by ana?[2J since 2026-11-29 10:01:00 UTC (4 min ago): stock count",
      '    countersign release shop/evt_1 --reason "…"',
    ]);
    const attention = { reason: "refused", since: "2026-11-29T10:00:01.000Z", advice: "…" } as const;
    const parked = aDelivery({ state: "needs-attention", attention, hold });
    const lines = shown(aReport({ deliveries: [parked, aDelivery({ endpoint: "ledger" })] })).join("\n");
    expect(lines).toContain("needs attention: refused");
    expect(lines).toContain("countersign release shop/evt_1 --delivery crm --reason");
  });

  test("says which attempt was made by a changed configuration", () => {
    const attempt = { ...FAILED, configVersion: `sha256:${"a".repeat(64)}` };
    expect(shown(aReport({ deliveries: [aDelivery({ attempts: [attempt] })] })).join("\n")).toContain(
      "by a changed configuration of the endpoint (sha256:aaaaaaaaaaaa…)",
    );
  });

  test("names the delivery in those commands when there are several", () => {
    const attention = { reason: "refused", since: "2026-11-29T10:00:01.000Z", advice: "…" } as const;
    const deliveries = [aDelivery({ state: "needs-attention", attention }), aDelivery({ endpoint: "ledger" })];
    expect(shown(aReport({ deliveries })).join("\n")).toContain(
      "countersign replay shop/evt_1 --delivery crm --reason",
    );
  });

  test("shows who said what between the attempts, and why it did not count", () => {
    const resolutions = [
      {
        action: "discard",
        actor: "bo\u001b[2J",
        at: "2026-11-29T10:00:01.000Z",
        reason: "gone",
        counted: false,
        refusedBecause: "attempt-in-flight",
      },
      {
        action: "replay",
        actor: "ana",
        at: "2026-11-29T10:00:02.000Z",
        reason: "mended",
        counted: true,
        refusedBecause: null,
      },
    ] as const;
    const second = anAttempt({ number: 2, at: "2026-11-29T10:00:03.000Z" });
    const lines = shown(aReport({ deliveries: [aDelivery({ attempts: [FAILED, second], resolutions })] }));
    expect(lines.slice(6, -1)).toEqual([
      "  10:00:01.000  discard by bo?[2J: gone",
      "                    did not count: an attempt is under way, or waits to begin; `countersign endpoints` shows what is held",
      "  10:00:02.000  replay by ana: mended",
    ]);
  });

  test("says in words what is certain about a lost answer", () => {
    const lost = anAttempt({ outcome: "uncertain", certainty: "unknown", code: "closed_after_send" });
    expect(shown(aReport({ deliveries: [aDelivery({ attempts: [lost] })] })).join("\n")).toContain(
      "uncertain  crm closed the connection after the request was sent [closed_after_send]; the request may have taken effect",
    );
  });

  test("tells an attempt under way from one that waits for a worker, and from an event nobody has taken up", () => {
    const none = { state: "delivering", attempts: [] } as const;
    expect(shown(aReport({ deliveries: [aDelivery(none)] }))).toContain("  attempt 1 is under way");
    expect(shown(aReport({ deliveries: [aDelivery({ ...none, waitingFor: "worker" })] })).join("\n")).toContain(
      "waiting for a worker to take it up",
    );
    expect(shown(aReport({ deliveries: [] })).join("\n")).toContain("no route resolved yet: waiting for a worker");
  });

  test("names the worker an isolated endpoint needs", () => {
    const waiting = { state: "delivering", attempts: [], waitingFor: "worker" } as const;
    const text = (endpoint: string) => shown(aReport({ deliveries: [aDelivery({ ...waiting, endpoint })] })).join("\n");
    expect(text("vault")).toContain("start one with `countersign worker --only vault`");
    expect(text("crm")).toContain("start one with `countersign worker`");
  });

  test("says what a worker fails at, instead of asking for one", () => {
    const trouble = { tries: 4, message: "CRM_URL is not set\u001b[2J" };
    const delivery = aDelivery({ state: "delivering", attempts: [], waitingFor: "worker" });
    const lines = shown(aReport({ deliveries: [{ ...delivery, trouble }] }));
    expect(lines.at(-1)).toBe("  worker has trouble: CRM_URL is not set?[2J, try 4");
    expect(shown(aReport({ deliveries: [], trouble })).at(-1)).toBe(
      "no route resolved yet: worker has trouble: CRM_URL is not set?[2J, try 4",
    );
  });

  test("shows words that wait for the attempt in hand", () => {
    const pending = [{ action: "discard", actor: "ana\u001b", at: "2026-11-29T10:00:01.000Z" }] as const;
    const lines = shown(aReport({ deliveries: [aDelivery({ state: "delivering", attempts: [], pending })] }));
    expect(lines.slice(-2)).toEqual(["  attempt 1 is under way", "  discard by ana? waits for the attempt in hand"]);
  });

  test("merges decisions with attempts by time, and shows what is decided on with what to type", () => {
    const decisions = [aDecision(), aDecision({ at: "2026-11-29T09:00:00.000Z", actor: "bo", counted: false })];
    const attempts = [anAttempt({ outcome: "refused", at: "2026-11-29T10:00:30.000Z", status: 400, code: "http_400" })];
    const lines = shown(aReport({ deliveries: [aWaitingDelivery({ decisions, attempts })] }));
    expect(lines.slice(3, 10)).toEqual([
      "payments  awaiting-approval  key cs1_x",
      "  09:00:00.000  approve by bo",
      expect.stringMatching(/^ {20}did not count: no reason was given \(2026-11-29 09:00:00 UTC, digest 0123456789ab/),
      "  10:00:30.000  #1  refused    payments answered 400  (took 12 ms)",
      "  10:01:00.000  approve by ana@example.com",
      expect.stringMatching(/^ {20}counted /),
      "  proposal  revision 1  asked 2026-11-29 10:00:00 UTC (5 min ago)",
    ]);
    expect(lines.slice(-5)).toEqual([
      '    | {"amount":600}',
      "  waits for approval; to decide, as a person of `people` (--as or COUNTERSIGN_ACTOR):",
      `    countersign approve shop/evt_1 --digest ${DIGEST}`,
      `    countersign reject shop/evt_1 --digest ${DIGEST} --note "…"`,
      expect.stringContaining("temporal workflow signal --workflow-id shop/evt_1 --name approve --input '{"),
    ]);
  });

  test("names the delivery in those commands when there are several, and asks for none once it is decided", () => {
    const waiting = shown(aReport({ deliveries: [aWaitingDelivery(), aDelivery()] })).join("\n");
    expect(waiting).toContain(`--digest ${DIGEST} --delivery payments`);
    const decided = shown(aReport({ deliveries: [aWaitingDelivery({ state: "rejected" })] })).join("\n");
    expect(decided).toContain('| {"amount":600}');
    expect(decided).not.toContain("countersign approve");
    const outside = { at: "2026-11-29T10:04:00.000Z" };
    const ended = shown(aReport({ deliveries: [aWaitingDelivery()], endedOutside: outside })).join("\n");
    expect(ended).not.toContain("countersign approve");
    expect(ended).toContain("expires    no more: terminated");
  });

  test("shows who rejected a proposal, and an editor nobody knows", () => {
    const proposal = aProposal({ editedBy: "cli:root", rejections: [aVote("ana@example.com")] });
    const delivery = aWaitingDelivery({ state: "rejected", proposal });
    const view = { nowMs: NOW_MS, colors: picocolors.createColors(false), uiUrl: null, people: ["ana@example.com"] };
    const text = timelineLines(aReport({ deliveries: [delivery] }), view).join("\n");
    expect(text).toContain("    expires    no more: rejected\n");
    expect(text).toContain("    rejected   1 of 1: ana@example.com, 2026-11-29 10:01:00 UTC\n");
    expect(text).toContain("    edited by  cli:root, who is no person of `people`\n");
  });

  test("shows a decision that a worker has yet to judge, and what the worker fails at", () => {
    const pending = [{ action: "approve", actor: "ana", at: "2026-11-29T10:00:01.000Z" }] as const;
    const delivery = { ...aWaitingDelivery({ pending }), trouble: { tries: 2, message: "no such file" } };
    expect(shown(aReport({ deliveries: [delivery] })).slice(-2)).toEqual([
      "  worker has trouble: no such file, try 2",
      "  approve by ana waits for a worker to judge it",
    ]);
  });

  test("says when conflicts are not known", () => {
    expect(shown(aReport({ conflictsUnknown: true })).at(-1)).toContain("conflicts are not known");
  });

  test("trusts no word of a conflict", () => {
    const odd = { at: "2026-11-29T10:01:00.000Z", fingerprint: "\u001b[2J", via: "\u009b" };
    const conflicts = [odd] as unknown as EventReport["conflicts"]; // as a program without types would make it
    expect(shown(aReport({ conflicts })).at(-1)).toContain("other content by ?, refused: ?[2J…");
  });

  test("lists conflicts with their origin, never with their content", () => {
    const conflicts = [
      { at: "2026-11-29T10:01:00.000Z", fingerprint: `sha256:${"a".repeat(64)}`, via: "cli" },
    ] as const;
    expect(shown(aReport({ conflicts })).slice(-2)).toEqual([
      "conflicts",
      "  2026-11-29 10:01:00 UTC  other content by cli, refused: sha256:aaaaaaaaaaaaaaaa…",
    ]);
  });

  test("says that a run ended from outside, and promises nothing more", () => {
    const delivery = aDelivery({
      state: "waiting-retry",
      attempts: [FAILED],
      nextAt: "2026-11-29T10:09:12.000Z",
      waitingFor: "retry",
    });
    const lines = shown(aReport({ deliveries: [delivery], endedOutside: { at: "2026-11-29T10:04:00.000Z" } })).join(
      "\n",
    );
    expect(lines).toContain("shop/evt_1  order.created  terminated");
    expect(lines).toContain("ended from outside in Temporal 2026-11-29 10:04:00 UTC (1 min ago)");
    expect(lines).not.toContain("attempt 2");
  });
});
