/** Work that comes again and again. */

/** One after the other, however long one takes; one that fails is left to the next. */
export function everySoOften(work: () => Promise<void>, everyMs: number): NodeJS.Timeout {
  let busy = false;
  const workQuietly = async (): Promise<void> => {
    if (busy) return;
    busy = true;
    await work().catch(() => undefined);
    busy = false;
  };
  return setInterval(() => void workQuietly(), everyMs);
}
