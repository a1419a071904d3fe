/** A first command that works with the configuration at hand. */
import type { Config, Route } from "../config/config.ts";
import { shellWord } from "./safe-text.ts";

/** Sends an event that the first plain route takes; a route with conditions cannot be guessed, one with approval delivers nothing yet. */
export function exampleCommand({ sources, routes }: Config): string {
  const guessable = routes.filter(({ match }) => match.when === undefined);
  const route = guessable.find(({ approval }) => approval === null) ?? guessable[0] ?? routes[0];
  const source = sourceOf(route, Object.keys(sources));
  if (route === undefined || source === undefined) return "countersign doctor";
  // A pattern with anything for its stars matches itself.
  const type = (route.match.type ?? "order.created").replaceAll("*", "created");
  return `countersign send --source ${shellWord(source)} --type ${shellWord(type)} --id evt_1 --data '{"total":42}'`;
}

function sourceOf(route: Route | undefined, sources: readonly string[]): string | undefined {
  return route?.match.source ?? sources[0];
}
