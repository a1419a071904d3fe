/** How many of something, in words: `1 event`, `2 events`. For nouns that take a plain `s`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
