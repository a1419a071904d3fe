/** What tests of endpoints under control have in common: events, their requests, and how an endpoint stands. */
import type { EndpointDetail } from "../../src/client/endpoint-detail.ts";
import type { DestinationRequest } from "./destination.ts";
import type { Stage } from "./stage.ts";
import { uniqueName } from "./temporal.ts";
import { until } from "./until.ts";

export { requestsOf } from "./waiting-events.ts";

/** Workflows of endpoints are one per namespace, so their names are used once. */
export function ownEndpoint(name: string): string {
  return uniqueName(name).slice(0, 20);
}

/** Accepts one event for an endpoint; returns its key. */
export async function submitTo({ far }: Stage, endpoint: string): Promise<string> {
  const { key } = await far.submit({ source: "shop", id: uniqueName("evt"), type: endpoint, data: { total: 42 } });
  return key;
}

export async function submitMany(stage: Stage, endpoint: string, count: number): Promise<readonly string[]> {
  return await Promise.all(Array.from({ length: count }, async () => await submitTo(stage, endpoint)));
}

export function requestsTo({ destination }: Stage, endpoint: string): readonly DestinationRequest[] {
  return destination.requests.filter(({ path }) => path === `/${endpoint}`);
}

export async function allSettled({ far }: Stage, keys: readonly string[], timeout = "60s"): Promise<void> {
  await Promise.all(keys.map(async (key) => await far.settled(key, { timeout })));
}

/** Waits until each is held by its endpoint's gate. */
export async function allHeld({ far }: Stage, keys: readonly string[]): Promise<void> {
  await until("all are held", async () => {
    const reports = await Promise.all(keys.map(async (key) => await far.get(key)));
    return reports.every(({ state, deliveries }) => state === "held" && deliveries[0]?.waitingFor === "gate");
  });
}

/** Waits until the endpoint stands like that. */
export async function standing(
  { far }: Stage,
  endpoint: string,
  like: (detail: EndpointDetail) => boolean,
): Promise<EndpointDetail> {
  return await until(`${endpoint} stands as expected`, async () => {
    const detail = await far.endpoint(endpoint);
    return like(detail) && detail;
  });
}

export const isOpen = ({ gate }: EndpointDetail): boolean => gate.state === "open" && !gate.ramping;

export function whatsOf({ ledger }: EndpointDetail): readonly string[] {
  return ledger.map(({ what }) => what);
}
