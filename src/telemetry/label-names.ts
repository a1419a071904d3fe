/** Labels whose values are names: each different one is a series that a metrics server keeps for weeks. */

/** Stands for all names beyond the bound. */
export const OTHER = "other";

const MAX_NAMES = 200;
/** What a configured name may have; a pattern of a route has less. */
const MAX_CHARACTERS = 63;

/** Gives each of the first names back as it is, and `other` for every further one: the number of series has an end. */
export type LabelNames = (name: string) => string;

export function createLabelNames(maxNames: number = MAX_NAMES): LabelNames {
  const known = new Set<string>();
  return (name) => {
    if (known.has(name)) return name;
    if (known.size >= maxNames || name.length > MAX_CHARACTERS) return OTHER;
    known.add(name);
    return name;
  };
}

/** A word of a closed set as it is, anything else as `other`. */
export function wordOf<Word extends string>(words: Readonly<Record<Word, true>>, word: string): string {
  return Object.hasOwn(words, word) ? word : OTHER;
}
