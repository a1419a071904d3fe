/** Who gets an event: the one question asked of a configuration at run time. */
import type { BusinessEvent } from "../delivery/event.ts";
import { CountersignError } from "../errors.ts";
import { type Answer, askCondition, readableEvent, type Trouble } from "./condition.ts";
import type { Config, Route, Source } from "./config.ts";
import { matchesTypePattern } from "./event-type-pattern.ts";
import { RESERVED_SOURCE } from "./names.ts";
import { isNoticeEvent, isTestEvent } from "./own-events.ts";

const OWN_SOURCE: Source = Object.freeze({
  name: RESERVED_SOURCE,
  aliases: Object.freeze([]),
  verify: null,
  idFrom: null,
});

/** Finds a source by its name or one of its aliases; null = not configured. `countersign` is always there. */
export function resolveSource(config: Config, sourceOrAlias: string): Source | null {
  if (sourceOrAlias === RESERVED_SOURCE) return OWN_SOURCE;
  if (Object.hasOwn(config.sources, sourceOrAlias)) return config.sources[sourceOrAlias] ?? null;
  return Object.values(config.sources).find((source) => source.aliases.includes(sourceOrAlias)) ?? null;
}

/**
 * The names of the endpoints an event goes to: each once, in the order of the configuration's `endpoints`; empty = no route.
 *
 * An event of the source `countersign` goes nowhere, but for the synthetic `countersign.test`
 * and notices about approvals, which go to the endpoint their subject names and to no other.
 * Throws `config_invalid` naming the route when a `when` function throws or
 * answers anything but true or false.
 */
export function matchRoutes(config: Config, event: BusinessEvent): readonly string[] {
  const source = resolveSource(config, event.source);
  if (source === null) return [];
  if (source === OWN_SOURCE) return matchOwnEvent(config, event);
  const seen = readableEvent(event, source.name);
  const chosen = new Set(
    config.routes.flatMap((route, index) => {
      const answer = judgeMatch(config, route, seen);
      if (typeof answer !== "boolean") throw misconfigured(`routes[${index}].match.when`, answer);
      return answer ? route.to : [];
    }),
  );
  return Object.keys(config.endpoints).filter((name) => chosen.has(name));
}

/** Tests go to the endpoint they name; so do notices, where some route tells people there. Each only as we make it. */
function matchOwnEvent(config: Config, event: BusinessEvent): readonly string[] {
  const { subject } = event;
  if (subject === undefined || !Object.hasOwn(config.endpoints, subject)) return [];
  const isTold = config.routes.some(({ approval }) => approval?.notify === subject);
  return isTestEvent(event) || (isTold && isNoticeEvent(event)) ? [subject] : [];
}

/**
 * What a route's own conditions say of an event that carries its configured source name.
 *
 * Trouble is what a function did instead of answering; whoever asks decides what that means.
 */
export function judgeMatch(config: Config, { match }: Route, event: BusinessEvent): Answer {
  const { source, type, when } = match;
  if (source !== undefined && resolveSource(config, source)?.name !== event.source) return false;
  if (type !== undefined && !matchesTypePattern(type, event.type)) return false;
  return when === undefined || askCondition(when, event);
}

function misconfigured(place: string, { trouble, cause }: Trouble): CountersignError {
  return new CountersignError("config_invalid", `The function ${place} ${trouble}.`, {
    ...(cause === undefined ? {} : { cause }),
    details: { path: place },
  });
}
