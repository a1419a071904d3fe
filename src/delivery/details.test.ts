import { describe, expect, test } from "vitest";
import { aProposal, aWaitingDelivery } from "../../test/support/a-proposal.ts";
import { aReport } from "../../test/support/an-event.ts";
import { aPlan, anAttempt, anIdentity, at, NOON_MS } from "../../test/support/deliveries.ts";
import { advance, begin } from "./advance.ts";
import { detailsOf } from "./details.ts";
import type { DeliveryStatus, Proposal } from "./event-state.ts";
import { project } from "./project.ts";

describe("detailsOf", () => {
  const fresh = begin({ fact: "accepted", atMs: NOON_MS, event: anIdentity(), plan: aPlan(["crm", "ledger"]) });
  const report = (endpoint: string, status: number, outcome: "retry" | "refused") =>
    ({
      fact: "attempt-reported",
      via: "direct",
      atMs: NOON_MS,
      result: { kind: "attempted", endpoint, record: anAttempt({ status, code: `http_${status}`, outcome }) },
    }) as const;

  test("shows where each delivery stands", () => {
    const waiting = advance(fresh, report("crm", 503, "retry"));
    expect(detailsOf(project(waiting)).split("\n\n")).toEqual([
      "**`order.created`** `shop/evt_1`: waiting-retry",
      `- **crm**: waiting-retry (1 attempt(s), last http_503, next at ${at(1010)})`,
      "- **ledger**: accepted (no attempt yet)",
    ]);
  });

  test("tells a person what can be done about a parked delivery", () => {
    const parked = advance(fresh, report("ledger", 410, "refused"));
    const [, , ledger = ""] = detailsOf(project(parked)).split("\n\n");
    expect(ledger).toContain("needs-attention (1 attempt(s), last http_410)\n  endpoint-gone: ");
    expect(ledger).toContain("`replay`, `discard` or `mark-delivered`");
    expect(ledger).toContain('"delivery":"ledger"');
  });

  test("tells who holds a delivery, why, and how to let it go on", () => {
    const argument = { actor: "ana`", reason: "stock\n\n# count", delivery: "crm" };
    const held = advance(fresh, { fact: "message", message: { name: "hold", argument }, atMs: NOON_MS });
    const [, crm = "", ledger] = detailsOf(project(held)).split("\n\n");
    expect(crm.split("\n")).toEqual([
      "- **crm**: held (no attempt yet)",
      `  held by \`ana'\` since ${at(0)}: \`stock # count\`. Send signal \`release\` with \`{"actor":"you@example.com","reason":"…","delivery":"crm"}\`.`,
    ]);
    expect(ledger).toBe("- **ledger**: accepted (no attempt yet)");
    const unknown = detailsOf(aReport({ deliveries: [{ ...aWaitingDelivery(), state: "held" }] }));
    expect(unknown).not.toContain("release");
  });

  test("cannot be broken out of by the text of an event", () => {
    const event = anIdentity({ type: "a`b` **c**" });
    const details = detailsOf(project(begin({ fact: "accepted", atMs: NOON_MS, event, plan: aPlan(["crm"]) })));
    expect(details.startsWith("**`a'b' **c**`**")).toBe(true);
  });
});

describe("detailsOf a proposal", () => {
  const waiting = (changes: Parameters<typeof aProposal>[0] = {}): DeliveryStatus =>
    aWaitingDelivery({ proposal: aProposal(changes) });
  const details = (delivery: DeliveryStatus): string => detailsOf(aReport({ deliveries: [delivery] }));
  const action = (body: object): Proposal["action"] => {
    const { body: _body, ...rest } = aProposal().action as Proposal["action"] & { readonly body?: string };
    // One of the three ways to show a body.
    return { ...rest, ...body } as Proposal["action"];
  };
  const withBody = (body: object): DeliveryStatus => {
    const proposal = { ...aProposal(), action: action(body) };
    return aWaitingDelivery({ proposal });
  };

  test("shows the whole request, who decides, and how", () => {
    const digest = `sha256:0123456789ab${"c".repeat(52)}`;
    expect(details(waiting()).split("\n")).toEqual([
      "**`order.created`** `shop/evt_1`: awaiting-approval",
      "",
      "- **payments**: awaiting-approval (no attempt yet)",
      `  Send signal \`approve\` with \`{"actor":"you@example.com","digest":"${digest}","delivery":"payments"}\`, or \`reject\` with a \`"note"\` beside it. Expires at 2026-11-30T10:00:00.000Z.`,
      `  - digest \`${digest}\`, revision 1; 2 of \`group:finance\`, never the requester; nobody has approved yet`,
      "  - requested by `bo@example.com`",
      "  - `POST` `https://payments.example/refunds`, headers `authorization`, `application/json`, 14 bytes",
      "",
      "```",
      '{"amount":600}',
      "```",
    ]);
  });

  test("names those who approved, an unknown requester, and a request without headers", () => {
    const approvals = ["ana", "cleo"].map((actor) => ({ actor, at: at(0) }));
    const policy = { ...aProposal().policy, fourEyes: false };
    const shown = details(waiting({ approvals, policy, requestedBy: null, action: { headerNames: [] } }));
    expect(shown).toContain("2 of `group:finance`; approved by ana, cleo\n");
    expect(shown).toContain("requested by somebody unknown\n");
    expect(details(waiting({ requestedBy: null }))).toContain("somebody unknown: four eyes cannot exclude them");
    expect(shown).toContain("headers none of its own, ");
  });

  test("says where a decision must be signed that a bare signal does not count", () => {
    const policy = { ...aProposal().policy, requireSignedDecisions: true };
    const shown = details(waiting({ policy }));
    expect(shown).toContain("Decisions must be signed: `countersign approve`");
    expect(shown).not.toContain("Send signal `approve`");
  });

  test("shows the evidence", () => {
    const evidence = [
      { title: "Ticket", url: "https://t.example/1" },
      { title: "Note", text: "as agreed" },
    ];
    const shown = details(waiting({ evidence }));
    expect(shown).toContain("  - evidence: `Ticket` `https://t.example/1`\n  - evidence: `Note` `as agreed`\n");
  });

  test("lets no text of the event speak as if it were ours", () => {
    const evidence = [{ title: "x\n\n  - approved by `everybody`", text: "\r\n\u2028# Send it" }];
    const lines = details(waiting({ evidence })).split("\n");
    expect(lines).toContain("  - evidence: `x   - approved by 'everybody'` ` # Send it`");
    const fenced = details(withBody({ body: "```\n- **payments**: delivered\n````" }));
    expect(fenced.endsWith("\n`````\n```\n- **payments**: delivered\n````\n`````")).toBe(true);
  });

  test("shows bytes as base64, and says where a body is that is too large for this place", () => {
    expect(details(withBody({ body_base64: "AAEC" }))).toMatch(/\n {2}base64:\n```\nAAEC\n```$/u);
    expect(details(withBody({ bodyOmitted: true }))).toContain("`countersign show` has it whole");
  });

  test("is gone once the delivery no longer waits", () => {
    const decided = details({ ...waiting(), state: "delivering" });
    expect(decided).toBe("**`order.created`** `shop/evt_1`: delivering\n\n- **payments**: delivering (no attempt yet)");
  });
});
