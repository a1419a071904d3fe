/** What scenarios of endpoints under control look for alike. */
import type { EndpointDetail } from "../../src/client/endpoint-detail.ts";
import { SECOND_MS } from "../../src/delivery/durations.ts";
import { isTerminal } from "../../src/delivery/event-state.ts";
import type { LedgerEvent } from "../../src/delivery/gates/ledger.ts";
import type { Accepted, ControlStage } from "../support/control-stage.ts";
import { inBatches } from "../support/in-batches.ts";
import { patiently } from "../support/patiently.ts";
import { until } from "../support/until.ts";
import type { Finding } from "./finding.ts";

/** Attempts of a burst that one process takes part with, and the server's rate while one is let through. */
export const PROBES = 4;
/** A killed worker's tasks are handed out again after 10 s, on a busy machine later; a drain takes its time. */
const PATIENCE_MS = 180 * SECOND_MS;
/** Thousands come at the pace of a machine. */
const DRAINED_WITHIN_MS = 900 * SECOND_MS;
const SETTLED_WITHIN = `${PATIENCE_MS / SECOND_MS}s`;

/** Waits until the endpoint stands like that; looked at once a second, because each look counts events. */
export async function standing(
  { client }: ControlStage,
  endpoint: string,
  like: (detail: EndpointDetail) => boolean,
): Promise<EndpointDetail> {
  let lookedMs = 0;
  const look = async (): Promise<EndpointDetail | false> => {
    if (Date.now() - lookedMs < SECOND_MS) return false;
    lookedMs = Date.now();
    const detail = await patiently(async () => await client.endpoint(endpoint));
    return like(detail) && detail;
  };
  return await until(`${endpoint} stands as expected`, look, { withinMs: PATIENCE_MS });
}

/** Until a worker has seen each of them and put it on the lane. */
export async function untilHeld({ client }: ControlStage, events: readonly Accepted[]): Promise<void> {
  await inBatches(events, async ({ key }) => {
    const isHeld = async () => {
      const { state, deliveries } = await patiently(async () => await client.get(key));
      if (isTerminal(state)) throw new Error(`${key} was not held: it is ${state}`);
      return state === "held" && deliveries[0]?.waitingFor === "gate";
    };
    await until(`${key} is held`, isHeld, { withinMs: PATIENCE_MS });
  });
}

/** Each ends delivered: taken once, always under one key, and no request was made that is not on record. */
export async function deliveredOnce(
  stage: ControlStage,
  claim: string,
  events: readonly Accepted[],
): Promise<readonly Finding[]> {
  await untilTried(stage, events);
  const reports = await inBatches(events, async ({ id, key }) => ({
    subject: id,
    report: await patiently(async () => await stage.client.settled(key, { timeout: SETTLED_WITHIN })),
  }));
  const requests = stage.requestsByEvent();
  return reports.map(({ subject, report: { state, deliveries } }) => {
    const attempts = deliveries[0]?.attempts ?? [];
    const taken = attempts.filter(({ outcome }) => outcome === "delivered").length;
    // A lost attempt may have died before its request left; every other one made exactly one.
    const certain = attempts.filter(({ code }) => code !== "worker_lost").length;
    const made = requests.get(subject) ?? [];
    const keys = new Set(made.map(({ key }) => key)).size;
    const onRecord = made.length >= certain && made.length <= attempts.length;
    const holds = state === "delivered" && taken === 1 && keys === 1 && onRecord;
    const record = attempts.map(({ code }) => code).join(", ");
    return { claim, subject, holds, seen: `${state}, ${made.length} requests, ${keys} keys, ${record}` };
  });
}

/** Seen at the destination, so that nobody asks the server again and again while it has a drain to do. */
async function untilTried(stage: ControlStage, events: readonly Accepted[]): Promise<void> {
  let tried = 0;
  const allTried = (): boolean => {
    const ids = new Set(stage.destination.requests.map(({ headers }) => headers["ce-id"]));
    tried = events.filter(({ id }) => ids.has(id)).length;
    return tried === events.length;
  };
  await until(`each of ${events.length} events has been tried`, allTried, { withinMs: DRAINED_WITHIN_MS });
}

/** When something stands in the ledger for the last time, milliseconds since the epoch; NaN = it does not. */
export function lastMs({ ledger }: EndpointDetail, what: LedgerEvent): number {
  return Date.parse(ledger.findLast((entry) => entry.what === what)?.at ?? "");
}

/** What has been sent so long after a drain began: 4 a second at first, doubling eight times over the ramp. */
function paceOf(sinceMs: number, rampMs: number): number {
  return ((4 * rampMs) / SECOND_MS / (8 * Math.LN2)) * (2 ** ((8 * sinceMs) / rampMs) - 1);
}

/** The server shares a rate out, and each share may be taken at once: a second's worth, or a few at a low rate. */
function burstOf(sinceMs: number, rampMs: number): number {
  return Math.max(8, paceOf(sinceMs + SECOND_MS, rampMs) - paceOf(sinceMs, rampMs));
}

export interface Drain {
  /** Milliseconds since the epoch. */
  readonly openedMs: number;
  readonly rampMs: number;
  /** At most so many came before it. */
  readonly probes: number;
}

/** The requests of a drain, the probes before it included, never run ahead of its ramp. */
export function keepsToRamp(
  about: Pick<Finding, "claim" | "subject">,
  requestsMs: readonly number[],
  { openedMs, rampMs, probes }: Drain,
): Finding {
  const sinceMs = requestsMs.map((atMs) => Math.max(0, atMs - openedMs)).toSorted((left, right) => left - right);
  const inRamp = sinceMs.filter((ms) => ms < rampMs);
  const ahead = inRamp.map((ms, index) => index + 1 - probes - paceOf(ms, rampMs));
  const holds = inRamp.length > 0 && inRamp.every((ms, index) => (ahead[index] ?? 0) <= burstOf(ms, rampMs));
  const tookS = ((sinceMs.at(-1) ?? 0) / SECOND_MS).toFixed(1);
  const most = Math.max(0, ...ahead).toFixed(0);
  const figure = `${sinceMs.length} requests in ${tookS} s, at most ${most} ahead of the ramp`;
  return { ...about, holds, seen: figure, figure };
}
