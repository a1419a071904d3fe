/** Who gets an event: the one question asked of a configuration at run time. */
import { bodyOf, parseJsonBody } from "../delivery/body.ts";
import { contentTypeOf, isJsonContentType } from "../delivery/content-type.ts";
import type { BusinessEvent } from "../delivery/event.ts";
import { CountersignError } from "../errors.ts";
import type { Config, Route, Source, When } from "./config.ts";
import { evaluateWhen } from "./evaluate-when.ts";
import { matchesTypePattern } from "./event-type-pattern.ts";
import { RESERVED_SOURCE } from "./names.ts";

/** The type of the synthetic event that `test ENDPOINT` sends; its subject names the endpoint. */
export const TEST_EVENT_TYPE = "countersign.test";

const OWN_SOURCE: Source = Object.freeze({ name: RESERVED_SOURCE, aliases: Object.freeze([]) });

/** Finds a source by its name or one of its aliases; null = not configured. `countersign` is always there. */
export function resolveSource(config: Config, sourceOrAlias: string): Source | null {
  if (sourceOrAlias === RESERVED_SOURCE) return OWN_SOURCE;
  if (Object.hasOwn(config.sources, sourceOrAlias)) return config.sources[sourceOrAlias] ?? null;
  return Object.values(config.sources).find((source) => source.aliases.includes(sourceOrAlias)) ?? null;
}

/**
 * The names of the endpoints an event goes to: each once, in the order of the configuration's `endpoints`; empty = no route.
 *
 * An event of the source `countersign` goes nowhere, but for the synthetic
 * `countersign.test`, which goes to the endpoint its subject names and to no other.
 * Throws `config_invalid` naming the route when a `when` function throws or
 * answers anything but true or false.
 */
export function matchRoutes(config: Config, event: BusinessEvent): readonly string[] {
  const source = resolveSource(config, event.source);
  if (source === null) return [];
  if (source === OWN_SOURCE) return matchTestEvent(config, event);
  const seen = readable(event, source);
  const chosen = new Set(
    config.routes.flatMap((route, index) => (matchesRoute(config, { route, index }, seen) ? route.to : [])),
  );
  return Object.keys(config.endpoints).filter((name) => chosen.has(name));
}

function matchTestEvent(config: Config, event: BusinessEvent): readonly string[] {
  const { subject, synthetic, type } = event;
  const isTest = synthetic === true && type === TEST_EVENT_TYPE && subject !== undefined;
  return isTest && Object.hasOwn(config.endpoints, subject) ? [subject] : [];
}

interface NumberedRoute {
  readonly route: Route;
  readonly index: number;
}

function matchesRoute(config: Config, { route, index }: NumberedRoute, event: BusinessEvent): boolean {
  const { source, type, when } = route.match;
  if (source !== undefined && resolveSource(config, source)?.name !== event.source) return false;
  if (type !== undefined && !matchesTypePattern(type, event.type)) return false;
  return when === undefined || holds(when, { event, place: `routes[${index}].match.when` });
}

function holds(when: When, { event, place }: { readonly event: BusinessEvent; readonly place: string }): boolean {
  if (typeof when !== "function") return evaluateWhen(when, event);
  const answer = call(when, { event, place });
  if (typeof answer === "boolean") return answer;
  throw new CountersignError(
    "config_invalid",
    `The function ${place} must answer true or false, not a value of type ${typeof answer}.`,
    {
      details: { path: place },
    },
  );
}

/** On a copy, so that a predicate cannot change what is delivered. */
function call(
  when: (event: BusinessEvent) => boolean,
  { event, place }: { readonly event: BusinessEvent; readonly place: string },
): unknown {
  try {
    return when(structuredClone(event));
  } catch (cause) {
    const name = cause instanceof Error ? cause.name : typeof cause;
    throw new CountersignError(
      "config_invalid",
      `The function ${place} threw ${name} for an event of type ${JSON.stringify(event.type)}.`,
      {
        cause,
        details: { path: place },
      },
    );
  }
}

/** As conditions see it: the source by its name, and JSON that travels as bytes parsed. */
function readable(event: BusinessEvent, source: Source): BusinessEvent {
  const named = { ...event, source: source.name };
  if (event.data_base64 === undefined || !isJsonContentType(contentTypeOf(event))) return named;
  const data = parseJsonBody(bodyOf(event).bytes);
  if (data === undefined) return named;
  const { data_base64: _, ...rest } = named;
  return { ...rest, data };
}
