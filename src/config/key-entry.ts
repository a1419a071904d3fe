/** The forms that stand in an entry of `keys`; the key itself never does. */

export const KEY_ROLES = ["ingest", "viewer", "approver", "operator"] as const;

/** What finds the entry of a key. No secret: it stands in the key, in its entry and in logs. */
export function isKeyId(text: string): boolean {
  return /^[a-z0-9]{1,32}$/.test(text);
}
