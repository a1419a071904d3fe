/** `audit verify`: whether a file is a whole export, and if not, its first bad line. Offline. */
import { isDigest } from "../../delivery/digest.ts";
import { type FileLine, fileLines } from "../../audit/file-lines.ts";
import { conclude, NOTHING_READ, type Verification, verifyLine } from "../../audit/verify-chain.ts";
import { CountersignError } from "../../errors.ts";
import { readChunks } from "./audit-file.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit-code.ts";
import type { Colors } from "../terminal.ts";

export interface AuditVerifyCommand {
  /** The head hash that `export` printed. */
  readonly head?: string;
}

/** Throws `bad_argument` for a head that is no hash, and what `readChunks` throws. */
export async function auditVerify(context: CliContext, file: string, { head }: AuditVerifyCommand): Promise<number> {
  if (head !== undefined && !isDigest(head)) {
    const found = JSON.stringify(head.slice(0, 100));
    throw new CountersignError("bad_argument", `--head takes "sha256:" and 64 hex digits, not ${found}.`);
  }
  const { terminal, json } = context;
  const verification = await verify(fileLines(readChunks(context, file)), head ?? null);
  if (json) terminal.json(verification);
  else for (const line of verificationLines(verification, { head, colors: terminal.colors })) terminal.out(line);
  return verification.ok ? EXIT.done : EXIT.failed;
}

async function verify(lines: AsyncIterable<FileLine>, expectedHead: string | null): Promise<Verification> {
  let progress = NOTHING_READ;
  for await (const line of lines) progress = verifyLine(progress, line);
  return conclude(progress, expectedHead);
}

function verificationLines(
  { lines, records, head, firstBad }: Verification,
  view: { readonly head: string | undefined; readonly colors: Colors },
): readonly string[] {
  const { green, red, dim } = view.colors;
  if (firstBad !== null) {
    const before = firstBad.line === 1 ? [] : [dim(`${records} records before it hold; ${lines} lines in all.`)];
    return [`${red(`line ${firstBad.line}: ${firstBad.problem}`)}  ${firstBad.sentence}`, ...before];
  }
  return [
    `${green("whole")}  ${records} records in ${lines} lines, head ${head}`,
    dim(
      view.head === undefined
        ? "Whoever can rewrite the whole file can recompute every hash in it: compare the head with the one that export printed, by --head."
        : "Its head is the one you kept: nothing was changed, not even by whoever could rewrite the whole file.",
    ),
  ];
}
