import { describe, expect, test } from "vitest";
import { anEvent, aStage, perform, stageConfig, type Stage } from "../../test/support/activity-stage.ts";
import { idempotencyKeyFor } from "../config/digests.ts";
import type { PlanInput, PlannedDelivery } from "../delivery/activity-shapes.ts";
import type { Amendment, ProposalDraft } from "../delivery/approval.ts";

const config = stageConfig(
  { crm: { url: "https://crm.example/hook?token=top-secret" }, other: { url: "https://other.example/" } },
  {
    people: { ana: { groups: ["finance"] }, lea: { groups: ["leads"] } },
    routes: [
      {
        match: { type: "order.*" },
        to: ["crm"],
        approval: { when: { "data.total": { gt: 40 } }, approvers: ["group:finance"] },
      },
      { match: { type: "invoice.*" }, to: ["other"], approval: { approvers: ["lea"] } },
    ],
  },
);

const plan = (changes: Partial<PlanInput> = {}, stage: Stage = aStage(config)): Promise<PlannedDelivery> =>
  perform(stage.deps, ["planDelivery", { v: 1, endpoint: "crm", event: anEvent(), revision: 1, ...changes }]);

async function draftOf(changes: Partial<PlanInput> = {}): Promise<ProposalDraft> {
  const planned = await plan(changes);
  if (planned.kind === "withheld" || planned.draft === null) throw new TypeError("No approval is due");
  return planned.draft;
}

describe("planDelivery", () => {
  test("proposes the exact request, without a secret, and sends nothing", async () => {
    const stage = aStage(config);
    const planned = await plan({}, stage);
    expect(planned).toMatchObject({
      kind: "planned",
      endpoint: "crm",
      settings: { idempotencyKey: idempotencyKeyFor("shop/evt_1", "crm", 1), approval: true },
      draft: {
        digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/u),
        revision: 1,
        action: { endpoint: "crm", method: "POST", url: "https://crm.example/hook", bodyBytes: 12 },
        terms: { rules: [{ approvers: ["group:finance"], quorum: 1 }] },
      },
    });
    expect(JSON.stringify(planned)).not.toContain("top-secret");
    expect(stage.sent).toEqual([]);
  });

  test("proposes the same to whoever asks again, and something else for another revision", async () => {
    const first = await draftOf();
    expect(await draftOf()).toEqual(first);
    expect((await draftOf({ revision: 2 })).digest).not.toBe(first.digest);
  });

  test("asks for nothing where the condition does not hold", async () => {
    expect(await plan({ event: anEvent({ data: { total: 40 } }) })).toMatchObject({
      kind: "planned",
      settings: expect.not.objectContaining({ approval: true }),
      draft: null,
    });
  });

  test("says what an amended delivery would send, to where and under which key", async () => {
    const amendment: Amendment = { revision: 2, actor: "ana", from: "crm", data: { total: 7 } };
    const planned = await plan({ endpoint: "other", revision: 2, amendment });
    expect(planned).toMatchObject({
      settings: { idempotencyKey: idempotencyKeyFor("shop/evt_1", "other", 2) },
      draft: { action: { endpoint: "other", bodyBytes: 11 } },
    });
  });

  test("does not let an amendment lead around an approval", async () => {
    const amendment: Amendment = { revision: 2, actor: "ana", from: "crm", data: { total: 1 } };
    // Below the limit by now, but it was above it.
    expect((await draftOf({ revision: 2, amendment })).terms.rules).toMatchObject([{ approvers: ["group:finance"] }]);
    // Nobody but lea may let anything through to `other`.
    expect((await draftOf({ endpoint: "other", revision: 2, amendment })).terms.rules).toMatchObject([
      { approvers: ["group:finance"] },
      { approvers: ["lea"] },
    ]);
  });

  test("withholds what this configuration does not route there", async () => {
    expect(await plan({ endpoint: "other" })).toEqual({ kind: "withheld", endpoint: "other", reason: "not-routed" });
    for (const endpoint of ["nowhere", "__proto__"])
      expect(await plan({ endpoint })).toEqual({ kind: "withheld", endpoint, reason: "unknown-endpoint" });
  });
});
