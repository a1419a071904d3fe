/**
 * Whether an event type fits a pattern in which `*` stands for any run of characters, also none.
 *
 * Two pointers instead of a regular expression: the time is bounded by the
 * product of the lengths, whatever somebody writes into a pattern.
 */
export function matchesTypePattern(pattern: string, type: string): boolean {
  let inPattern = 0;
  let inType = 0;
  let starAt = -1;
  let resumeAt = 0;
  while (inType < type.length) {
    if (pattern[inPattern] === "*") {
      starAt = inPattern;
      resumeAt = inType;
      inPattern += 1;
    } else if (pattern[inPattern] === type[inType]) {
      inPattern += 1;
      inType += 1;
    } else if (starAt >= 0) {
      // The last star takes one character more.
      resumeAt += 1;
      inType = resumeAt;
      inPattern = starAt + 1;
    } else return false;
  }
  return /^\**$/.test(pattern.slice(inPattern));
}
