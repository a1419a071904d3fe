/** Which server versions are supported, and why. */

/**
 * 1.29.0 is the first release whose `updateTaskQueueConfig` can hold and pace a task queue, which gates and lanes
 * stand on. Tests run on 1.32.0.
 */
export const MINIMUM_SERVER_VERSION = "1.29.0";

/** Compares release numbers; a suffix such as `-rc1` is ignored, a text without a number is not supported. */
export function isSupportedServer(version: string): boolean {
  const have = releaseNumbers(version);
  const need = releaseNumbers(MINIMUM_SERVER_VERSION);
  for (const [index, number] of need.entries()) {
    const other = have[index] ?? -1;
    if (other !== number) return other > number;
  }
  return true;
}

function releaseNumbers(version: string): readonly number[] {
  const match = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version);
  return match === null ? [] : match.slice(1).map(Number);
}
