import { WorkflowNotFoundError, type Client } from "@temporalio/client";
import { describe, expect, test } from "vitest";
import { aDelivery } from "../../test/support/an-event.ts";
import { aProposal, aWaitingDelivery, DIGEST } from "../../test/support/a-proposal.ts";
import type { Config } from "../config/config.ts";
import { createCountersign } from "./countersign.ts";
import { lateRefusal } from "./decide-delivery.ts";

const VERDICT = { counted: false, refusedBecause: "own-request", at: "2026-11-29T10:00:00.000Z" };
const WORD = { actor: "ana", digest: DIGEST };

function aFacade(answer: () => Promise<unknown>) {
  const said: unknown[] = [];
  const handle = {
    describe: () => Promise.resolve({ type: "event", runId: "run-1", status: { name: "COMPLETED" } }),
    fetchHistory: () => Promise.reject(new Error("gone")),
    executeUpdate: ({ name }: { readonly name: string }, { args }: { readonly args: readonly unknown[] }) => {
      said.push([name, ...args]);
      return answer();
    },
  };
  const withDeadline = async <Result>(_deadlineMs: number, call: () => Promise<Result>) => await call();
  const client = { workflow: { getHandle: () => handle }, withDeadline, options: { namespace: "default" } };
  const parts = { client: client as unknown as Client, config: {} as Config, eager: false };
  return { facade: createCountersign(parts), said };
}

describe("approve, reject and withdraw", () => {
  test("go out as one update `decide` and hand the verdict back, also one that did not count", async () => {
    const { facade, said } = aFacade(() => Promise.resolve(VERDICT));
    expect(await facade.approve("shop/evt_1", { ...WORD, note: "fine", signature: "AA==" })).toEqual(VERDICT);
    await facade.reject("shop/evt_1", { ...WORD, note: "too much", delivery: "payments" });
    await facade.withdraw("shop/evt_1", WORD);
    expect(said).toEqual([
      ["decide", { v: 1, ...WORD, action: "approve", note: "fine", signature: "AA==" }],
      ["decide", { v: 1, ...WORD, action: "reject", note: "too much", delivery: "payments" }],
      ["decide", { v: 1, ...WORD, action: "withdraw" }],
    ]);
  });

  test("are too late for a run that has ended, also when its state cannot be read any more", async () => {
    const { facade } = aFacade(() => Promise.reject(new WorkflowNotFoundError("x", "shop/evt_1", "run-1")));
    const verdict = await facade.approve("shop/evt_1", WORD);
    expect(verdict).toMatchObject({ counted: false, refusedBecause: "already-decided" });
  });
});

describe("lateRefusal", () => {
  const sent = aProposal({ executedAt: "2026-11-29T10:02:00.000Z" });
  const OTHER = `sha256:${"9".repeat(64)}`;
  const rejected = aWaitingDelivery({ state: "rejected" });
  const executed = aWaitingDelivery({ endpoint: "ledger", state: "delivered", proposal: { ...sent, digest: OTHER } });

  test.each([
    ["what was rejected", [rejected], { digest: DIGEST }, "already-decided"],
    ["what was approved and sent", [executed], { digest: OTHER }, "executed"],
    ["the delivery whose digest was seen", [rejected, executed], { digest: OTHER }, "executed"],
    ["the delivery that was named", [rejected, executed], { digest: OTHER, delivery: "payments" }, "already-decided"],
    ["a digest nobody knows", [aDelivery(), rejected], { digest: "?" }, "already-decided"],
    ["what needed no approval and was sent", [aDelivery()], { digest: DIGEST }, "executed"],
    ["what was never sent", [aDelivery({ attempts: [] })], { digest: DIGEST }, "already-decided"],
    ["a delivery that is none", [executed], { digest: OTHER, delivery: "nope" }, "already-decided"],
    ["no delivery at all", [], { digest: DIGEST }, "already-decided"],
  ] as const)("of %s", (_what, deliveries, order, because) => {
    expect(lateRefusal(deliveries, order)).toBe(because);
  });

  test("is not `executed` for attempts made before what was asked for last", () => {
    const amended = aWaitingDelivery({ state: "expired", attempts: aDelivery().attempts });
    expect(lateRefusal([amended], { digest: DIGEST })).toBe("expired");
  });
});
