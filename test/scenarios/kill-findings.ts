/** What must be true of an event that lived through the kills. */
import type { EventReport } from "../../src/client/get-event.ts";
import type { DeliveryStatus } from "../../src/delivery/event-state.ts";
import { keyOf, type ProcessStage, type StageEvent } from "../support/process-stage.ts";
import { type Finding, same } from "./finding.ts";
import type { Traveler } from "./kills.ts";
import { toldAlike } from "./told-alike.ts";

const ENDS = "an event whose workers are killed ends as its endpoint's answers say";
const ONE_KEY = "every request of a delivery carries the same idempotency key";
const ON_RECORD = "each attempt is on record, a lost one as uncertain, unknown, worker_lost";
const NOT_HIDDEN = "no request leaves that is not on record";
const NOTICED = "a lost attempt is noticed within a minute of the kill";
const ALIKE = "the history tells of lost attempts what the workflow tells";

export const KILL_CLAIMS = [ENDS, ONE_KEY, ON_RECORD, NOT_HIDDEN, NOTICED, ALIKE] as const;

/** Generous: about 20 s is what it takes, and what the proof's figures show. */
const NOTICED_WITHIN_S = 60;

export interface Arrival extends Traveler {
  /** When each kill was done, milliseconds since the epoch. */
  readonly killsMs: readonly number[];
}

/** Waits for the event's end and looks at what is left of it. */
export async function judge(stage: ProcessStage, { passenger, event, killsMs }: Arrival): Promise<readonly Finding[]> {
  const report = await stage.client.settled(keyOf(event), { timeout: "120s" });
  const delivery = deliveryOf(report, passenger.name);
  const requests = stage.requestsFor(event);
  const keys = new Set(requests.map(({ key }) => key));
  const subject = event.id;
  return [
    same({ claim: ENDS, subject }, delivery.attention?.reason ?? delivery.state, passenger.end),
    same({ claim: ONE_KEY, subject }, [...keys], [delivery.idempotencyKey]),
    onRecord(event, delivery, passenger.attempts),
    notHidden(event, delivery, requests.length),
    ...noticed(event, delivery, killsMs),
    await toldAlike(stage, { claim: ALIKE, subject }, keyOf(event)),
  ];
}

function deliveryOf(report: EventReport, endpoint: string): DeliveryStatus {
  const delivery = report.deliveries.find((candidate) => candidate.endpoint === endpoint);
  if (delivery === undefined) throw new Error(`${report.key} has no delivery to ${endpoint}`);
  return delivery;
}

function recordOf({ attempts }: DeliveryStatus): readonly string[] {
  return attempts.map(({ code, outcome, certainty, via }) => `${code}/${outcome}/${certainty}/${via}`);
}

/** Null expects what one kill at an unknown moment may leave: the delivered attempt, and at most one lost before it. */
function onRecord({ id }: StageEvent, delivery: DeliveryStatus, expected: readonly string[] | null): Finding {
  const about = { claim: ON_RECORD, subject: id };
  const record = recordOf(delivery);
  if (expected !== null) return same(about, record, expected);
  const holds =
    record.slice(0, -1).every((attempt) => attempt.startsWith("worker_lost/uncertain/unknown/")) && record.length <= 2;
  return { ...about, holds, seen: record.join(", ") };
}

/** A lost attempt may have died before its request left; every other one made exactly one. */
function notHidden({ id }: StageEvent, delivery: DeliveryStatus, requests: number): Finding {
  const record = recordOf(delivery);
  const certain = delivery.attempts.filter(({ code }) => code !== "worker_lost").length;
  const holds = requests <= record.length && requests >= certain;
  return { claim: NOT_HIDDEN, subject: id, holds, seen: `${requests} requests, ${record.length} attempts` };
}

/** From the kill to the moment in which the loss stands in the state. */
function noticed({ id }: StageEvent, { attempts }: DeliveryStatus, killsMs: readonly number[]): readonly Finding[] {
  const lost = attempts.filter(({ code }) => code === "worker_lost");
  return lost.map(({ at, durationMs }, index) => {
    const measuredS = (Date.parse(at) + durationMs - (killsMs[index] ?? 0)) / 1000;
    const holds = measuredS < NOTICED_WITHIN_S;
    return {
      claim: NOTICED,
      subject: `${id}, loss ${index + 1}`,
      holds,
      seen: `after ${measuredS.toFixed(1)} s`,
      measuredS,
    };
  });
}
