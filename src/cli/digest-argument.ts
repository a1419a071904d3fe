/** A digest as people type it: whole, or as much of it as `list` and `show` print. */
import type { Proposal } from "../delivery/event-state.ts";
import { CountersignError } from "../errors.ts";

/** What stands for "I looked at this": 12 digits are shown, fewer could be met by chance. */
const SHOWN_DIGITS = 12;

const PREFIX = "sha256:";
const WHOLE = /^[0-9a-f]{64}$/;

/** The first digits of a digest, as tables and timelines show it. */
export function shortDigest(digest: string): string {
  return digest.slice(PREFIX.length, PREFIX.length + SHOWN_DIGITS);
}

/** Hex digits in lower case, 12 to 64; throws `bad_argument`. */
export function parseDigest(text: string): string {
  const digits = text.trim().toLowerCase().replace(PREFIX, "");
  if (/^[0-9a-f]{12,64}$/.test(digits)) return digits;
  throw new CountersignError(
    "bad_argument",
    `--digest takes the digest that \`countersign show KEY\` prints, whole or at least its first ${SHOWN_DIGITS} hex digits.`,
  );
}

/** The whole digest: that of a proposal which begins so, else what was typed if it is whole, else null. */
export function wholeDigest(digits: string, proposals: readonly Proposal[]): string | null {
  const begun = `${PREFIX}${digits}`;
  const found = proposals.find(({ digest }) => digest.startsWith(begun));
  return found?.digest ?? (WHOLE.test(digits) ? begun : null);
}
