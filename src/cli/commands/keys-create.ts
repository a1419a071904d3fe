/** `keys create`: a new API key, shown this once, and the entry by which the server recognizes it. */
import { randomBytes } from "node:crypto";
import { hashSecret } from "../../access/key-hash.ts";
import { formatKey, KEY_BYTES, makeKey } from "../../access/key-text.ts";
import { collectProblems } from "../../config/accept.ts";
import { keySchema } from "../../config/access-schema.ts";
import { parseDurationMs } from "../../config/duration.ts";
import { checkScope } from "../../config/key-checks.ts";
import { parseMomentMs } from "../../config/moment.ts";
import type { Problem } from "../../config/problem.ts";
import type { RawKey } from "../../config/raw-config.ts";
import { SECOND_MS } from "../../delivery/durations.ts";
import { CountersignError } from "../../errors.ts";
import type { CliContext } from "../context.ts";

export interface KeysCreateCommand {
  /** Checked here, like the rest. */
  readonly role: string;
  readonly source?: readonly string[];
  readonly type?: readonly string[];
  readonly person?: string;
  /** `90d` from now, or an RFC 3339 time; absent = never. */
  readonly expires?: string;
}

/** Needs neither configuration nor server. Throws `bad_argument`, naming the option, for an entry the configuration would refuse. */
export async function keysCreate({ terminal, json }: CliContext, options: KeysCreateCommand): Promise<number> {
  const parts = makeKey(randomBytes(KEY_BYTES));
  const entry = entryOf(options, { id: parts.id, hash: hashSecret(parts.secret) });
  const key = formatKey(parts);
  if (json) {
    terminal.json({ key, entry });
    return 0;
  }
  terminal.out(key);
  terminal.out(entryText(entry));
  terminal.note(
    "The first line is the key, sent as `Authorization: Bearer <key>`. It is shown this once: keep it where its user keeps secrets. Add the second line to `keys` of the configuration; the key cannot be made from it, and removing it revokes the key.",
  );
  return 0;
}

function entryOf(options: KeysCreateCommand, { id, hash }: Pick<RawKey, "id" | "hash">): RawKey {
  const { role, person, source, type } = options;
  const entry = {
    id,
    role,
    ...(person === undefined ? {} : { person }),
    ...(source === undefined ? {} : { sources: source }),
    ...(type === undefined ? {} : { types: type }),
    hash,
    ...(options.expires === undefined ? {} : { expires: expiryOf(options.expires, Date.now()) }),
  };
  const checked = keySchema.safeParse(entry);
  const problems = checked.success ? checkScope(checked.data, []) : collectProblems(checked.error.issues, entry);
  const [problem] = problems;
  if (problem !== undefined) throw new CountersignError("bad_argument", complaint(problem));
  return entry as RawKey; // its role is one by the schema
}

const OPTIONS: Readonly<Record<string, string>> = {
  role: "--role",
  person: "--person",
  sources: "--source",
  types: "--type",
  expires: "--expires",
};

function complaint({ path, text }: Problem): string {
  return `${OPTIONS[String(path[0])]}: ${text}.`;
}

/** In whole seconds, never sooner than asked for; throws `bad_argument` unless it lies ahead. */
export function expiryOf(text: string, nowMs: number): string {
  const durationMs = parseDurationMs(text);
  const expiresAtMs = durationMs === null ? parseMomentMs(text) : nowMs + durationMs;
  if (expiresAtMs === null || expiresAtMs <= nowMs) {
    throw new CountersignError(
      "bad_argument",
      `--expires takes how long the key is good, such as 90d, or a time to come, such as 2030-01-31T00:00:00Z; not ${JSON.stringify(text)}.`,
    );
  }
  const whole = Math.ceil(expiresAtMs / SECOND_MS) * SECOND_MS;
  return new Date(whole).toISOString().replace(".000Z", "Z");
}

/** As it stands in `countersign.config.ts`. */
function entryText(entry: RawKey): string {
  const members = Object.entries(entry).map(([name, value]) => `${name}: ${literal(value)}`);
  return `{ ${members.join(", ")} },`;
}

function literal(value: string | readonly string[]): string {
  if (typeof value !== "string") return `[${value.map(literal).join(", ")}]`;
  return `'${value.replaceAll(/['\\]/g, (character) => `\\${character}`)}'`;
}
