/**
 * Decisions while workers die: nothing is sent before one, an approval counts once however often
 * it is said, and clocks go on while nobody runs. `count` = events of each kind.
 */
import { inBatches } from "../support/in-batches.ts";
import { keyOf, openProcessStage, type ProcessStage, type StageEvent } from "../support/process-stage.ts";
import { until } from "../support/until.ts";
import { type Finding, same, type Scenario, type Scene } from "./finding.ts";

const NOTHING_BEFORE = "nothing is sent before the decision, although the worker is killed before it and after it";
const ONCE = "an approval said five times around a killed worker counts once, and the request is sent once";
const UNHEARD = "an approval said while no worker runs counts once one does";
const INSTANT = "approve and reject in the instant of a kill have one outcome, and both are on record";
const CLOCK = "a wait for approval expires when it is due, however often workers are killed meanwhile";

const TYPE = "refund";
const BRIEF = "brief";
/** Long enough for all of them to be submitted and read first. */
const expiresS = (count: number): number => 20 + count;
const [ANA, BEN] = ["ana@example.com", "ben@example.com"];

export const approvals: Scenario = {
  claims: [NOTHING_BEFORE, ONCE, UNHEARD, INSTANT, CLOCK],
  async play(scene) {
    const people = { [ANA]: { groups: ["finance"] }, [BEN]: { groups: ["finance"] } };
    const approval = { approvers: ["group:finance"] };
    const stage = await openProcessStage({
      address: scene.address,
      // Not idempotent: a request whose outcome is unknown is never repeated, so each event has one at most.
      endpoints: { payments: { idempotent: false } },
      routes: [
        { match: { type: TYPE }, to: ["payments"], approval },
        { match: { type: BRIEF }, to: ["payments"], approval: { ...approval, expires: `${expiresS(scene.count)}s` } },
      ],
      rest: { people },
    });
    try {
      return await playAll(stage, scene);
    } finally {
      await stage.close();
    }
  },
};

async function playAll(stage: ProcessStage, scene: Scene): Promise<readonly Finding[]> {
  const make = (type: string, name: string) =>
    Array.from({ length: scene.count }, (_, index) => stage.anEvent(type, `${name}-${index + 1}`));
  const [patient, unheard, instant, brief] = [
    make(TYPE, "patient"),
    make(TYPE, "unheard"),
    make(TYPE, "instant"),
    make(BRIEF, "brief"),
  ];
  const first = await stage.startWorker();
  const events = [...patient, ...unheard, ...instant, ...brief];
  await inBatches(events, async (event) => await stage.client.submit(event));
  const digests = new Map(await inBatches(events, async (event) => [event.id, await digestOf(stage, event)] as const));
  const due = await inBatches(brief, async (event) => await expiryOf(stage, event));
  const say = async (event: StageEvent, name: "approve" | "reject", actor: string): Promise<void> => {
    const word = { actor, digest: digests.get(event.id), note: "said so" };
    await stage.temporal.workflow.getHandle(keyOf(event)).signal(name, word);
  };
  await first.kill();
  scene.say(`${events.length} events wait for approval, and their worker is killed`);
  await inBatches(unheard, async (event) => await say(event, "approve", ANA));
  const before = events.map((event) => sentNothing(stage, event));
  const second = await stage.startWorker();
  await inBatches(unheard, async (event) => await ended(stage, event, "delivered"));
  const early = [...patient, ...instant].map((event) => sentNothing(stage, event));
  // Five times, some before the kill and some after it.
  const saidOften = inBatches(patient, async (event) => {
    for (let time = 0; time < 5; time += 1) await say(event, "approve", ANA);
  });
  const contested = inBatches(
    instant,
    async (event) => await Promise.all([say(event, "approve", ANA), say(event, "reject", BEN)]),
  );
  await Promise.all([second.kill(), saidOften, contested]);
  scene.say("the worker is killed in the middle of the decisions");
  await stage.startWorker();
  return [
    ...before,
    ...early,
    ...(await inBatches(unheard, async (event) => await countsOnce(stage, event, UNHEARD))),
    ...(await inBatches(patient, async (event) => await countsOnce(stage, event, ONCE))),
    ...(await inBatches(instant, async (event) => await hasOneOutcome(stage, event))),
    ...(await inBatches(brief, async (event) => await expires(stage, event, due[brief.indexOf(event)] ?? 0))),
  ];
}

