/** Works through many items, a few at a time: a server has limits, and so has a machine. */
export async function inBatches<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
  size = 25,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let next = 0; next < items.length; next += size)
    results.push(...(await Promise.all(items.slice(next, next + size).map(work))));
  return results;
}
