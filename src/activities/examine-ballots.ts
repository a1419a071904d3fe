/** Who decided: people, groups and signatures are read at the moment a decision is judged. */
import type { Examination, ExamineInput } from "../delivery/activity-shapes.ts";
import type { ActivityDependencies } from "./dependencies.ts";
import { ownEvent } from "./own-event.ts";

/**
 * The activity body. The rules are those of the proposal: they are part of its digest, and
 * where the configuration asks by others, the digest differs and people are asked anew.
 */
export async function examineBallots(deps: ActivityDependencies, input: ExamineInput): Promise<Examination> {
  const { endpoint, revision, amendment = null, ballots, key, rules } = input;
  const event = await ownEvent(deps, input.event);
  const order = { event, endpoint, revision, amendment };
  const planned = deps.routing.delivery(order);
  if (planned.kind === "withheld") return planned;
  const rights = deps.routing.rights({ rules, ballots, key, endpoint, revision });
  if (planned.draft === null || planned.draft.digest === input.digest)
    return { kind: "examined", endpoint, digest: input.digest, rights };
  const anew = deps.routing.delivery({ ...order, revision: input.nextRevision });
  if (anew.kind === "withheld" || anew.draft === null)
    return { kind: "examined", endpoint, digest: input.digest, rights };
  return { kind: "examined", endpoint, digest: input.digest, rights, changed: anew.draft };
}
