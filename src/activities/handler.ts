/** Handlers: endpoints that are functions of ours, `name@version`, run inside a worker. */
import type { BusinessEvent } from "../delivery/event.ts";

export interface HandlerContext {
  readonly event: BusinessEvent;
  /** Aborted at the endpoint's total time-out and when the worker must stop. */
  readonly signal: AbortSignal;
  /** Equal on every attempt and replay of this delivery. */
  readonly idempotencyKey: string;
  /** Counts from 1 over the whole delivery; in a lookup, the attempt it is about. */
  readonly attempt: number;
}

export interface HandlerReceipt {
  /** Kept with the attempt when it is at most 200 visible ASCII characters; nothing else of the result is. */
  readonly reference?: string;
}

/** What a handler answers that is asked as a lookup, after an attempt whose outcome is uncertain. */
export interface LookupReceipt extends HandlerReceipt {
  /** True = the effect is there, false = it certainly is not and will not come; null = cannot tell. */
  readonly delivered: boolean | null;
}

type HandlerResult = HandlerReceipt | LookupReceipt | undefined | void;

// The input is whatever JSON the event carries: each handler names the shape it expects.
export type HandlerFunction<Input = unknown> = (
  input: Input,
  context: HandlerContext,
) => Promise<HandlerResult> | HandlerResult;

export interface Handler {
  readonly name: string;
  readonly version: string;
  readonly run: HandlerFunction<never>;
}

/**
 * Declares a handler.
 *
 * A thrown error is retried as the endpoint's policy says; throw
 * `NonRetryableError` to refuse for good. Its message stays in the worker's log.
 *
 * @example
 * const refund = handler("refund", "1", async (input: { amount: number }, { idempotencyKey }) => {
 *   return { reference: await payments.refund(input.amount, idempotencyKey) };
 * });
 */
export function handler<Input>(name: string, version: string, run: HandlerFunction<Input>): Handler {
  return { name, version, run };
}

/** The handler failed this time; `retryAfterMs` is honored like a Retry-After. */
export class RetryableError extends Error {
  override readonly name = "RetryableError";
  readonly retryAfterMs: number | null;

  constructor(message: string, options: { readonly retryAfterMs?: number; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}

/** The handler refuses this event for good: the delivery parks with reason `handler-refused`. */
export class NonRetryableError extends Error {
  override readonly name = "NonRetryableError";
}