async function digestOf(stage: ProcessStage, event: StageEvent): Promise<string> {
  return await until(`${event.id} waits for approval`, async () => {
    const { deliveries } = await stage.client.get(keyOf(event));
    return deliveries[0]?.state === "awaiting-approval" && (deliveries[0].proposal?.digest ?? null);
  });
}

async function expiryOf(stage: ProcessStage, event: StageEvent): Promise<number> {
  const { deliveries } = await stage.client.get(keyOf(event));
  return Date.parse(deliveries[0]?.proposal?.expiresAt ?? "");
}

function requestsOf({ destination }: ProcessStage, { id }: StageEvent) {
  return destination.requests.filter(({ headers }) => headers["ce-id"] === id);
}

function sentNothing(stage: ProcessStage, event: StageEvent): Finding {
  return same({ claim: NOTHING_BEFORE, subject: event.id }, requestsOf(stage, event).length, 0);
}

async function ended(stage: ProcessStage, event: StageEvent, ...states: readonly string[]) {
  return await until(`${event.id} is ${states.join(" or ")}`, async () => {
    const report = await stage.client.get(keyOf(event));
    return states.includes(report.state) && report;
  });
}

/** A worker killed with the request in hand leaves it uncertain: that waits for a person and is not repeated. */
async function countsOnce(stage: ProcessStage, event: StageEvent, claim: string): Promise<Finding> {
  const report = await ended(stage, event, "delivered", "needs-attention");
  const [delivery] = report.deliveries;
  const counted = delivery?.decisions.filter((decision) => decision.counted).length;
  const uncertain = delivery?.attention?.reason === "outcome-uncertain";
  const requests = requestsOf(stage, event).length;
  const seen = [counted, delivery?.attemptCount, uncertain || requests === 1, requests <= 1];
  return same({ claim, subject: event.id }, seen, [1, 1, true, true]);
}

async function hasOneOutcome(stage: ProcessStage, event: StageEvent): Promise<Finding> {
  const report = await ended(stage, event, "delivered", "needs-attention", "rejected");
  const [delivery] = report.deliveries;
  const counted = delivery?.decisions.filter((decision) => decision.counted).map(({ action }) => action);
  const rejected = report.state === "rejected";
  const requests = requestsOf(stage, event).length;
  const seen = [delivery?.decisions.length, counted, rejected ? requests === 0 : requests <= 1];
  return same({ claim: INSTANT, subject: event.id }, seen, [2, [rejected ? "reject" : "approve"], true]);
}

async function expires(stage: ProcessStage, event: StageEvent, dueMs: number): Promise<Finding> {
  await until(`${event.id} is due`, () => Date.now() >= dueMs, { withinMs: 2 * (dueMs - Date.now()) });
  const { deliveries } = await ended(stage, event, "expired");
  const { closeTime } = await until("its run has ended", async () => {
    const run = await stage.temporal.workflow.getHandle(keyOf(event)).describe();
    return run.closeTime === undefined ? null : { closeTime: run.closeTime };
  });
  const lateS = (closeTime.getTime() - dueMs) / 1000;
  const [delivery] = deliveries;
  const seen = [delivery?.state, Date.parse(delivery?.proposal?.expiresAt ?? "") === dueMs, lateS >= 0];
  const finding = same(
    { claim: CLOCK, subject: event.id },
    [...seen, requestsOf(stage, event).length],
    ["expired", true, true, 0],
  );
  return { ...finding, measuredS: lateS };
}
