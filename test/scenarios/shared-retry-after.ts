/**
 * Endpoints under steady traffic from two workers each answer one request with 429 and a Retry-After: in seconds, and
 * as a date by a clock that is an hour ahead or behind. `count` = seconds they ask for.
 */
import type { EndpointDetail } from "../../src/client/endpoint-detail.ts";
import { SECOND_MS } from "../../src/delivery/durations.ts";
import type { RunningCommand } from "../support/command-line.ts";
import { type Accepted, type ControlStage, openControlStage } from "../support/control-stage.ts";
import { until } from "../support/until.ts";
import { deliveredOnce, standing } from "./control-findings.ts";
import { type Finding, same, type Scenario, type Scene } from "./finding.ts";

const EXACT = "the delivery that was told to wait makes no request before its Retry-After is over";
const SHARED = "no other delivery to that endpoint makes one later than 3 s after that answer, from either worker";
const BOTH = "both workers had been sending to it";
const SHOWN = "that it is throttled, and until when, is visible";
const DELIVERED = "afterwards everything is delivered, taken once and under one key";
const WRITTEN = "the Retry-After and its end stand in its ledger";

const PER_SECOND = 4;
/** Requests in flight at the answer excepted, and everybody must have heard of it. */
const HEARD_WITHIN_MS = 3 * SECOND_MS;
/** So long the destination thinks about each request. */
const THINKS_MS = 200;
const HOUR_MS = 3_600_000;

type Headers = Readonly<Record<string, string>>;

interface Form {
  /** Endpoint and event type. */
  readonly name: string;
  headers(askedMs: number): Headers;
}

const FORMS: readonly Form[] = [
  { name: "in-seconds", headers: (askedMs) => ({ "retry-after": String(askedMs / SECOND_MS) }) },
  { name: "date-ahead", headers: (askedMs) => dated(HOUR_MS, askedMs) },
  { name: "date-behind", headers: (askedMs) => dated(-HOUR_MS, askedMs) },
];

/** Both dates name whole seconds, so what lies between them is exact. */
function dated(skewMs: number, askedMs: number): Headers {
  const shownMs = Math.floor((Date.now() + skewMs) / SECOND_MS) * SECOND_MS;
  return { date: new Date(shownMs).toUTCString(), "retry-after": new Date(shownMs + askedMs).toUTCString() };
}

export const sharedRetryAfter: Scenario = {
  claims: [EXACT, SHARED, BOTH, SHOWN, DELIVERED, WRITTEN],
  async play(scene) {
    const stage = await openControlStage({
      endpoints: Object.fromEntries(FORMS.map(({ name }) => [name, { retry: "quick" }])),
      scripts: Object.fromEntries(FORMS.map(({ name }) => [name, [{ delayMs: THINKS_MS }]])),
    });
    try {
      const workers = await Promise.all([stage.startWorker(), stage.startWorker()]);
      const played = FORMS.map(async (form) => await play({ stage, scene, workers }, form));
      return (await Promise.all(played)).flat();
    } finally {
      await stage.close();
    }
  },
};

interface Theater {
  readonly stage: ControlStage;
  readonly scene: Scene;
  readonly workers: readonly RunningCommand[];
}

async function play({ stage, scene, workers }: Theater, form: Form): Promise<readonly Finding[]> {
  const { name } = form;
  const askedMs = scene.count * SECOND_MS;
  const traffic = stage.submitSteadily(name, PER_SECOND);
  await until(`both workers send to ${name}`, () => workers.every((worker) => attemptsOf(worker, name) > 0));
  const sent = workers.map((worker) => attemptsOf(worker, name));
  const told = await askOnce(stage, form, askedMs);
  const throttled = await seenThrottled(stage, name, askedMs);
  await until(`the Retry-After of ${name} is over`, () => Date.now() > told.atMs + askedMs, {
    withinMs: askedMs + 60 * SECOND_MS,
  });
  const events = await traffic.stop();
  const once = await deliveredOnce(stage, DELIVERED, events);
  const open = await standing(stage, name, ({ gate }) => gate.state === "open" && !gate.ramping);
  scene.say(`${name}: ${events.length} events are delivered`);
  return [
    exact(stage, { name, told, askedMs }),
    shared(stage, { name, told, askedMs, events }),
    { claim: BOTH, subject: name, holds: sent.every((count) => count > 0), seen: sent.join(" and ") },
    shown(name, Date.parse(throttled?.gate.until ?? "") - told.atMs - askedMs),
    ...once,
    same(
      { claim: WRITTEN, subject: name },
      open.ledger.map(({ what }) => what),
      ["throttled", "throttle-ended"],
    ),
  ];
}

/** Null = it was not shown as long as it lasted. */
async function seenThrottled(stage: ControlStage, name: string, askedMs: number): Promise<EndpointDetail | null> {
  const overMs = Date.now() + askedMs;
  const seen = await standing(stage, name, ({ gate }) => {
    return (gate.state === "throttled" && gate.who === "workers") || Date.now() > overMs;
  });
  return seen.gate.state === "throttled" ? seen : null;
}

function attemptsOf(worker: RunningCommand, endpoint: string): number {
  const lines = worker.stderr().split("\n");
  return lines.filter((line) => line.includes('"delivery.attempted"') && line.includes(`"endpoint":"${endpoint}"`))
    .length;
}

interface Told {
  /** When it was answered, milliseconds since the epoch. */
  readonly atMs: number;
  readonly key: string;
}

/** The next request is told to wait; all others are taken. */
async function askOnce({ destination }: ControlStage, { name, headers }: Form, askedMs: number): Promise<Told> {
  let told: Told | null = null;
  destination.script(`/${name}`, ({ key }) => {
    if (told !== null) return { delayMs: THINKS_MS };
    told = { atMs: Date.now(), key };
    return { status: 429, headers: headers(askedMs) };
  });
  return await until(`${name} has asked to be left alone`, () => told);
}

interface Throttling {
  readonly name: string;
  readonly told: Told;
  readonly askedMs: number;
}

function exact(stage: ControlStage, { name, told, askedMs }: Throttling): Finding {
  const again = stage.destination.requestsOf(told.key).find(({ atMs }) => atMs > told.atMs);
  const waitedMs = (again?.atMs ?? Number.NaN) - told.atMs;
  const measuredS = waitedMs / SECOND_MS;
  return { claim: EXACT, subject: name, holds: waitedMs >= askedMs, seen: `after ${measuredS} s`, measuredS };
}

/** There was something to send in that time, too. */
function shared(
  stage: ControlStage,
  { name, told, askedMs, events }: Throttling & { readonly events: readonly Accepted[] },
): Finding {
  const [fromMs, toMs] = [told.atMs + HEARD_WITHIN_MS, told.atMs + askedMs];
  const late = stage.requestsTo(name).filter(({ atMs }) => atMs > fromMs && atMs < toMs);
  const waiting = events.filter(({ atMs }) => atMs > fromMs && atMs < toMs).length;
  const last = stage.requestsTo(name).findLast(({ atMs }) => atMs < toMs);
  const measuredS = Math.max(0, (last?.atMs ?? 0) - told.atMs) / SECOND_MS;
  const seen = `${late.length} requests with ${waiting} events waiting, the last one after ${measuredS} s`;
  return { claim: SHARED, subject: name, holds: late.length === 0 && waiting > 0, seen, measuredS };
}

/** To the whole second after it, and a report has a way to go. */
function shown(name: string, laterMs: number): Finding {
  const holds = laterMs >= 0 && laterMs < 10 * SECOND_MS;
  return { claim: SHOWN, subject: name, holds, seen: `${laterMs} ms after what was asked for` };
}
