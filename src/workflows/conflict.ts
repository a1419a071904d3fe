/**
 * Workflow type `conflict`: the record of an event that came under a key already used
 * for other content. Nothing is sent. Its ID deduplicates it, its memo says what and when.
 */
export async function conflict(record: unknown): Promise<unknown> {
  return await Promise.resolve(record);
}
