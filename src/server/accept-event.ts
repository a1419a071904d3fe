/** From an event to Temporal, within bounded time and with bounded company. Both doors go through here. */
import type { Receipt, SubmitOptions } from "../client/submit.ts";
import type { BusinessEvent } from "../delivery/event.ts";
import { type Problem, problemOf, unavailable } from "./problem.ts";
import type { ServerContext } from "./server-context.ts";
import type { IngestResult } from "../telemetry/metrics.ts";

export type Acceptance =
  /** Temporal has it: it survives any crash of ours. `receipt.duplicate`: it had it before. */
  { readonly kind: "safe"; readonly receipt: Receipt } | { readonly kind: "refused"; readonly problem: Problem };

/** Never throws. `event` carries its configured source name. */
export async function acceptEvent(
  server: ServerContext,
  event: BusinessEvent,
  options: SubmitOptions,
): Promise<Acceptance> {
  const acceptance = idProblem(event) ?? (await submitInTime(server, event, options));
  const result = resultOf(acceptance);
  server.metrics.ingested(event.source, result);
  const line = { source: event.source, id: event.id, type: event.type, via: options.via, result };
  if (acceptance.kind === "safe") server.log.info(line, "event.accepted");
  else server.log.warn({ ...line, code: acceptance.problem.code }, "event.refused");
  return acceptance;
}

/** Every client resolves them away in a path, so nobody could ever ask for such an event. */
function idProblem({ id }: BusinessEvent): Acceptance | null {
  if (id !== "." && id !== "..") return null;
  const detail = 'The ids "." and ".." are not accepted over HTTP: no path can name them.';
  return { kind: "refused", problem: { status: 400, code: "bad_id", detail } };
}

async function submitInTime(
  { capacity, countersign, limits, log }: ServerContext,
  event: BusinessEvent,
  options: SubmitOptions,
): Promise<Acceptance> {
  if (!capacity.enter()) return { kind: "refused", problem: unavailable("overloaded", TOO_MANY) };
  // The place is given back when the call ends, not when its caller has stopped waiting.
  const call = countersign.submit(event, options).finally(() => capacity.leave());
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<"too-late">((resolve) => {
    timer = setTimeout(() => resolve("too-late"), limits.acceptTimeMs);
  });
  try {
    const receipt = await Promise.race([call, tooLate]);
    if (receipt !== "too-late") return { kind: "safe", receipt };
    call.catch((error: unknown) => log.warn({ code: problemOf(error).code }, "event.late_failure"));
    return { kind: "refused", problem: unavailable("temporal_unreachable", TOO_LATE) };
  } catch (error) {
    const problem = problemOf(error);
    if (problem.code === "internal") log.error({ err: error }, "event.failed");
    return { kind: "refused", problem };
  } finally {
    clearTimeout(timer);
  }
}

const TOO_MANY = "Too many events are on their way to Temporal; nothing was started. Send it again.";
const TOO_LATE =
  "Temporal did not answer in time, so the event is not known to be safe. Send it again: the same event is never started twice.";

function resultOf(acceptance: Acceptance): IngestResult {
  if (acceptance.kind === "safe") return acceptance.receipt.duplicate ? "duplicate" : "accepted";
  const { code, status } = acceptance.problem;
  if (code === "conflict") return "conflict";
  if (code === "no_route") return "unrouted";
  return status >= 500 ? "unavailable" : "refused";
}
