/** Many proposals wait: lists find the oldest in one call, and waiting costs nothing. `count` = waiting events. */
import type { Client } from "@temporalio/client";
import { createCountersign } from "../../src/client/countersign.ts";
import type { EventRow } from "../../src/client/list-events.ts";
import { inBatches } from "../support/in-batches.ts";
import { keyOf, openProcessStage, type ProcessStage, type StageEvent } from "../support/process-stage.ts";
import { readCost } from "../support/temporal.ts";
import { until } from "../support/until.ts";
import { type Finding, same, type Scenario, type Scene } from "./finding.ts";

const LISTED = "the oldest 50 that wait for approval are listed, with the time each has left";
const ONE_CALL = "listing them takes one call to the server";
const NO_COST = "waiting costs no state transition and no history event";
const DECIDED = "each of them can still be decided: the approved ones are sent once, the others not at all";

const TYPE = "refund";
const SHOWN = 50;
const ANA = "ana@example.com";

export const waiting: Scenario = {
  claims: [LISTED, ONE_CALL, NO_COST, DECIDED],
  async play(scene) {
    const stage = await openProcessStage({
      address: scene.address,
      endpoints: { payments: {} },
      routes: [{ match: { type: TYPE }, to: ["payments"], approval: { approvers: [ANA] } }],
      rest: { people: { [ANA]: {} } },
    });
    try {
      return await play(stage, scene);
    } finally {
      await stage.close();
    }
  },
};

async function play(stage: ProcessStage, scene: Scene): Promise<readonly Finding[]> {
  const events = Array.from({ length: scene.count }, (_, index) => stage.anEvent(TYPE, `waiting-${index + 1}`));
  await stage.startWorker();
  await inBatches(events, async (event) => await stage.client.submit(event));
  scene.say(`${events.length} events are submitted`);
  const costs = await Promise.all(events.slice(0, SHOWN).map(async (event) => await waits(stage, event)));
  const listed = await listOldest(stage, events);
  return [
    ...listed,
    ...(await Promise.all(costs.map(async (cost) => await costsNothing(stage, cost)))),
    ...(await decideSome(stage, events.slice(0, 10))),
  ];
}

interface Cost {
  readonly event: StageEvent;
  readonly digest: string;
  readonly cost: Awaited<ReturnType<typeof readCost>>;
}

async function waits(stage: ProcessStage, event: StageEvent): Promise<Cost> {
  const digest = await until(`${event.id} waits`, async () => {
    const { deliveries } = await stage.client.get(keyOf(event));
    return deliveries[0]?.state === "awaiting-approval" && (deliveries[0].proposal?.digest ?? null);
  });
  return { event, digest, cost: await readCost(stage.temporal, keyOf(event)) };
}

/** Visibility is eventually consistent: the list is asked until it knows all of them. */
async function listOldest(stage: ProcessStage, events: readonly StageEvent[]): Promise<readonly Finding[]> {
  const mine = new Set(events.map(keyOf));
  const { client, calls } = countingListCalls(stage.temporal);
  const near = createCountersign({ client, config: stage.config, eager: false });
  const rows = await until("all of them are listed", async () => {
    calls.count = 0;
    const listed: EventRow[] = [];
    for await (const row of near.list({ state: "awaiting-approval", type: TYPE })) listed.push(row);
    return listed.filter(({ key }) => mine.has(key)).length === mine.size && listed;
  });
  const oldest = rows
    .filter(({ key }) => mine.has(key))
    .toSorted((left, right) => left.startedAt.localeCompare(right.startedAt))
    .slice(0, SHOWN);
  const complete = oldest.every(({ approval }) => approval !== null && Date.parse(approval.until) > Date.now());
  const seen = [oldest.length, oldest.every(({ state }) => state === "awaiting-approval"), complete];
  return [
    same({ claim: LISTED, subject: "the list" }, seen, [Math.min(SHOWN, mine.size), true, true]),
    same({ claim: ONE_CALL, subject: "the list" }, calls.count, 1),
  ];
}

function countingListCalls(client: Client): { readonly client: Client; readonly calls: { count: number } } {
  const calls = { count: 0 };
  const service = client.workflowService;
  const ask = service.listWorkflowExecutions.bind(service);
  const counted = (request: Parameters<typeof ask>[0]) => {
    calls.count += 1;
    return ask(request);
  };
  // The form with a callback is not used by the SDK.
  service.listWorkflowExecutions = counted as typeof service.listWorkflowExecutions;
  return { client, calls };
}

async function costsNothing(stage: ProcessStage, { event, cost }: Cost): Promise<Finding> {
  return same({ claim: NO_COST, subject: event.id }, await readCost(stage.temporal, keyOf(event)), cost);
}

async function decideSome(stage: ProcessStage, events: readonly StageEvent[]): Promise<readonly Finding[]> {
  const findings = events.map(async (event, index) => {
    const { digest } = await waits(stage, event);
    const approve = index % 2 === 0;
    const word = { actor: ANA, digest, note: "looked at it" };
    await (approve ? stage.client.approve(keyOf(event), word) : stage.client.reject(keyOf(event), word));
    const { state } = await stage.client.settled(keyOf(event));
    const requests = stage.destination.requests.filter(({ headers }) => headers["ce-id"] === event.id).length;
    return same({ claim: DECIDED, subject: event.id }, [state, requests], approve ? ["delivered", 1] : ["rejected", 0]);
  });
  return await Promise.all(findings);
}
