/** One line of a file that may be an export, looked at by itself. */
import { type FlatLine, hashOf, isFlatLine, lineText } from "./flat-line.ts";

export type LineKind = "head" | "record" | "end";

export type ReadLine =
  | { readonly kind: LineKind; readonly members: FlatLine; readonly hash: string }
  | { readonly kind: "bad"; readonly problem: "not-json" | "unknown-line" | "edited"; readonly sentence: string };

/** Never throws. A line is good by itself when its text is the one spelling of its members and its hash is theirs. */
export function readLine(text: string | null): ReadLine {
  const parsed = parse(text);
  if (parsed === undefined) return bad("not-json", "This is not JSON: the line was damaged, or the file is no export.");
  const kind = kindOf(parsed);
  if (kind === null) return bad("unknown-line", "This is JSON, but no line of an export: no head, record or end.");
  if (!isFlatLine(parsed)) return bad("edited", "The line was changed: it holds what export never writes.");
  const hash = hashOf(parsed);
  if (parsed["hash"] !== hash) return bad("edited", "The line was changed: its hash is not that of its content.");
  if (lineText(parsed) !== text)
    return bad("edited", "The line was changed: it is spelled otherwise than export does.");
  return { kind, members: parsed, hash };
}

function parse(text: string | null): unknown {
  try {
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

const KINDS: readonly LineKind[] = ["head", "record", "end"];

function kindOf(parsed: unknown): LineKind | null {
  if (typeof parsed !== "object" || parsed === null || !("kind" in parsed)) return null;
  return KINDS.find((kind) => kind === parsed.kind) ?? null;
}

function bad(problem: "not-json" | "unknown-line" | "edited", sentence: string): ReadLine {
  return { kind: "bad", problem, sentence };
}
