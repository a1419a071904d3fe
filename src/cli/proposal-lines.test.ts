import picocolors from "picocolors";
import { describe, expect, test } from "vitest";
import { aProposal, DIGEST } from "../../test/support/a-proposal.ts";
import type { Proposal } from "../delivery/event-state.ts";
import { type ProposalView, proposalLines } from "./proposal-lines.ts";

const VIEW: ProposalView = {
  key: "shop/evt_1",
  nowMs: Date.parse("2026-11-29T10:05:00.000Z"),
  colors: picocolors.createColors(false),
  ended: null,
  page: 1,
};

const shown = (proposal: Proposal, changes: Partial<ProposalView> = {}): string =>
  proposalLines(proposal, { ...VIEW, ...changes }).join("\n");

describe("proposalLines", () => {
  test("shows everything that is decided on", () => {
    expect(proposalLines(aProposal(), VIEW)).toEqual([
      "proposal  revision 1  asked 2026-11-29 10:00:00 UTC (5 min ago)",
      `  digest     ${DIGEST}`,
      "  action     POST https://payments.example/refunds",
      "  endpoint   payments (configuration ffffffffffff)",
      "  headers    authorization",
      "  event      refund.requested",
      "  content    application/json, 14 bytes",
      "  policy     2 of group:finance; one rejection ends it; four eyes: not who asked or edited last",
      "  expires    2026-11-30 10:00:00 UTC (in 23 h 55 min)",
      "  requester  bo@example.com",
      "  approvals  none of 2",
      "  body, all of its 14 bytes as it is sent:",
      '  | {"amount":600}',
    ]);
  });

  test("shows evidence whole, and who has approved", () => {
    const evidence = [{ title: "ticket 7", url: "https://t.example/7", text: "two\nlines" }, { title: "bare" }];
    const approvals = [{ actor: "ana", at: "2026-11-29T10:01:00.000Z" }];
    const text = shown(aProposal({ evidence, approvals }));
    expect(text).toContain("  evidence   ticket 7  https://t.example/7\n  | two\n  | lines\n  evidence   bare\n");
    expect(text).toContain("  approvals  1 of 2: ana, 2026-11-29 10:01:00 UTC");
  });

  test.each([
    ["https://xn--bcher-kva.example/x", "POST https://xn--bcher-kva.example/x"],
    ["https://bücher.example/x", "POST https://xn--bcher-kva.example/x"],
  ])("shows the host of %s in both spellings", (url, line) => {
    const text = shown(aProposal({ action: { url } }));
    expect(text).toContain(`  action     ${line}\n             host bücher.example, spelled xn--bcher-kva.example`);
  });

  test.each(["refund@1", "env(PAYMENTS_URL)", "https://payments.example:8443/x"])("shows %s as it is", (url) => {
    const text = shown(aProposal({ action: { url, method: "handler", headerNames: [] } }));
    expect(text).toContain(`  action     handler ${url}\n  endpoint`);
    expect(text).toContain("  headers    none of its own");
  });

  test("says what four eyes cannot do for an unknown requester", () => {
    expect(shown(aProposal({ requestedBy: null }))).toContain("  requester  unknown: four eyes cannot exclude them\n");
    const policy = { ...aProposal().policy, fourEyes: false };
    expect(shown(aProposal({ requestedBy: null, policy }))).toContain("  requester  unknown\n");
  });

  test("says when nobody can decide any more, and when nothing can expire any more", () => {
    const late = { nowMs: Date.parse("2026-11-30T10:03:00.000Z") };
    expect(shown(aProposal(), late)).toContain("expired 2026-11-30 10:00:00 UTC (3 min ago): nobody can decide");
    expect(shown(aProposal(), { ...late, ended: "expired" })).toContain("expired 2026-11-30 10:00:00 UTC (3 min ago)");
    for (const at of [{}, late])
      expect(shown(aProposal(), { ...at, ended: "rejected" })).toContain("  expires    no more: rejected\n");
    const executedAt = "2026-11-29T10:02:00.000Z";
    expect(shown(aProposal({ executedAt }), late)).toContain("no more: executed 2026-11-29 10:02:00 UTC");
  });

  test("names who edited it, and that nobody decides under that name where this is known", () => {
    const proposal = aProposal({ editedBy: "cli:root" });
    expect(shown(aProposal())).not.toContain("edited by  ");
    expect(shown(proposal)).toContain("  edited by  cli:root\n");
    expect(shown(proposal, { people: ["CLI:root"] })).toContain("  edited by  cli:root\n");
    expect(shown(proposal, { people: ["ana"] })).toContain("  edited by  cli:root, who is no person of `people`\n");
  });

  test("says who has rejected it", () => {
    const rejections = [{ actor: "ben", at: "2026-11-29T10:01:00.000Z" }];
    expect(shown(aProposal({ rejections }))).toContain(
      "  approvals  none of 2\n  rejected   1 of 1: ben, 2026-11-29 10:01:00 UTC\n  body",
    );
    expect(shown(aProposal())).not.toContain("rejected  ");
  });

  test("leaves the count open where several rules each have their own", () => {
    const rule = { ...aProposal().policy, escalate: null };
    const policy = { ...rule, rules: [rule, rule] };
    const approvals = [{ actor: "ana", at: "2026-11-29T10:01:00.000Z" }];
    expect(shown(aProposal({ policy }))).toContain("  approvals  none yet\n");
    expect(shown(aProposal({ policy, approvals }))).toContain("  approvals  1: ana, 2026");
    const rejections = [{ actor: "ben", at: "2026-11-29T10:01:00.000Z" }];
    expect(shown(aProposal({ policy, rejections }))).toContain("  rejected   1: ben, 2026");
  });
});

