/** The bytes a person hands over: a file, standard input, or an argument. Never decoded, never trimmed. */
import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { CountersignError, systemCodeOf } from "../errors.ts";
import type { InputStream } from "./terminal.ts";

export interface BodySource {
  /** `-` = standard input; absent = `data`, or standard input when it is not a terminal. */
  readonly file: string | undefined;
  readonly data: string | undefined;
  readonly stdin: InputStream;
  readonly cwd: string;
}

/** An event with its largest body in base64 fits; more is a mistake not worth the memory. */
const MAX_INPUT_BYTES = 4 * 1024 * 1024;

/** Throws `bad_argument` when nothing or two things are given or the file cannot be read, `body_too_large`. */
export async function readInput({ file, data, stdin, cwd }: BodySource): Promise<Buffer> {
  if (file !== undefined && data !== undefined) {
    throw new CountersignError("bad_argument", "FILE and --data are given both; accepted is one of them.");
  }
  if (data !== undefined) return Buffer.from(data, "utf8");
  if (file !== undefined && file !== "-") return await readWhole(resolve(cwd, file));
  if (file === undefined && stdin.isTTY === true) {
    throw new CountersignError("bad_argument", "Nothing to send: name a FILE, - for standard input, or --data.");
  }
  return await drain(stdin);
}

async function readWhole(path: string): Promise<Buffer> {
  try {
    requireSize((await stat(path)).size);
    return await readFile(path);
  } catch (error) {
    if (error instanceof CountersignError) throw error;
    const reason = systemCodeOf(error);
    throw new CountersignError("bad_argument", `The file ${path} cannot be read (${reason}).`, { cause: error });
  }
}

async function drain(stdin: InputStream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk, "utf8") : Buffer.from(chunk as Uint8Array); // byte streams yield nothing else
    size += bytes.byteLength;
    requireSize(size);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

function requireSize(bytes: number): void {
  if (bytes <= MAX_INPUT_BYTES) return;
  throw new CountersignError(
    "body_too_large",
    `The input has more than ${MAX_INPUT_BYTES} bytes; no event is that large.`,
  );
}
