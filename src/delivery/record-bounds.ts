/**
 * How much of what people say is kept in the state. A flood of words must not outgrow the
 * result of the run, which could then never end; the history keeps every one of them.
 */

interface Said {
  readonly at: string;
  readonly counted: boolean;
}

const MAX_ENTRIES = 400;
const MAX_REFUSED = 100;
/** So many counted entries keep their text whole. */
const MAX_WHOLE = 50;
const CUT_TEXT = 200;

/** The record with one more entry, in order of time; `cut` shortens its text. */
export function recorded<Entry extends Said>(
  earlier: readonly Entry[],
  entry: Entry,
  cut: (entry: Entry, maxLength: number) => Entry,
): readonly Entry[] {
  const refused = earlier.filter(({ counted }) => !counted).length;
  if (earlier.length >= MAX_ENTRIES || (!entry.counted && refused >= MAX_REFUSED)) return earlier;
  const isWhole = entry.counted && earlier.length - refused < MAX_WHOLE;
  const kept = isWhole ? entry : cut(entry, CUT_TEXT);
  const position = earlier.findLastIndex(({ at }) => at <= entry.at) + 1;
  return earlier.toSpliced(position, 0, kept);
}
