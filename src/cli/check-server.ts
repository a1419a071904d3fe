/** What `doctor` asks a Temporal server. It changes nothing there. */
import type { Config } from "../config/config.ts";
import { SECOND_MS } from "../delivery/durations.ts";
import { isCountersignError } from "../errors.ts";
import type { Connected } from "../temporal/connect.ts";
import { grpcFailure, GRPC_STATUS } from "../temporal/grpc-status.ts";
import { SEARCH_ATTRIBUTES } from "../temporal/search-attributes.ts";
import { checkServer, type ServerCheck } from "../temporal/server-check.ts";
import { type Check, fail, ok, warn } from "./check.ts";
import { exitCodeOf } from "./exit-code.ts";

type Client = Connected<unknown>["client"];
const CALL_DEADLINE_MS = 10 * SECOND_MS;
/** A poll lasts a minute; a poller not seen for longer has left, although the server still lists it. */
const POLLER_SEEN_MS = 75 * SECOND_MS;

export async function checkTemporal(
  config: Config,
  { client, address, namespace }: Pick<Connected<unknown>, "client" | "address" | "namespace">,
): Promise<readonly Check[]> {
  const reached = ok("temporal", `${address} answers, namespace ${namespace}`);
  const { taskQueue } = config.temporal;
  try {
    const server = await checkServer(client, { namespace, taskQueue, dedupeWindowMs: config.dedupeWindowMs });
    return [
      reached,
      ...serverChecks(server),
      await checkAttributes(client, namespace),
      await checkPollers(client, { namespace, taskQueue }),
    ];
  } catch (error) {
    if (!isCountersignError(error)) throw error;
    return [reached, fail("server", error.message, exitCodeOf(error.code, "doctor"))];
  }
}

/** The sentences are those a worker logs at its start. */
function serverChecks({ serverVersion, taskQueueConfig, warnings }: ServerCheck): readonly Check[] {
  const retention = warnings.filter((sentence) => sentence.includes("dedupeWindow"));
  const others = warnings.filter((sentence) => !retention.includes(sentence));
  return [
    ok("server version", serverVersion),
    ...(taskQueueConfig ? [ok("task queue rates", "accepted: gates and limits.rate hold on the server")] : []),
    ...others.map((sentence) => warn("task queue rates", sentence)),
    ...(retention.length === 0
      ? [ok("retention", "finished events are kept at least as long as the dedupeWindow")]
      : []),
    ...retention.map((sentence) => warn("retention", sentence)),
  ];
}

/** A query that names them is refused only when one is not there. */
async function checkAttributes(client: Client, namespace: string): Promise<Check> {
  const name = "search attributes";
  const query = SEARCH_ATTRIBUTES.map((attribute) => `${attribute.name} IS NULL`).join(" AND ");
  try {
    await client.withDeadline(Date.now() + CALL_DEADLINE_MS, async () => await client.workflow.count(query));
    return ok(name, "registered");
  } catch (error) {
    if (grpcFailure(error)?.status !== GRPC_STATUS.invalidArgument) throw error;
    const flags = SEARCH_ATTRIBUTES.map((attribute) => `--name ${attribute.name} --type ${attribute.type}`).join(" ");
    return warn(
      name,
      `not all are registered; the first worker or send does it where it may, else run \`temporal operator search-attribute create --namespace ${namespace} ${flags}\``,
    );
  }
}

async function checkPollers(
  client: Client,
  { namespace, taskQueue }: { readonly namespace: string; readonly taskQueue: string },
): Promise<Check> {
  const answer = await client.withDeadline(
    Date.now() + CALL_DEADLINE_MS,
    async () => await client.workflowService.describeTaskQueue({ namespace, taskQueue: { name: taskQueue } }),
  );
  const since = Date.now() - POLLER_SEEN_MS;
  const alive = (answer.pollers ?? []).filter(
    ({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * SECOND_MS >= since,
  );
  if (alive.length === 0)
    return warn(
      "worker",
      `none polls task queue ${taskQueue}, so nothing is delivered: start one with \`countersign worker\``,
    );
  return ok(
    "worker",
    `${alive.length} polling task queue ${taskQueue}: ${alive.map(({ identity }) => identity ?? "?").join(", ")}`,
  );
}
