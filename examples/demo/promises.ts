/** What the demo promises, checked against the recorded state and against what the destination saw. */
import type { EventState } from "../../src/delivery/event-state.ts";
import type { AttemptRecord } from "../../src/delivery/attempt.ts";
import { type FirstAnswer, RETRY_AFTER_S } from "./answers.ts";
import { CUT_PATH, MOODY_PATH, REFUND_PATH, type SeenRequest } from "./destination.ts";

export interface DemoResult {
  readonly answer: FirstAnswer;
  /** The event whose first request meets `answer`. */
  readonly order: EventState;
  /** The event whose first answer is lost. */
  readonly invoice: EventState;
  /** The refund while it waited. */
  readonly proposed: EventState;
  /** Requests its endpoint had seen by then. */
  readonly sentBefore: number;
  /** The refund after a person approved it. */
  readonly refund: EventState;
  readonly requests: readonly SeenRequest[];
  readonly effects: Readonly<Record<string, number>>;
}

/** One fact of the demo and whether it held. */
export interface Promised {
  readonly claim: string;
  readonly kept: boolean;
}

export function checkPromises(result: DemoResult): readonly Promised[] {
  return [...firstEvent(result), ...lostAnswer(result), ...approvedRefund(result)];
}

function firstEvent({ answer, order, requests, effects }: DemoResult): readonly Promised[] {
  const seen = requests.filter(({ path }) => path === MOODY_PATH);
  switch (answer) {
    case "503":
    case "429":
      return [
        {
          claim: `the first attempt is answered ${answer}, the second 200`,
          kept: codesOf(order) === `http_${answer} http_200`,
        },
        {
          claim: `the second attempt comes at least ${RETRY_AFTER_S}.0 s after that answer`,
          kept: waitedMs(order, seen) >= RETRY_AFTER_S * 1000,
        },
        ...sentTwiceDoneOnce(order, seen, effects),
      ];
    case "timeout":
      return [
        {
          claim: "the first attempt ends at the time limit, the second with 200",
          kept: codesOf(order) === "timeout_total http_200",
        },
        ...sentTwiceDoneOnce(order, seen, effects),
      ];
    case "400": {
      const [delivery] = order.deliveries;
      return [
        {
          claim: "a 400 parks the delivery for a person, reason refused",
          kept: delivery?.attention?.reason === "refused",
        },
        {
          claim: "it was sent once and nothing was done",
          kept: seen.length === 1 && effects[delivery?.idempotencyKey ?? ""] === undefined,
        },
      ];
    }
  }
}

function lostAnswer({ invoice, requests, effects }: DemoResult): readonly Promised[] {
  const seen = requests.filter(({ path }) => path === CUT_PATH);
  const [first] = attemptsOf(invoice);
  return [
    { claim: "the lost answer is recorded as unknown, not as a failure to send", kept: first?.certainty === "unknown" },
    { claim: "the repeat gets the stored receipt", kept: seen.at(-1)?.answer === "200, the stored receipt" },
    ...sentTwiceDoneOnce(invoice, seen, effects),
  ];
}

function approvedRefund({ proposed, sentBefore, refund, requests, effects }: DemoResult): readonly Promised[] {
  const seen = requests.filter(({ path }) => path === REFUND_PATH);
  const [delivery] = refund.deliveries;
  const digest = proposed.deliveries[0]?.proposal?.digest ?? "";
  const [decision, ...others] = delivery?.decisions ?? [];
  const executedAt = delivery?.proposal?.executedAt ?? "";
  return [
    {
      claim: "the refund waits for a person, and nothing is sent before the decision",
      kept: proposed.state === "awaiting-approval" && sentBefore === 0,
    },
    {
      claim: "the record has who approved which digest, when, and when it was executed",
      kept:
        decision?.counted === true &&
        others.length === 0 &&
        decision.digest === digest &&
        digest !== "" &&
        decision.at <= executedAt,
    },
    {
      claim: `${refund.key}: delivered, executed once`,
      kept: refund.state === "delivered" && seen.length === 1 && effects[delivery?.idempotencyKey ?? ""] === 1,
    },
  ];
}

function sentTwiceDoneOnce(
  event: EventState,
  seen: readonly SeenRequest[],
  effects: Readonly<Record<string, number>>,
): readonly Promised[] {
  const key = event.deliveries[0]?.idempotencyKey ?? "";
  return [
    { claim: `${event.key}: delivered`, kept: event.state === "delivered" },
    {
      claim: `${event.key}: two requests, one key, one effect`,
      kept: seen.length === 2 && seen.every((one) => one.idempotencyKey === key) && effects[key] === 1,
    },
  ];
}

/** The shorter of two measurements: by the record, and by the destination's own clock. */
function waitedMs(event: EventState, seen: readonly SeenRequest[]): number {
  const [first, second] = attemptsOf(event);
  const [firstSeen, secondSeen] = seen;
  if (first === undefined || second === undefined || firstSeen === undefined || secondSeen === undefined) return 0;
  const byRecordMs = Date.parse(second.at) - Date.parse(first.at) - first.durationMs;
  return Math.min(byRecordMs, secondSeen.arrivedMs - (firstSeen.answeredMs ?? Number.POSITIVE_INFINITY));
}

function attemptsOf(event: EventState): readonly AttemptRecord[] {
  return event.deliveries[0]?.attempts ?? [];
}

function codesOf(event: EventState): string {
  return attemptsOf(event)
    .map(({ code }) => code)
    .join(" ");
}
