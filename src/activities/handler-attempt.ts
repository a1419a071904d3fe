/** One attempt at a handler: what it returned or threw, as an outcome. */
import type { AttemptRecord } from "../delivery/attempt.ts";
import { membersOf } from "../delivery/message-members.ts";
import { type Handler, type HandlerContext, NonRetryableError, RetryableError } from "./handler.ts";

export interface HandlerRun {
  readonly handler: Handler;
  readonly input: unknown;
  readonly context: Omit<HandlerContext, "signal">;
  readonly totalMs: number;
  readonly stopping: AbortSignal;
}

export interface HandlerCall extends HandlerRun {
  readonly idempotent: boolean;
  /** Gets the error; nothing of it goes anywhere else. */
  onError(error: unknown): void;
}

export type HandlerVerdict = Pick<AttemptRecord, "outcome" | "certainty" | "code" | "reference" | "retryAfterMs">;

/** One attempt at the handler; never throws. */
export async function callHandler(call: HandlerCall): Promise<HandlerVerdict> {
  const settled = await runHandler(call);
  switch (settled.how) {
    case "not-begun":
      return { outcome: "canceled", certainty: "not-sent", code: "canceled" };
    case "returned":
      return delivered(settled.receipt);
    case "threw":
      return failed(call, settled.error);
    case "cut":
      return { outcome: "uncertain", certainty: "unknown", code: settled.code };
  }
}

type HandlerEnd =
  | Exclude<Settled, { how: "cut" }>
  | { readonly how: "not-begun" }
  | { readonly how: "cut"; readonly code: "timeout_total" | "canceled" };

/** Runs the handler until it settles, its time is up or the worker must stop; never throws. */
export async function runHandler(call: HandlerRun): Promise<HandlerEnd> {
  if (call.stopping.aborted) return { how: "not-begun" };
  const deadline = AbortSignal.timeout(call.totalMs);
  const signal = AbortSignal.any([deadline, call.stopping]);
  const { promise: cut, stop } = whenAborted(signal);
  try {
    const settled = await Promise.race([settle(call, signal), cut]);
    if (settled.how !== "cut") return settled;
    return { how: "cut", code: deadline.aborted ? "timeout_total" : "canceled" };
  } finally {
    stop();
  }
}

type Settled =
  | { readonly how: "returned"; readonly receipt: unknown }
  | { readonly how: "threw"; readonly error: unknown }
  | { readonly how: "cut" };

async function settle({ handler, input, context }: HandlerRun, signal: AbortSignal): Promise<Settled> {
  try {
    // A handler declares the shape it expects; what arrives is what the producer sent.
    return { how: "returned", receipt: await handler.run(input as never, { ...context, signal }) };
  } catch (error) {
    return { how: "threw", error };
  }
}

function delivered(receipt: unknown): HandlerVerdict {
  const reference = receiptReference(receipt);
  const verdict = { outcome: "delivered", certainty: "answered", code: "handler_done" } as const;
  return reference === null ? verdict : { ...verdict, reference };
}

/** Null = none that may be kept. */
export function receiptReference(receipt: unknown): string | null {
  return quietly(() => referenceOf(receipt), null);
}

function referenceOf(receipt: unknown): string | null {
  const { reference } = membersOf(receipt);
  return typeof reference === "string" && /^[\x21-\x7e]{1,200}$/.test(reference) ? reference : null;
}

/** A plain error does not tell whether the effect happened; where that matters, it is uncertain. */
function failed(call: HandlerCall, error: unknown): HandlerVerdict {
  quietly(() => call.onError(error), undefined);
  const { refuses, asksAgain, retryAfterMs } = wishOf(error);
  if (refuses) return { outcome: "refused", certainty: "answered", code: "handler_refused" };
  const outcome = call.idempotent || asksAgain ? "retry" : "uncertain";
  const verdict = { outcome, certainty: "answered", code: "handler_failed" } as const;
  return retryAfterMs === null ? verdict : { ...verdict, retryAfterMs };
}

/** What a thrown error asks for, by its class. */
export function wishOf(error: unknown): {
  readonly refuses: boolean;
  readonly asksAgain: boolean;
  readonly retryAfterMs: number | null;
} {
  const refuses = quietly(() => hasName(error, NonRetryableError), false);
  const asksAgain = !refuses && quietly(() => hasName(error, RetryableError), false);
  const asked = asksAgain ? quietly(() => (error as RetryableError).retryAfterMs, null) : null;
  const retryAfterMs = asked !== null && Number.isFinite(asked) && asked > 0 ? Math.ceil(asked) : null;
  return { refuses, asksAgain, retryAfterMs };
}

/** A getter of a stranger's value may throw, and so may writing it to the log; the outcome stands: to throw here would call the handler again. */
export function quietly<T>(look: () => T, otherwise: T): T {
  try {
    return look();
  } catch {
    return otherwise;
  }
}

/** By name, so that an error of another copy of this package counts too. */
function hasName(error: unknown, kind: typeof RetryableError | typeof NonRetryableError): boolean {
  return error instanceof kind || (error instanceof Error && error.name === kind.name);
}

function whenAborted(signal: AbortSignal): { readonly promise: Promise<Settled>; stop(): void } {
  let onAbort = (): void => undefined;
  const promise = new Promise<Settled>((resolve) => {
    onAbort = () => resolve({ how: "cut" });
    signal.addEventListener("abort", onAbort, { once: true });
  });
  return { promise, stop: () => signal.removeEventListener("abort", onAbort) };
}