describe("the body of a proposal", () => {
  const withBody = (body: string) => aProposal({ action: { body, bodyBytes: Buffer.byteLength(body) } });

  test("cannot pass for a line of ours, nor hide a character", () => {
    const text = shown(withBody("a\n  approvals  2 of 2: eve\u202e\u001b[2K\n"));
    expect(text).toContain("\n  | a\n  |   approvals  2 of 2: eve‹U+202E›‹U+001B›[2K\n  | \n");
    expect(text).toContain("‹U+…› stands for one character");
  });

  test("above 64 KiB comes in pages, each saying how to see the next", () => {
    const body = withBody("x".repeat(300 * 1024));
    expect(shown(body)).toMatch(
      /\n {2}body page 1 of 5, as it is sent; the next: countersign show shop\/evt_1 --page 2:\n[^]*\n {2}body page 1 of 5; the next: countersign show shop\/evt_1 --page 2$/,
    );
    expect(shown(body, { page: 5 })).toMatch(/\n {2}body page 5 of 5, as it is sent:\n {2}\| x+$/);
    const pages = [1, 2, 3, 4, 5].map((page) => /\| (x+)/.exec(shown(body, { page }))?.[1] ?? "");
    expect(pages.join("")).toBe("x".repeat(300 * 1024));
    expect(shown(withBody("x"), { page: 2 })).toContain("  body has 1 page, so no page 2");
    expect(shown(body, { page: 6 })).toContain("  body has 5 pages, so no page 6");
  });

  test("that is no text is shown as base64", () => {
    const { body: _body, ...action } = { ...aProposal().action, body: "" };
    const proposal = { ...aProposal(), action: { ...action, bodyBytes: 1, body_base64: "/w==" } };
    expect(shown(proposal)).toContain("  body, all of its 1 byte as base64:\n  | /w==");
  });

  test("that is not at hand says so", () => {
    const { body: _body, ...action } = { ...aProposal().action, body: "" };
    expect(shown({ ...aProposal(), action: { ...action, bodyOmitted: true } })).toContain("not at hand here");
  });
});
