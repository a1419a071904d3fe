/** The words a person reads in the Temporal UI: summaries of activities and timers, and the current details. */
import type { Way } from "./attempt.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "./durations.ts";
import type { DeliveryStatus, EventState } from "./event-state.ts";
import type { RetryWait } from "./progress.ts";

/** Temporal shows one line; the server takes at most 400 bytes. */
const MAX_SUMMARY = 200;

export function attemptSummary(facts: {
  readonly endpoint: string;
  readonly number: number;
  readonly via: Way;
}): string {
  const place = facts.via === "lane" ? " (by its lane)" : "";
  return oneLine(`attempt ${facts.number} to ${facts.endpoint}${place}`);
}

export function waitSummary(endpoint: string, nextNumber: number, wait: RetryWait): string {
  const why = wait.why === "retry-after" ? "as its Retry-After asks" : "by the retry policy";
  return oneLine(`${endpoint}: wait ${durationText(wait.delayMs)} ${why}, then attempt ${nextNumber}`);
}

/** `1 h 5 min`, `2.3 s`: two units at most, rounded up so that a wait never reads shorter than it is. */
export function durationText(durationMs: number): string {
  if (durationMs < MINUTE_MS) return `${Math.ceil(durationMs / 100) / 10} s`;
  if (durationMs < HOUR_MS) return twoUnits(durationMs, [MINUTE_MS, "min"], [SECOND_MS, "s"]);
  return twoUnits(durationMs, [HOUR_MS, "h"], [MINUTE_MS, "min"]);
}

type Unit = readonly [sizeMs: number, name: string];

function twoUnits(durationMs: number, [largeMs, large]: Unit, [smallMs, small]: Unit): string {
  const total = Math.ceil(durationMs / smallMs) * smallMs;
  const rest = Math.round((total % largeMs) / smallMs);
  const whole = Math.floor(total / largeMs);
  return rest === 0 ? `${whole} ${large}` : `${whole} ${large} ${rest} ${small}`;
}

/** Markdown for the Temporal UI: where the event stands, and what a person can do about it. */
export function detailsOf(state: EventState): string {
  const head = `**${code(state.type)}** ${code(state.key)}: ${state.state}`;
  return [head, ...state.deliveries.map(deliveryDetails)].join("\n\n");
}

function deliveryDetails(delivery: DeliveryStatus): string {
  const last =
    delivery.lastCode === null ? "no attempt yet" : `${delivery.attemptCount} attempt(s), last ${delivery.lastCode}`;
  const next = delivery.nextAt === null ? "" : `, next at ${delivery.nextAt}`;
  const line = `- **${delivery.endpoint}**: ${delivery.state} (${last}${next})`;
  if (delivery.attention === null) return line;
  const signal = `Send signal \`replay\`, \`discard\` or \`mark-delivered\` with \`{"actor":"you@example.com","reason":"…","delivery":"${delivery.endpoint}"}\`.`;
  return `${line}\n  ${delivery.attention.reason}: ${delivery.attention.advice} ${signal}`;
}

function code(text: string): string {
  return `\`${text.replaceAll("`", "'")}\``;
}

function oneLine(text: string): string {
  return text.length <= MAX_SUMMARY ? text : `${text.slice(0, MAX_SUMMARY - 1)}…`;
}
