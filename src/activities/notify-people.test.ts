import { describe, expect, test } from "vitest";
import { aStage, perform, stageConfig, type StageOptions } from "../../test/support/activity-stage.ts";
import { planEvent } from "../config/plan-event.ts";
import type { BusinessEvent } from "../delivery/event.ts";
import { parseEvent } from "../delivery/parse-event.ts";
import type { Notice, NoticeKind } from "../delivery/notice.ts";
import { CountersignError } from "../errors.ts";
import { noticeEvent } from "./notify-people.ts";

const config = stageConfig(
  { crm: { url: "https://crm.example/" }, chat: { url: "https://chat.example/" } },
  { people: { ana: {} }, routes: [{ match: {}, to: ["crm"], approval: { approvers: ["ana"], notify: "chat" } }] },
);

function aNotice(changes: Partial<Notice> = {}): Notice {
  return {
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
    ...changes,
  };
}

const told = async (notice: Notice, options: StageOptions = {}) => {
  const stage = aStage(config, options);
  await perform(stage.deps, ["notifyPeople", notice]);
  return stage;
};
const refusing = (error: unknown) => ({ submit: () => Promise.reject(error) });

describe("a notice", () => {
  test("becomes an event of our own that says what it is about, and nothing is sent by itself", async () => {
    const { submitted, sent, failures } = await told(aNotice());
    const { v: _version, to: _to, ...data } = aNotice();
    expect(submitted).toEqual([
      { source: "countersign", id: expect.any(String), type: "countersign.approval.requested", subject: "chat", data },
    ]);
    expect([...sent, ...failures]).toEqual([]);
  });

  test("goes to the endpoint that the route names, and to no other", () => {
    const { deliveries } = planEvent(config, noticeEvent(aNotice()));
    expect(deliveries.map(({ endpoint }) => endpoint)).toEqual(["chat"]);
  });

  test("is the same event when it is told twice", () => {
    expect(noticeEvent(aNotice())).toEqual(noticeEvent(aNotice()));
  });

  test("is an event of its own for each key, delivery, revision, kind and count", () => {
    const kinds: readonly NoticeKind[] = ["requested", "reminder", "escalated", "approved", "rejected", "expired"];
    const notices = [
      ...kinds.map((kind) => aNotice({ kind })),
      aNotice({ key: "shop/evt_2" }),
      aNotice({ endpoint: "other" }),
      aNotice({ revision: 2 }),
      aNotice({ count: 2 }),
      // Joined carelessly, these would be those above.
      aNotice({ key: "shop/evt_1c", endpoint: "rm" }),
      aNotice({ revision: 11 }),
    ];
    expect(new Set(notices.map((notice) => noticeEvent(notice).id)).size).toBe(notices.length);
  });

  test("has an id that an event may have, however long its key is", () => {
    const key = `${"s".repeat(63)}/${"é".repeat(80)}`;
    const longest = aNotice({
      key,
      endpoint: "e".repeat(63),
      revision: 1_000_000,
      kind: "escalated",
      count: 1_000_000,
    });
    expect(parseEvent(noticeEvent(longest))).toMatchObject({ source: "countersign", subject: "chat" });
  });
});

describe("a notice that nobody can be told", () => {
  const gone = new CountersignError("no_route", "No route matches an event of type countersign.approval.requested");

  test("because its endpoint is gone is dropped and logged: the event itself must go on", async () => {
    const { failures } = await told(aNotice(), refusing(gone));
    expect(failures).toEqual([{ activity: "notifyPeople", code: "no_route", error: gone }]);
  });

  test.each(["gone", "crm"])("at %s, which no route names for it, has no route", async (to) => {
    const plan = (event: BusinessEvent) => Promise.resolve(void planEvent(config, event));
    const { failures } = await told(aNotice({ to }), { submit: async (event) => await plan(event) });
    expect(failures).toMatchObject([{ code: "no_route" }]);
  });

  test("because the server does not answer is tried again", async () => {
    const silent = new CountersignError("temporal_unreachable", "Temporal did not answer.");
    await expect(told(aNotice(), refusing(silent))).rejects.toMatchObject({
      type: "temporal_unreachable",
      nonRetryable: false,
    });
    await expect(told(aNotice(), refusing(new Error("what?")))).rejects.toMatchObject({ type: "internal" });
  });

  test("that can never be accepted is dropped and logged, one told before is told, anything else is tried again", async () => {
    const tooLarge = new CountersignError("body_too_large", "It is too large");
    expect((await told(aNotice(), refusing(tooLarge))).failures).toMatchObject([{ code: "body_too_large" }]);
    const other = new CountersignError("conflict", "It was told with another time");
    expect((await told(aNotice(), refusing(other))).failures).toEqual([]);
    const busy = new CountersignError("temporal_unreachable", "It does not answer");
    await expect(told(aNotice(), refusing(busy))).rejects.toMatchObject({ type: "temporal_unreachable" });
  });
});
