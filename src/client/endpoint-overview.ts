/** The endpoints of a configuration, each with what visibility counts for it. */
import type { Endpoint } from "../config/config.ts";
import { displayUrl } from "../config/resolve-endpoint.ts";
import { entryOf, type GateEntry, type GateMap, OPEN_GATE } from "../delivery/gates/gate-entry.ts";
import { requireEndpoint } from "./endpoint-words.ts";
import { readRegistry } from "./gate-registry.ts";
import { countRuns, queryOf } from "./list-events.ts";
import type { Session } from "./session.ts";

/** What holds an endpoint, as every process knows it. */
export interface GateStatus {
  readonly state: GateEntry["state"];
  /** RFC 3339; null = until somebody acts, or it is open. */
  readonly until: string | null;
  /** A few attempts are let through to try it. */
  readonly probing: boolean;
  /** Open, what waits drains at a rising rate. */
  readonly ramping: boolean;
}

export interface EndpointOverview {
  readonly name: string;
  /** URL without secrets, the reference it comes from, or the handler. */
  readonly destination: string;
  readonly isolated: boolean;
  readonly idempotent: boolean;
  /** Events that have not ended and wait for nobody; eventually consistent, like the next three. */
  readonly inProgress: number;
  readonly awaitingApproval: number;
  readonly needsAttention: number;
  readonly delivered: number;
  /** What holds it; exact, no worker needed. */
  readonly gate: GateStatus;
}

/** All endpoints, or the one named; throws `unknown_endpoint`. */
export async function endpointOverviews(session: Session, name?: string): Promise<readonly EndpointOverview[]> {
  if (name !== undefined) requireEndpoint(session, name);
  const all = Object.values(session.config.endpoints);
  const wanted = name === undefined ? all : all.filter((endpoint) => endpoint.name === name);
  await session.prepared();
  const { gates } = await readRegistry(session);
  const overviews: EndpointOverview[] = [];
  for (let next = 0; next < wanted.length; next += AT_ONCE) {
    const batch = wanted.slice(next, next + AT_ONCE);
    overviews.push(...(await Promise.all(batch.map(async (endpoint) => await overviewOf(session, endpoint, gates)))));
  }
  return overviews;
}

/** A server bounds the lists and counts of a second, and each call has a deadline: not all of them at once. */
const AT_ONCE = 5;

async function overviewOf(session: Session, endpoint: Endpoint, gates: GateMap): Promise<EndpointOverview> {
  const { name, isolated, idempotent } = endpoint;
  const counts = await countsOf(name, async (query) => await countRuns(session, query));
  return { name, destination: displayUrl(endpoint), isolated, idempotent, ...counts, gate: gateStatus(gates, name) };
}

type Counts = Pick<EndpointOverview, "inProgress" | "awaitingApproval" | "needsAttention" | "delivered">;

/** Side by side: each has a deadline of its own. A server groups by no attribute of ours, so they stay four. */
export async function countsOf(endpoint: string, ask: (query: string) => Promise<number>): Promise<Counts> {
  const [inProgress, awaitingApproval, needsAttention, delivered] = await Promise.all([
    ask(queryOf({ endpoint, state: "in-progress" })),
    ask(queryOf({ endpoint, state: "awaiting-approval" })),
    ask(queryOf({ endpoint, state: "needs-attention" })),
    ask(queryOf({ endpoint, state: "delivered" })),
  ]);
  return { inProgress, awaitingApproval, needsAttention, delivered };
}

export function gateStatus(gates: GateMap, endpoint: string): GateStatus {
  const { state, until, probing, ramping } = entryOf(gates, endpoint) ?? OPEN_GATE;
  return { state, until, probing: probing !== undefined, ramping: ramping === true };
}
