/** From what a producer sent to an event that its key may send, under its configured source name. */
import { actorFor } from "../access/actor-for.ts";
import { allows } from "../access/allows.ts";
import type { ApiKey, Config } from "../config/config.ts";
import { resolveSource } from "../config/match-routes.ts";
import type { BusinessEvent } from "../delivery/event.ts";
import { forbidden } from "./authorize.ts";
import { type Problem, problemOf } from "./problem.ts";
import type { ServerContext } from "./server-context.ts";

export type Admission =
  | { readonly kind: "event"; readonly event: BusinessEvent }
  | { readonly kind: "refused"; readonly problem: Problem };

/** Never throws; a refusal is counted. */
export function admitEvent(
  { config, metrics, log }: Pick<ServerContext, "config" | "metrics" | "log">,
  key: ApiKey,
  read: () => BusinessEvent,
): Admission {
  const admission = judge(config, key, read);
  if (admission.kind === "refused") {
    metrics.ingested(null, "refused");
    log.warn({ keyId: key.id, code: admission.problem.code, via: "http" }, "event.refused");
  }
  return admission;
}

function judge(config: Config, key: ApiKey, read: () => BusinessEvent): Admission {
  try {
    return scoped(config, key, read());
  } catch (error) {
    return { kind: "refused", problem: problemOf(error) };
  }
}

function scoped(config: Config, key: ApiKey, event: BusinessEvent): Admission {
  const source = resolveSource(config, event.source);
  if (source === null) return { kind: "refused", problem: unknownSource(event) };
  const { name } = source;
  if (!allows(key, { do: "submit", source: name, type: event.type })) {
    const detail = `This key may not send events of type ${JSON.stringify(event.type)} from source ${name}.`;
    return { kind: "refused", problem: forbidden(detail) };
  }
  const { requestedBy: claimed, ...rest } = event;
  const requestedBy = actorFor(key, claimed);
  return { kind: "event", event: { ...rest, source: name, ...(requestedBy === null ? {} : { requestedBy }) } };
}

/** Without the list of those there are: a key shows what it may send, not what else is sent. */
function unknownSource({ source }: BusinessEvent): Problem {
  return { status: 422, code: "unknown_source", detail: `Source ${JSON.stringify(source)} is not configured.` };
}
