/** Whether events that come in now would be taken and delivered. */
import { SECOND_MS } from "../delivery/durations.ts";
import { grpcFailure, GRPC_STATUS } from "../temporal/grpc-status.ts";
import { SEARCH_ATTRIBUTES } from "../temporal/search-attributes.ts";
import { countPollers } from "./pollers.ts";
import type { Session } from "./session.ts";

export interface Health {
  /** The Temporal server answers. */
  readonly temporal: boolean;
  /** All of ours are registered; false also when the server cannot be asked. */
  readonly searchAttributes: boolean;
  /** Workers that were seen polling for event workflows; 0 also when the server cannot be asked. */
  readonly workers: number;
}

const CALL_DEADLINE_MS = 3 * SECOND_MS;

/** Never throws: what cannot be asked is not there. */
export async function readHealth(session: Session): Promise<Health> {
  const [attributes, workers] = await Promise.all([askAttributes(session), askPollers(session)]);
  return { temporal: attributes !== "silence", searchAttributes: attributes === "there", workers: workers ?? 0 };
}

/** A query that names them is refused only when one is not there. */
async function askAttributes({ client }: Session): Promise<"there" | "missing" | "silence"> {
  const query = SEARCH_ATTRIBUTES.map(({ name }) => `${name} IS NULL`).join(" AND ");
  try {
    await client.withDeadline(Date.now() + CALL_DEADLINE_MS, async () => await client.workflow.count(query));
    return "there";
  } catch (error) {
    return grpcFailure(error)?.status === GRPC_STATUS.invalidArgument ? "missing" : "silence";
  }
}

/** Workers seen polling for event workflows; 0 also when the server cannot be asked. */
export async function countWorkers(session: Session): Promise<number> {
  return (await askPollers(session)) ?? 0;
}

async function askPollers({ client, config }: Session): Promise<number | null> {
  const { namespace } = client.options;
  const request = { namespace, taskQueue: { name: config.temporal.taskQueue } };
  try {
    const { pollers } = await client.withDeadline(
      Date.now() + CALL_DEADLINE_MS,
      async () => await client.workflowService.describeTaskQueue(request),
    );
    return countPollers(pollers, Date.now());
  } catch {
    return null;
  }
}
