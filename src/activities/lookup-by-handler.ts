/** A lookup by a handler: it answers `{ delivered: true | false | null, reference? }`. */
import { membersOf } from "../delivery/message-members.ts";
import { eventKey } from "../delivery/names.ts";
import { CountersignError } from "../errors.ts";
import type { ActivityDependencies } from "./dependencies.ts";
import { quietly, receiptReference, runHandler, wishOf } from "./handler-attempt.ts";
import { inputOf } from "./make-attempt.ts";
import type { DueLookup, LookupAnswered } from "./reconcile-delivery.ts";

/** Throws `handler_missing`: another worker may have it. */
export async function askHandler(
  deps: ActivityDependencies,
  { event, endpoint, number, settings, signal }: DueLookup,
  reference: string,
): Promise<LookupAnswered> {
  const handler = deps.handlers.get(reference);
  if (handler === undefined)
    throw new CountersignError(
      "handler_missing",
      `Endpoint ${endpoint} needs handler ${reference} to look up what became of an attempt, which this worker does not have`,
    );
  const { idempotencyKey, totalMs } = settings;
  const context = { event, idempotencyKey, attempt: number };
  const end = await runHandler({ handler, input: inputOf(event), context, totalMs, stopping: signal });
  switch (end.how) {
    case "not-begun":
      return { found: "unclear", code: "canceled", retryAfterMs: null };
    case "cut":
      return { found: "unclear", code: end.code, retryAfterMs: null };
    case "threw": {
      const key = eventKey(event.source, event.id);
      quietly(() => deps.log.handlerFailed({ key, handler: reference, error: end.error }), undefined);
      const { refuses, retryAfterMs } = wishOf(end.error);
      return { found: "unclear", code: refuses ? "handler_refused" : "handler_failed", retryAfterMs };
    }
    case "returned":
      return answered(end.receipt);
  }
}

function answered(receipt: unknown): LookupAnswered {
  const delivered = quietly(() => deliveredOf(receipt), null);
  const reference = receiptReference(receipt);
  const facts = { code: "handler_done", ...(reference === null ? {} : { reference }), retryAfterMs: null } as const;
  if (delivered === null) return { found: "unclear", ...facts };
  return { found: delivered ? "delivered" : "absent", ...facts };
}

/** Anything but a plain yes or no cannot tell. */
function deliveredOf(receipt: unknown): boolean | null {
  const { delivered } = membersOf(receipt);
  return typeof delivered === "boolean" ? delivered : null;
}
