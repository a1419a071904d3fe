/**
 * Endpoints are held in every way there is. Then all workers die, events come in, the Temporal server dies and starts
 * again on its database file; new workers come, and the server dies once more under them. `count` = events to each
 * endpoint while no worker runs.
 */
import type { EndpointDetail } from "../../src/client/endpoint-detail.ts";
import type { RawEndpoint } from "../../src/config/raw-config.ts";
import { SECOND_MS } from "../../src/delivery/durations.ts";
import { type Accepted, type ControlStage, openControlStage } from "../support/control-stage.ts";
import type { ScriptedAnswer } from "../support/destination.ts";
import { patiently } from "../support/patiently.ts";
import { deliveredOnce, standing, untilHeld } from "./control-findings.ts";
import { type Finding, same, type Scenario, type Scene } from "./finding.ts";

const SHOWN = "how each is held is shown by the server that is back, without a worker and with new ones";
const UNSENT = "nothing is sent to an endpoint as long as it is held, whoever has died and whoever comes";
const IN_TIME = "what is held for a time goes on by itself once that is over";
const RESUMED = "what is held until somebody speaks goes on once somebody does";
const DELIVERED = "afterwards everything is delivered, taken once and under one key";

const ANA = { actor: "ana@example.com", reason: "vendor maintenance" } as const;
/** For two deaths, two starts and what is looked at between them, on a busy machine. */
const HELD_S = 45;

interface Hold {
  /** Endpoint and event type. */
  readonly name: string;
  readonly state: EndpointDetail["gate"]["state"];
  readonly endpoint: RawEndpoint;
  /** What it answers to so many events until it is held; null = a person holds it. */
  readonly trouble: { readonly answer: ScriptedAnswer; readonly events: number } | null;
  /** False = somebody has to resume it. */
  readonly ends: boolean;
}

const HOLDS: readonly Hold[] = [
  { name: "paused", state: "paused", endpoint: {}, trouble: null, ends: false },
  {
    name: "refused",
    state: "tripped",
    endpoint: {},
    trouble: { answer: { status: 401 }, events: 1 },
    ends: false,
  },
  {
    name: "throttled",
    state: "throttled",
    endpoint: {},
    trouble: { answer: { status: 429, headers: { "retry-after": `${HELD_S}` } }, events: 1 },
    ends: true,
  },
  {
    name: "tripped",
    state: "tripped",
    endpoint: { circuit: { failures: 3, open: `${HELD_S}s` }, retry: "quick" },
    trouble: { answer: { status: 503 }, events: 3 },
    ends: true,
  },
];

interface Held extends Hold {
  readonly detail: EndpointDetail;
  /** Those whose failure closed the gate. */
  readonly first: readonly Accepted[];
}

export const standingGates: Scenario = {
  claims: [SHOWN, UNSENT, IN_TIME, RESUMED, DELIVERED],
  async play(scene) {
    const stage = await openControlStage({
      endpoints: Object.fromEntries(HOLDS.map(({ name, endpoint }) => [name, endpoint])),
    });
    try {
      return await play(stage, scene);
    } finally {
      await stage.close();
    }
  },
};

async function play(stage: ControlStage, { count, say }: Scene): Promise<readonly Finding[]> {
  await startTwo(stage);
  const holds = await Promise.all(HOLDS.map(async (hold) => await close(stage, hold)));
  await stage.killWorkers();
  const diedMs = Date.now();
  const submitted = await Promise.all(
    HOLDS.map(async ({ name, ends }) => ({ ends, events: await stage.submitMany(name, count) })),
  );
  const events = submitted.flatMap((to) => to.events);
  await restart(stage);
  say("all workers and the Temporal server are killed; the server is back");
  const alone = await look(stage, holds, "without a worker");
  await startTwo(stage);
  // The others may be under way by then, on a machine that took so long.
  await untilHeld(
    stage,
    submitted.flatMap((to) => (to.ends ? [] : to.events)),
  );
  say("new workers have taken up what came in");
  await restart(stage);
  say("the Temporal server is killed once more, and back");
  const again = await look(stage, holds, "under new workers");
  const resumedMs = Date.now();
  const resumed = await Promise.all(holds.map(async (hold) => await resume(stage, hold)));
  const waiting = holds.flatMap(({ first, ends }) => (ends ? first : []));
  const delivered = await deliveredOnce(stage, DELIVERED, [...events, ...waiting]);
  say("everything is delivered");
  return [
    ...alone,
    ...again,
    ...resumed.flat(),
    ...holds.flatMap((hold) => timesOf(stage, hold, { diedMs, resumedMs })),
    ...delivered,
  ];
}

