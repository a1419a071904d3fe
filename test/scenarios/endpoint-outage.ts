/**
 * An endpoint answers 503 to everything for a while, under steady traffic and before two workers; then it recovers.
 * `count` = seconds of the outage.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { EndpointDetail } from "../../src/client/endpoint-detail.ts";
import { SECOND_MS } from "../../src/delivery/durations.ts";
import { type Accepted, type ControlStage, openControlStage } from "../support/control-stage.ts";
import { inBatches } from "../support/in-batches.ts";
import { patiently } from "../support/patiently.ts";
import { deliveredOnce, keepsToRamp, lastMs, PROBES, standing } from "./control-findings.ts";
import { type Finding, same, type Scenario, type Scene } from "./finding.ts";
import { naiveRequests, type Outage } from "./naive-sender.ts";

const FEW =
  "during its outage it gets a small share of the requests that a sender of five tries without a circuit makes";
const DELIVERED = "every event is delivered after its recovery, taken once and under one key";
const UNPARKED = "no delivery is parked, although each has no more than five tries";
const DRAINED = "after its recovery a few probes come first, and what has waited at a rising rate";
const WRITTEN = "that it tripped, which probes failed and that it opened stands in its ledger";

const CRM = "crm";
const WORKERS = 2;
/** Before the outage, and after it. */
const HEALTHY_MS = 2 * SECOND_MS;

export interface OutageSize {
  readonly perSecond: number;
  /** Of the naive sender's requests, at most. */
  readonly share: number;
  /** How long the circuit stays open at first. */
  readonly openS: number;
}

export function endpointOutage(size: OutageSize): Scenario {
  return {
    claims: [FEW, DELIVERED, UNPARKED, DRAINED, WRITTEN],
    async play(scene) {
      // As many tries as the other sender has, with the same waits between them.
      const crm = { retry: "quick", circuit: { open: `${size.openS}s` } } as const;
      const stage = await openControlStage({ endpoints: { [CRM]: crm } });
      try {
        return await play(stage, size, scene);
      } finally {
        await stage.close();
      }
    },
  };
}

async function play(stage: ControlStage, size: OutageSize, { count, say }: Scene): Promise<readonly Finding[]> {
  await Promise.all(Array.from({ length: WORKERS }, async () => await stage.startWorker()));
  const traffic = stage.submitSteadily(CRM, size.perSecond);
  const outage = await goThrough(stage, count * SECOND_MS);
  const events = await traffic.stop();
  const during = requestsIn(stage, outage);
  say(`${events.length} events are accepted, ${during} requests were made during the outage`);
  const delivered = await deliveredOnce(stage, DELIVERED, events);
  const detail = await standing(stage, CRM, ({ gate }) => gate.state === "open" && !gate.ramping);
  say(`all are delivered: ${whatsOf(detail).join(", ")}`);
  return [
    few(size, {
      during,
      naive: naiveRequests(
        events.map(({ atMs }) => atMs),
        outage,
      ),
    }),
    ...delivered,
    ...(await inBatches(events, async (event) => await unparked(stage, event))),
    drained(stage, size, detail),
    written(detail),
  ];
}

/** Healthy, down, healthy again; the traffic goes on all the time. */
async function goThrough({ destination }: ControlStage, forMs: number): Promise<Outage> {
  await pause(HEALTHY_MS);
  destination.script(`/${CRM}`, () => ({ status: 503 }));
  const fromMs = Date.now();
  await pause(forMs);
  destination.script(`/${CRM}`, []);
  const toMs = Date.now();
  await pause(HEALTHY_MS);
  return { fromMs, toMs };
}

function requestsIn(stage: ControlStage, { fromMs, toMs }: Outage): number {
  return stage.requestsTo(CRM).filter(({ atMs }) => atMs >= fromMs && atMs < toMs).length;
}

function few({ share }: OutageSize, { during, naive }: { readonly during: number; readonly naive: number }): Finding {
  const percent = ((100 * during) / naive).toFixed(1);
  const figure = `${during} requests, that sender ${naive}: ${percent} % (at most ${100 * share} %)`;
  return { claim: FEW, subject: CRM, holds: during > 0 && during <= share * naive, seen: figure, figure };
}

/** Whoever is parked stays so until somebody speaks, and nobody does. */
async function unparked({ client }: ControlStage, { id, key }: Accepted): Promise<Finding> {
  const { deliveries } = await patiently(async () => await client.get(key));
  const seen = deliveries.map(({ attention, resolutions }) => [attention, resolutions.length]);
  return same({ claim: UNPARKED, subject: id }, seen, [[null, 0]]);
}

function drained(stage: ControlStage, { openS }: OutageSize, detail: EndpointDetail): Finding {
  const probedMs = lastMs(detail, "probing");
  const requestsMs = stage.requestsTo(CRM).flatMap(({ atMs }) => (atMs >= probedMs ? [atMs] : []));
  const drain = { openedMs: lastMs(detail, "opened"), rampMs: openS * SECOND_MS, probes: WORKERS * PROBES };
  return keepsToRamp({ claim: DRAINED, subject: CRM }, requestsMs, drain);
}

/** One trip, as many failed bursts as the outage has seen, and the one that opened it. */
function written(detail: EndpointDetail): Finding {
  const whats = whatsOf(detail);
  const failed = whats.filter((what) => what === "probe-failed").length;
  const bursts = Array.from({ length: failed }, () => ["probing", "probe-failed"]).flat();
  const figure = `bursts of probes that failed: ${failed}`;
  return { ...same({ claim: WRITTEN, subject: CRM }, whats, ["tripped", ...bursts, "probing", "opened"]), figure };
}

function whatsOf({ ledger }: EndpointDetail): readonly string[] {
  return ledger.map(({ what }) => what);
}
