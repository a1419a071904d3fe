/** Text from outside, fit for a terminal: nothing in it can move the cursor, hide words or change colors. */

/** Control, format (direction marks, joiners) and line separator characters show as `?`. */
export function safeText(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, "?");
}

/** The same over several lines: line ends and tabs stay. */
export function safeLines(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => line.split("\t").map(safeText).join("\t"))
    .join("\n");
}

/** The same without loss, for what must be read exactly: tabs and line feeds stay, the rest is spelled out as `‹U+202E›`. */
export function spelledText(text: string): string {
  return text.replaceAll(/(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu, spelled);
}

function spelled(character: string): string {
  const code = Number(character.codePointAt(0));
  return `‹U+${code.toString(16).toUpperCase().padStart(4, "0")}›`;
}

/** A word as a POSIX shell needs it, so that a printed command can be pasted. */
export function shellWord(text: string): string {
  const safe = safeText(text);
  return /^[\w@%+=:,./-]+$/.test(safe) ? safe : `'${safe.replaceAll("'", `'\\''`)}'`;
}
