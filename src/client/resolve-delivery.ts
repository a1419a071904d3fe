/** A person's word on what becomes of a delivery: replay, discard, mark delivered, amend, hurry, hold, release. */
import type { ResolutionAction, Verdict } from "../delivery/event-state.ts";
import { type AmendArgument, resolveUpdate } from "../workflows/messages.ts";
import { sayWord } from "./say-word.ts";
import type { Session } from "./session.ts";

export interface ResolutionOrder extends AmendArgument {
  readonly action: ResolutionAction;
}

/** Says it and returns whether it counted; throws as `sayWord` does. A run that has just ended answers `already-ended`. */
export async function resolveDelivery(session: Session, key: string, order: ResolutionOrder): Promise<Verdict> {
  return await sayWord(session, key, {
    update: resolveUpdate,
    argument: { v: 1, ...order },
    tooLate: async () => await Promise.resolve("already-ended"),
  });
}
