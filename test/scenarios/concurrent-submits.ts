/**
 * Two producer processes submit at once: one event becomes one workflow and one delivery
 * however often it is submitted, and other content under its key is refused.
 * `count` = submits of one event over both processes.
 */
import { keyOf, openProcessStage, type ProcessStage, type StageEvent } from "../support/process-stage.ts";
import type { ProducerReport } from "../support/producer-process.ts";
import { until } from "../support/until.ts";
import { type Finding, same, type Scenario, type Scene } from "./finding.ts";

const ONE = "concurrent submits of one event from two processes give one workflow and one delivery";
const DUPLICATES = "all receipts but one say duplicate, and all name the same run";
const CONFLICT = "of two contents submitted at once under one key one is accepted, the other refused and recorded";
const REPEAT = "a producer killed while it submits can submit again: each event is delivered once";

const TYPE = "order";

export const concurrentSubmits: Scenario = {
  claims: [ONE, DUPLICATES, CONFLICT, REPEAT],
  async play(scene) {
    const stage = await openProcessStage({ address: scene.address, endpoints: { [TYPE]: {} } });
    try {
      await stage.startWorker();
      return [
        ...(await sameEvent(stage, scene)),
        ...(await twoContents(stage, scene)),
        ...(await killedProducer(stage, scene)),
      ];
    } finally {
      await stage.close();
    }
  },
};

/** Both processes are connected before either may begin. */
async function submitAtOnce(
  stage: ProcessStage,
  batches: readonly (readonly unknown[])[],
): Promise<readonly ProducerReport[]> {
  const producers = await Promise.all(batches.map(async (events) => await stage.startProducer(events)));
  for (const producer of producers) producer.tell("go");
  const lines = await Promise.all(
    producers.map(async (producer) => await producer.line("report", (line) => "receipts" in line)),
  );
  return lines as unknown as readonly ProducerReport[]; // what `producer-process.ts` prints
}

async function sameEvent(stage: ProcessStage, { count, say }: Scene): Promise<readonly Finding[]> {
  const event = stage.anEvent(TYPE, "same");
  const half = Array.from({ length: count / 2 }, () => event);
  const reports = await submitAtOnce(stage, [half, half]);
  const receipts = reports.flatMap((report) => report.receipts);
  const fresh = receipts.filter(({ duplicate }) => !duplicate).length;
  say(`${receipts.length} receipts, ${receipts.length - fresh} of them duplicates`);
  const { state } = await stage.client.settled(keyOf(event));
  const runs = new Set(receipts.map(({ runId }) => runId));
  return [
    same(
      { claim: ONE, subject: event.id },
      [state, stage.requestsFor(event).length, await runsOf(stage, event)],
      ["delivered", 1, 1],
    ),
    same(
      { claim: DUPLICATES, subject: event.id },
      { receipts: receipts.length, fresh, runs: runs.size, refusals: reports.flatMap(({ refusals }) => refusals) },
      { receipts: count, fresh: 1, runs: 1, refusals: [] },
    ),
  ];
}

/** How many runs the server has under the key; visibility is eventually consistent, so it is asked until it knows of one. */
async function runsOf({ temporal }: ProcessStage, event: StageEvent): Promise<number> {
  return await until("visibility lists the event", async () => {
    const { count } = await temporal.workflow.count(`WorkflowId = ${JSON.stringify(keyOf(event))}`);
    return count > 0 ? count : null;
  });
}

async function twoContents(stage: ProcessStage, { count }: Scene): Promise<readonly Finding[]> {
  const event = stage.anEvent(TYPE, "contested");
  const other = { ...event, data: { id: event.id, other: true } };
  const half = count / 2;
  const reports = await submitAtOnce(
    stage,
    [event, other].map((content) => Array.from({ length: half }, () => content)),
  );
  const report = await until("the conflict is listed", async () => {
    const found = await stage.client.get(keyOf(event));
    return found.conflicts.length > 0 && found.state === "delivered" ? found : null;
  });
  // One producer is all accepted, the other all refused.
  const outcomes = reports.map(({ receipts, refusals }) => [receipts.length, new Set(refusals).size, refusals.length]);
  const sorted = outcomes.toSorted(([left = 0], [right = 0]) => right - left);
  const requests = stage.destination.requests.filter(({ body }) => body.includes(event.id)).length;
  const codes = [...new Set(reports.flatMap(({ refusals }) => refusals))];
  const seen = { sorted, codes, conflicts: report.conflicts.length, requests };
  const expected = {
    sorted: [
      [half, 0, 0],
      [0, 1, half],
    ],
    codes: ["conflict"],
    conflicts: 1,
    requests: 1,
  };
  return [same({ claim: CONFLICT, subject: event.id }, seen, expected)];
}

async function killedProducer(stage: ProcessStage, { count }: Scene): Promise<readonly Finding[]> {
  const events = Array.from({ length: count }, (_, index) => stage.anEvent(TYPE, `repeated-${index + 1}`));
  const producer = await stage.startProducer(events);
  producer.tell("go");
  // Some are accepted by now, others not: it dies between them, or between a start and its receipt.
  await until("the first of them is delivered", () => events.some((event) => stage.requestsFor(event).length > 0));
  await producer.kill();
  const [report] = await submitAtOnce(stage, [events]);
  const ends = await Promise.all(
    events.map(async (event) => {
      const { state } = await stage.client.settled(keyOf(event), { timeout: "60s" });
      return same({ claim: REPEAT, subject: event.id }, [state, stage.requestsFor(event).length], ["delivered", 1]);
    }),
  );
  const receipts = { claim: REPEAT, subject: "receipts of the repeat" };
  return [...ends, same(receipts, [report?.receipts.length, report?.refusals], [count, []])];
}
