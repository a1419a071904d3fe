import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { noticeEvent } from "../activities/notify-people.ts";
import type { BusinessEvent } from "../delivery/event.ts";
import type { Notice, NoticeKind } from "../delivery/notice.ts";
import { isNoticeEvent, isTestEvent, TEST_DATA, TEST_EVENT_TYPE } from "./own-events.ts";

const NOTICE: Notice = {
  v: 1,
  to: "chat",
  kind: "requested",
  count: 1,
  key: "shop/evt_1",
  type: "order.created",
  endpoint: "crm",
  revision: 1,
  digest: `sha256:${"a".repeat(64)}`,
  requestedBy: null,
  expiresAt: "2026-11-30T12:00:00.000Z",
  approvers: ["group:finance"],
};

describe("a notice", () => {
  test.each<NoticeKind>(["requested", "reminder", "escalated", "approved", "rejected", "expired"])(
    "of kind %s is one as we make it",
    (kind) => {
      expect(isNoticeEvent(noticeEvent({ ...NOTICE, kind }))).toBe(true);
    },
  );

  test("is none with another member, another kind, another body or another type", () => {
    const event = noticeEvent(NOTICE);
    const data = { ...NOTICE, v: undefined, to: undefined };
    const { v: _v, to: _to, ...body } = NOTICE;
    const others: readonly Partial<BusinessEvent>[] = [
      { data: { ...body, amount: 900 } },
      { data: { ...body, kind: "pay" }, type: "countersign.approval.pay" },
      { data: { ...body, digest: "sha256:0" } },
      { data: { ...body, approvers: [{ amount: 900 }] } },
      { data: { ...body, requestedBy: { amount: 900 } } },
      { data: { ...body, count: 1.5 } },
      { data: { ...body, key: "x".repeat(1001) } },
      { data: [1] },
      { data: "text" },
      { data: null },
      { type: "countersign.approval.reminder" },
      { datacontenttype: "text/plain" },
    ];
    expect(Object.keys(data)).toContain("kind");
    for (const change of others) expect(isNoticeEvent({ ...event, ...change })).toBe(false);
    for (const name of Object.keys(body)) {
      const left = Object.fromEntries(Object.entries(body).filter(([member]) => member !== name));
      expect(isNoticeEvent({ ...event, data: left })).toBe(false);
    }
  });

  test("is never anything that comes along", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (data) => {
        expect(isNoticeEvent({ ...noticeEvent(NOTICE), data: data as NonNullable<BusinessEvent["data"]> })).toBe(false);
      }),
    );
  });
});

describe("a test", () => {
  const event = { source: "countersign", id: "t", type: TEST_EVENT_TYPE, subject: "crm", synthetic: true } as const;

  test("is one with our own body, and none with any other", () => {
    expect(isTestEvent({ ...event, data: TEST_DATA })).toBe(true);
    for (const data of [{ test: true, amount: 900 }, { test: false }, {}, null, "test", [true]])
      expect(isTestEvent({ ...event, data })).toBe(false);
    expect(isTestEvent(event)).toBe(false);
    expect(isTestEvent({ ...event, data: TEST_DATA, synthetic: false })).toBe(false);
    expect(isTestEvent({ ...event, data: TEST_DATA, datacontenttype: "text/plain" })).toBe(false);
    expect(isTestEvent({ ...event, data: TEST_DATA, type: "order.created" })).toBe(false);
  });
});
