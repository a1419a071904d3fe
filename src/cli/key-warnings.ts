/** What a new or a configured key may do that nobody meant. */
import type { Config, KeyRole } from "../config/config.ts";
import type { RawKey } from "../config/raw-config.ts";

/** Worded to follow the name of the key; null for a key of a person, and for roles that only send or read. */
export function actsAsAnybody({
  role,
  person,
}: {
  readonly role: KeyRole;
  readonly person: string | null;
}): string | null {
  if (person !== null) return null;
  if (role === "approver") return "names no person, so everyone who has it may decide as anybody";
  return role === "operator" ? "names no person, so everyone who has it may act as anybody" : null;
}

/** Full sentences about an entry; `config` is the configuration at hand, null = there is none to look into. */
export function keyWarnings(entry: RawKey, config: Config | null): readonly string[] {
  const anybody = actsAsAnybody({ role: entry.role, person: entry.person ?? null });
  return [
    ...(anybody === null ? [] : [`This key ${anybody}; bind it with --person.`]),
    ...(config === null ? [] : unknownNames(entry, config)),
  ];
}

function unknownNames({ role, person, sources }: RawKey, config: Config): readonly string[] {
  const place = config.path ?? "The configuration";
  const known = Object.values(config.sources);
  const isKnown = (word: string): boolean => known.some(({ name, aliases }) => name === word || aliases.includes(word));
  const isForNone = role === "ingest" && sources === undefined && known.every(({ verify }) => verify !== null);
  return [
    ...(sources ?? [])
      .filter((source) => !isKnown(source))
      .map(
        (source) =>
          `${place} has no source ${JSON.stringify(source)} (${listed(Object.keys(config.sources))}), so it refuses this entry.`,
      ),
    ...(person === undefined || Object.hasOwn(config.people, person)
      ? []
      : [
          `${place} has no person ${JSON.stringify(person)} in people (${listed(Object.keys(config.people))}), so it refuses this entry.`,
        ]),
    ...(isForNone
      ? [`${place} has no source without verify, so this key may send for none; name one with --source.`]
      : []),
  ];
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? "it has none" : `it has ${names.join(", ")}`;
}
