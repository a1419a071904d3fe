/** The endpoints of a configuration, each with what visibility counts for it. */
import { displayUrl } from "../config/resolve-endpoint.ts";
import { CountersignError } from "../errors.ts";
import { queryOf } from "./list-events.ts";
import { type Session, withDeadline } from "./session.ts";

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
}

/** All endpoints, or the one named; throws `unknown_endpoint`. */
export async function endpointOverviews(session: Session, name?: string): Promise<readonly EndpointOverview[]> {
  const all = Object.values(session.config.endpoints);
  const wanted = name === undefined ? all : all.filter((endpoint) => endpoint.name === name);
  if (wanted.length === 0 && name !== undefined) {
    const known = all.map((endpoint) => endpoint.name).join(", ") || "none";
    throw new CountersignError(
      "unknown_endpoint",
      `There is no endpoint ${JSON.stringify(name)}; the configured ones are: ${known}`,
    );
  }
  await session.prepared();
  return await Promise.all(
    wanted.map(async (endpoint) => ({
      name: endpoint.name,
      destination: displayUrl(endpoint),
      isolated: endpoint.isolated,
      idempotent: endpoint.idempotent,
      inProgress: await count(session, queryOf({ endpoint: endpoint.name, state: "in-progress" })),
      awaitingApproval: await count(session, queryOf({ endpoint: endpoint.name, state: "awaiting-approval" })),
      needsAttention: await count(session, queryOf({ endpoint: endpoint.name, state: "needs-attention" })),
      delivered: await count(session, queryOf({ endpoint: endpoint.name, state: "delivered" })),
    })),
  );
}

async function count(session: Session, query: string): Promise<number> {
  const { count: found } = await withDeadline(session, () => session.client.workflow.count(query));
  return found;
}
