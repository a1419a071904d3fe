/** Bytes → lines, as JSON Lines has them: parted by line feeds and by nothing else. */

export interface FileLine {
  /** Without its line feed; null = no UTF-8, or longer than 1 MiB. */
  readonly text: string | null;
  /** False for a last line without a line feed. */
  readonly terminated: boolean;
}

/** A record is a few kilobytes; a file without line feeds must not fill the memory. */
const MAX_LINE_BYTES = 1024 * 1024;
const LINE_FEED = 0x0a;

/** Throws what the stream throws. */
export async function* fileLines(chunks: AsyncIterable<unknown>): AsyncGenerator<FileLine> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    let bytes = joined(rest, chunk);
    for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED)) {
      yield { text: textOf(bytes.subarray(0, end)), terminated: true };
      bytes = bytes.subarray(end + 1);
    }
    rest = bytes;
  }
  if (rest.byteLength > 0) yield { text: textOf(rest), terminated: false };
}

/** What is too long already only has to stay so. */
function joined(rest: Buffer, chunk: unknown): Buffer {
  // Byte streams yield nothing else.
  const bytes = typeof chunk === "string" ? Buffer.from(chunk, "utf8") : Buffer.from(chunk as Uint8Array);
  return rest.byteLength > MAX_LINE_BYTES
    ? Buffer.concat([rest.subarray(0, MAX_LINE_BYTES + 1), bytes])
    : Buffer.concat([rest, bytes]);
}

/** A byte order mark stays in the text: export writes none. */
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function textOf(bytes: Buffer): string | null {
  if (bytes.byteLength > MAX_LINE_BYTES) return null;
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}
