/** `keys create`: a new API key, shown this once, and the entry by which the server recognizes it. */
import { randomBytes } from "node:crypto";
import { hashSecret } from "../../access/key-hash.ts";
import { formatKey, KEY_BYTES, makeKey } from "../../access/key-text.ts";
import { collectProblems } from "../../config/accept.ts";
import { keySchema } from "../../config/access-schema.ts";
import type { Config } from "../../config/config.ts";
import { parseDurationMs } from "../../config/duration.ts";
import { findConfig } from "../../config/find-config.ts";
import { checkScope } from "../../config/key-checks.ts";
import { parseMomentMs } from "../../config/moment.ts";
import type { Problem } from "../../config/problem.ts";
import type { RawKey } from "../../config/raw-config.ts";
import { SECOND_MS } from "../../delivery/durations.ts";
import { CountersignError } from "../../errors.ts";
import type { CliContext } from "../context.ts";
import { keyWarnings } from "../key-warnings.ts";
import { safeLines } from "../safe-text.ts";
import { clientConfig } from "../with-client.ts";

export interface KeysCreateCommand {
  /** Checked here, like the rest. */
  readonly role: string;
  readonly source?: readonly string[];
  readonly type?: readonly string[];
  readonly person?: string;
  /** `90d` from now, or an RFC 3339 time; absent = never. */
  readonly expires?: string;
}

/**
 * Needs neither configuration nor server: names are looked up in a configuration that is at hand, and only warned of.
 *
 * Throws `bad_argument`, naming the option, for an entry that no configuration would take.
 */
export async function keysCreate(context: CliContext, options: KeysCreateCommand): Promise<number> {
  const { terminal, json } = context;
  const parts = makeKey(randomBytes(KEY_BYTES));
  const entry = entryOf(options, { id: parts.id, hash: hashSecret(parts.secret) });
  const key = formatKey(parts);
  const { path, config } = await configAtHand(context);
  if (json) terminal.json({ key, entry });
  else {
    terminal.out(key);
    terminal.out(path?.endsWith(".json") === true ? JSON.stringify(entry) : entryText(entry));
    for (const line of HOW_TO_USE) terminal.note(line);
  }
  const isUnseen = config === "unusable" && (entry.sources ?? entry.person) !== undefined;
  const warnings = [
    ...keyWarnings(entry, config === "unusable" ? null : config),
    ...(isUnseen ? [`${path ?? "The configuration"} cannot be used, so nothing was looked up there.`] : []),
  ];
  for (const warning of warnings) terminal.note(`warning: ${safeLines(warning)}`);
  return 0;
}

const HOW_TO_USE = [
  "The first line is the key, sent as `Authorization: Bearer <key>`. It is shown this once: keep it where its user keeps secrets.",
  "The second line is its entry: add it to `keys` of the configuration. The key cannot be made from it, and removing it revokes the key.",
];

interface AtHand {
  /** Null = none was found. */
  readonly path: string | null;
  readonly config: Config | "unusable" | null;
}

/** What stands in the way there is for other commands to say. */
async function configAtHand(context: CliContext): Promise<AtHand> {
  const { cwd, configPath, environment } = context;
  const named = configPath ?? environment["COUNTERSIGN_CONFIG"] ?? "";
  const path = await findConfig({ cwd, path: configPath, environment }).catch(() => null);
  if (path === null) return { path, config: named === "" ? null : "unusable" };
  return { path, config: await clientConfig(context).catch(() => "unusable" as const) };
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
