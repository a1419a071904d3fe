/** Columns for people; programs take `--json`. */

/** Rows with the head first; every row has as many cells as the head. The last column is not padded. */
export function tableLines(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => widthOf(row[column] ?? ""))));
  return [head, ...rows].map((row) =>
    row
      .map((cell, column) => pad(cell, widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

function pad(cell: string, width: number): string {
  return cell + " ".repeat(Math.max(0, width - widthOf(cell)));
}

/** Code points: near enough for keys and names. */
function widthOf(text: string): number {
  return Array.from(text).length;
}
