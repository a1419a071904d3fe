/** Files of an audit: written once for their owner alone, read as a stream. */
import { createReadStream } from "node:fs";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { resolve } from "node:path";
import { CountersignError, systemCodeOf } from "../../errors.ts";
import type { CliContext } from "../context.ts";

type Write = (line: string) => Promise<void> | void;

/** Readable by nobody else: who decided what is no public matter. */
const OWNER_ONLY = 0o600;

/**
 * Gives the work something to write lines to: standard output, or a new file.
 *
 * A file that is not finished is removed again. Throws `bad_argument` when it is there already or
 * cannot be made, before the work begins.
 */
export async function withLineSink<Result>(
  { terminal, cwd }: Pick<CliContext, "terminal" | "cwd">,
  out: string | undefined,
  work: (write: Write) => Promise<Result>,
): Promise<Result> {
  if (out === undefined) return await work((line) => terminal.out(line));
  const path = resolve(cwd, out);
  const file = await createFile(path);
  try {
    const result = await work(async (line) => await file.appendFile(`${line}\n`));
    await file.sync();
    await file.close();
    return result;
  } catch (error) {
    await file.close().catch(() => undefined);
    await unlink(path);
    throw error;
  }
}

async function createFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, "wx", OWNER_ONLY);
  } catch (error) {
    const reason = systemCodeOf(error);
    const problem =
      reason === "EEXIST" ? "is there already, and an export overwrites nothing" : `cannot be written (${reason})`;
    throw new CountersignError("bad_argument", `The file ${path} ${problem}.`, { cause: error });
  }
}

/** Throws `not_found` for a file that is not there, `bad_argument` for one that cannot be read. */
export async function* readChunks({ stdin, cwd }: Pick<CliContext, "stdin" | "cwd">, file: string): AsyncGenerator {
  if (file === "-") {
    yield* stdin;
    return;
  }
  const path = resolve(cwd, file);
  try {
    yield* createReadStream(path);
  } catch (error) {
    const reason = systemCodeOf(error);
    if (reason === "ENOENT") throw new CountersignError("not_found", `There is no file ${path}.`, { cause: error });
    throw new CountersignError("bad_argument", `The file ${path} cannot be read (${reason}).`, { cause: error });
  }
}
