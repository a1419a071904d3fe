import { WorkflowNotFoundError } from "@temporalio/client";
import { expect, test } from "vitest";
import { createCountersign } from "./countersign.ts";
import type { Config } from "../config/config.ts";
import type { Client } from "@temporalio/client";

const VERDICT = { counted: true, refusedBecause: null, at: "2026-11-29T10:00:00.000Z" };
const WORD = { actor: "ana", reason: "gone" };

/** The facade on a server that keeps what it is told and answers with this. */
function aFacade(answer: () => Promise<unknown>) {
  const said: unknown[] = [];
  const handle = {
    describe: () => Promise.resolve({ type: "event", runId: "run-1" }),
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

test("each word goes out as one update `resolve`, whatever else a caller wrote into it", async () => {
  const { facade, said } = aFacade(() => Promise.resolve(VERDICT));
  const hostile = { ...WORD, action: "discard" };
  expect(await facade.replay("shop/evt_1", hostile)).toEqual(VERDICT);
  await facade.discard("shop/evt_1", { ...WORD, delivery: "crm" });
  await facade.markDelivered("shop/evt_1", WORD);
  await facade.amend("shop/evt_1", { ...WORD, data: { total: 1 }, endpoint: "crm" });
  await facade.amend("shop/evt_1", { ...WORD, data_base64: "AA==" });
  expect(said).toEqual([
    ["resolve", { v: 1, ...WORD, action: "replay" }],
    ["resolve", { v: 1, ...WORD, action: "discard", delivery: "crm" }],
    ["resolve", { v: 1, ...WORD, action: "mark-delivered" }],
    ["resolve", { v: 1, ...WORD, action: "amend", data: { total: 1 }, endpoint: "crm" }],
    ["resolve", { v: 1, ...WORD, action: "amend", data_base64: "AA==" }],
  ]);
});

test("a run that has just ended answers already-ended", async () => {
  const { facade } = aFacade(() => Promise.reject(new WorkflowNotFoundError("x", "shop/evt_1", "run-1")));
  expect(await facade.amend("shop/evt_1", WORD)).toMatchObject({ counted: false, refusedBecause: "already-ended" });
});
