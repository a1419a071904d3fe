/** How the next attempt is executed: the three ways of `docs/architecture.md`, chosen by one function. */
import type { Way } from "./attempt.ts";
import type { DeliverySettings } from "./plan.ts";

export interface WayFacts {
  readonly settings: DeliverySettings;
  /** How many deliveries the event has. */
  readonly deliveries: number;
  /** Signals, updates and cancel requests the run has received so far. */
  readonly messages: number;
  /** An earlier attempt of this delivery went by another way, or was lost. */
  readonly leftLocal: boolean;
  /** A worker once refused it elsewhere: the endpoint's share was used up, or its gate not open. */
  readonly sentToLane: boolean;
}

/**
 * `local` only where nothing else can happen in the run: a message during a local
 * attempt that ends the run makes the server refuse the completion, and a local
 * attempt in flight blocks every other command of its run. Once a delivery has
 * left the local way it stays on regular activities.
 */
export function chooseWay(facts: WayFacts): Way {
  const { settings } = facts;
  if (settings.isolated || settings.lane || facts.sentToLane) return "lane";
  if (facts.deliveries > 1 || facts.messages > 0 || facts.leftLocal) return "direct";
  if (!settings.idempotent || settings.approval === true) return "direct";
  return "local";
}