async function startTwo(stage: ControlStage): Promise<void> {
  await Promise.all([stage.startWorker(), stage.startWorker()]);
}

async function restart(stage: ControlStage): Promise<void> {
  await stage.killTemporal();
  await stage.startTemporal();
}

/** Until it is held on the server, and those that were tried wait there, too. */
async function close(stage: ControlStage, hold: Hold): Promise<Held> {
  const { name, state, trouble } = hold;
  if (trouble === null) await stage.client.pause(name, ANA);
  else stage.destination.script(`/${name}`, () => trouble.answer);
  const first = await stage.submitMany(name, trouble?.events ?? 0);
  const detail = await standing(stage, name, ({ gate, lane, ledger }) => {
    // The workers tell of a Retry-After before the record does, by a clock of their own.
    const isRecorded = gate.since !== null && gate.until === ledger.at(-1)?.until;
    return gate.state === state && isRecorded && lane.ratePerSecond === 0;
  });
  if (name === "tripped") await untilHeld(stage, first);
  stage.destination.script(`/${name}`, []);
  return { ...hold, detail, first };
}

/** Those whose time is not over yet. */
async function look(stage: ControlStage, holds: readonly Held[], when: string): Promise<readonly Finding[]> {
  const looked = holds.map(async ({ name, detail }) => {
    const { gate, lane } = await patiently(async () => await stage.client.endpoint(name));
    if (endMs(detail) < Date.now()) return [];
    const { state, who, why, until: untilText } = gate;
    const expected = [detail.gate.state, detail.gate.who, detail.gate.why, detail.gate.until, 0];
    return [
      same({ claim: SHOWN, subject: `${name}, ${when}` }, [state, who, why, untilText, lane.ratePerSecond], expected),
    ];
  });
  return (await Promise.all(looked)).flat();
}

/** Infinite = when somebody acts. */
function endMs({ gate }: EndpointDetail): number {
  return gate.until === null ? Number.POSITIVE_INFINITY : Date.parse(gate.until);
}

async function resume(stage: ControlStage, { name, ends }: Held): Promise<readonly Finding[]> {
  if (ends) return [];
  const { refusedBecause } = await stage.client.resume(name, ANA);
  return [same({ claim: RESUMED, subject: name }, refusedBecause, null)];
}

interface Times {
  readonly diedMs: number;
  readonly resumedMs: number;
}

/** Requests since the workers died: none before the end of the hold, and one after it. */
function timesOf(stage: ControlStage, hold: Held, { diedMs, resumedMs }: Times): readonly Finding[] {
  const { name, ends } = hold;
  const allowedMs = ends ? allowedFromMs(stage, hold) : resumedMs;
  const later = stage.requestsTo(name).filter(({ atMs }) => atMs > diedMs);
  const early = later.filter(({ atMs }) => atMs < allowedMs).length;
  const measuredS = ((later[0]?.atMs ?? Number.NaN) - allowedMs) / SECOND_MS;
  const goes = { claim: ends ? IN_TIME : RESUMED, subject: `${name}, its first request`, measuredS };
  return [
    same({ claim: UNSENT, subject: name }, early, 0),
    { ...goes, holds: measuredS >= 0, seen: `${measuredS} s after the end` },
  ];
}

/** A Retry-After counts from its answer; what the gate shows is at least as late. */
function allowedFromMs(stage: ControlStage, { name, detail }: Held): number {
  const answeredMs = stage.requestsTo(name)[0]?.atMs ?? Number.NaN;
  return name === "throttled" ? answeredMs + HELD_S * SECOND_MS : endMs(detail);
}
