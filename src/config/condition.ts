/** Asking a condition about an event: the event as conditions see it, and what they say of it. */
import { bodyOf, parseJsonBody } from "../delivery/body.ts";
import { contentTypeOf, isJsonContentType } from "../delivery/content-type.ts";
import type { BusinessEvent } from "../delivery/event.ts";
import type { When } from "./config.ts";
import { evaluateWhen } from "./evaluate-when.ts";

/** What a function did instead of answering true or false, worded to follow its place. */
export interface Trouble {
  readonly trouble: string;
  readonly cause?: unknown;
}

export type Answer = boolean | Trouble;

/** Never throws. */
export function askCondition(when: When, event: BusinessEvent): Answer {
  return typeof when === "function" ? call(when, event) : evaluateWhen(when, event);
}

/** On a copy, so that a predicate cannot change what is delivered. */
function call(when: (event: BusinessEvent) => unknown, event: BusinessEvent): Answer {
  try {
    const answer = when(structuredClone(event));
    if (typeof answer === "boolean") return answer;
    return { trouble: `must answer true or false, not a value of type ${typeof answer}` };
  } catch (cause) {
    const name = cause instanceof Error ? cause.name : typeof cause;
    return { trouble: `threw ${name} for an event of type ${JSON.stringify(event.type)}`, cause };
  }
}

/** As conditions see it: the source by its name, and JSON that travels as bytes parsed. */
export function readableEvent(event: BusinessEvent, sourceName: string): BusinessEvent {
  const named = { ...event, source: sourceName };
  if (event.data_base64 === undefined || !isJsonContentType(contentTypeOf(event))) return named;
  const data = parseJsonBody(bodyOf(event).bytes);
  if (data === undefined) return named;
  const { data_base64: _, ...rest } = named;
  return { ...rest, data };
}
