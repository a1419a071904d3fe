/** Deliveries whose attempt waits on the lane of an endpoint that is held: only the registry knows. */
import { type DeliveryStateName, mostUrgent } from "../delivery/event-state.ts";
import { entryOf, type GateMap, isPassable } from "../delivery/gates/gate-entry.ts";
import { readRegistry } from "./gate-registry.ts";
import type { ReportedDelivery } from "./pending-work.ts";
import type { Session } from "./session.ts";

interface Report {
  readonly state: DeliveryStateName;
  readonly deliveries: readonly ReportedDelivery[];
}

/** The registry is asked only where an attempt waits to be taken up. */
export async function withHeldDeliveries<Found extends Report>(session: Session, report: Found): Promise<Found> {
  if (!report.deliveries.some(waitsToBegin)) return report;
  const { gates } = await readRegistry(session);
  const deliveries = report.deliveries.map((delivery) => withGate(delivery, gates));
  return { ...report, deliveries, state: mostUrgent(deliveries.map(({ state }) => state)) };
}

function waitsToBegin({ state, waitingFor }: ReportedDelivery): boolean {
  return state === "delivering" && waitingFor === "worker";
}

function withGate(delivery: ReportedDelivery, gates: GateMap): ReportedDelivery {
  const gate = entryOf(gates, delivery.endpoint);
  if (!waitsToBegin(delivery) || gate === null || isPassable(gate)) return delivery;
  return { ...delivery, state: "held", waitingFor: "gate" };
}
