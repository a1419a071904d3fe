import { describe, expect, test } from "vitest";
import { aRule, asked, EXPIRES_MS, only, unasked } from "../../test/support/approvals.ts";
import { anIdentity, at } from "../../test/support/deliveries.ts";
import { noticeOf } from "./notice.ts";

const kind = { kind: "requested", count: 1 } as const;

describe("noticeOf", () => {
  test("tells the endpoint the route names what waits, and for whom", () => {
    const rules = [
      aRule({ approvers: ["ana", "group:finance"], escalate: { afterMs: 1000, to: ["group:leads"] } }),
      aRule({ approvers: ["group:finance"] }),
    ];
    const waiting = only(asked({ requestedBy: "zoe", terms: { rules, notify: "chat" } }));
    const notice = noticeOf(anIdentity(), waiting, kind);
    expect(notice).toEqual({
      v: 1,
      to: "chat",
      kind: "requested",
      count: 1,
      key: "shop/evt_1",
      type: "order.created",
      endpoint: "crm",
      revision: 1,
      digest: "sha256:crm-1",
      requestedBy: "zoe",
      expiresAt: at(EXPIRES_MS),
      approvers: ["ana", "group:finance"],
    });
    expect(noticeOf(anIdentity(), waiting, { kind: "escalated", count: 1 })?.approvers).toEqual([
      "ana",
      "group:finance",
      "group:leads",
    ]);
  });

  test("tells nobody further of an escalation there is not", () => {
    const waiting = only(asked({ terms: { notify: "chat" } }));
    expect(noticeOf(anIdentity(), waiting, { kind: "escalated", count: 1 })?.approvers).toEqual(["ana", "bo", "cleo"]);
  });

  test("is none where nothing is proposed, or where the route names nobody", () => {
    expect(noticeOf(anIdentity(), only(unasked()), kind)).toBeNull();
    expect(noticeOf(anIdentity(), only(asked()), kind)).toBeNull();
  });
});
