import { describe, expect, test } from "vitest";
import {
  aDraft,
  approved,
  aRule,
  asked,
  begun,
  decide,
  EXPIRES_MS,
  live,
  only,
  ordered,
  planned,
  reported,
  unasked,
} from "../../test/support/approvals.ts";
import { anAttempt, at } from "../../test/support/deliveries.ts";
import type { BusinessEvent } from "./event.ts";
import { project } from "./project.ts";
import { policyOf, showProposal } from "./show-proposal.ts";

const event: BusinessEvent = { source: "shop", id: "evt_1", type: "order.created", data: { total: 1 } };

describe("showProposal", () => {
  test("is none before anything is proposed", () => {
    expect(showProposal(only(unasked()), event)).toBeNull();
  });

  test("shows the whole action, its policy and the votes that stand", () => {
    const evidence = [{ title: "Ticket" }];
    expect(showProposal(only(approved({ requestedBy: "zoe" })), { ...event, evidence })).toEqual({
      digest: "sha256:crm-1",
      revision: 1,
      createdAt: at(0),
      expiresAt: at(EXPIRES_MS),
      requestedBy: "zoe",
      editedBy: null,
      action: { ...aDraft().action, body: '{"total":1}' },
      evidence,
      policy: {
        approvers: ["ana", "bo", "cleo"],
        quorum: 1,
        rejections: 1,
        fourEyes: false,
        requireSignedDecisions: false,
        escalate: null,
        version: null,
      },
      approvals: [{ actor: "ana", at: at(1000) }],
      rejections: [],
      executedAt: null,
    });
    const objected = decide(asked({ terms: { rules: [aRule({ rejections: 2 })] } }), "reject", { actor: "bo" });
    expect(showProposal(only(objected), event)).toMatchObject({
      approvals: [],
      rejections: [{ actor: "bo", at: at(1000) }],
    });
    const sent = live(approved(), begun(), reported({ kind: "attempted", endpoint: "crm", record: anAttempt() }));
    expect(showProposal(only(sent), event)).toMatchObject({ executedAt: at(0), evidence: [] });
  });

  test("shows the body as it will be sent: amended, as text where it is one, else in base64", () => {
    const shown = (body: Partial<BusinessEvent>): unknown => {
      const { data: _data, ...rest } = event;
      return showProposal(only(asked()), { ...rest, ...body })?.action;
    };
    expect(shown({ datacontenttype: "text/plain", data: "\ufeffhi" })).toMatchObject({ body: "\ufeffhi" });
    expect(shown({})).toMatchObject({ body: "" });
    expect(shown({ data_base64: "aGk=" })).toMatchObject({ body: "hi" });
    expect(shown({ data_base64: "/w==" })).toMatchObject({ body_base64: "/w==" });
    const amended = live(asked(), ordered("amend", { data: 2 }), planned(aDraft({ revision: 2 })));
    expect(showProposal(only(amended), event)).toMatchObject({ editedBy: "ops", action: { body: "2" } });
  });

  test("says so where the body is not at hand", () => {
    const shown = showProposal(only(asked()), null);
    expect(shown).toMatchObject({ action: { bodyOmitted: true }, evidence: [] });
    expect(shown?.action).not.toHaveProperty("body");
    expect(project(asked()).deliveries[0]?.proposal).toEqual(shown);
    expect(project(asked(), event).deliveries[0]?.proposal?.action).toMatchObject({ body: '{"total":1}' });
  });
});

describe("policyOf", () => {
  test("is the rule itself where there is one", () => {
    const rule = aRule({ version: 3, escalate: { afterMs: 1, to: ["dora"] } });
    expect(policyOf([rule])).toEqual(rule);
  });

  test("sums several up by the strictest of each, with all of them beside it", () => {
    const rules = [
      aRule({ approvers: ["ana", "bo"], quorum: 2, rejections: 2, version: 3 }),
      aRule({ approvers: ["bo", "dora"], fourEyes: true, version: "b" }),
      aRule({ approvers: ["ana"], requireSignedDecisions: true }),
    ];
    expect(policyOf(rules)).toEqual({
      approvers: ["ana", "bo", "dora"],
      quorum: 2,
      rejections: 1,
      fourEyes: true,
      requireSignedDecisions: true,
      escalate: null,
      version: "3, b",
      rules,
    });
  });
});
