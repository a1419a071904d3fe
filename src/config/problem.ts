/** One thing that is wrong with a configuration, and how it is said without giving a secret away. */
import { CountersignError } from "../errors.ts";

export interface Problem {
  readonly path: readonly PropertyKey[];
  /** What was found and what is accepted; never a secret. */
  readonly text: string;
}

/** Below these keys a value may be a secret, or hold one, whoever wrote it where. */
const SENSITIVE_KEYS = new Set<PropertyKey>([
  "headers",
  "secrets",
  "signing",
  "verify",
  "url",
  "keys",
  "hash",
  "publicKey",
]);
const MAX_SHOWN_CHARACTERS = 60;
/** A URL may carry a token; API keys, signing secrets and bearer values have a look of their own. */
const SECRET_LOOK = /:\/\/|csk_|^(?:wh[sp]k_|whsec_|sk_|Bearer |Basic )/i;
/** The same wherever it stands: a name or a path may be a secret that was pasted into the wrong place. */
const SECRET_ANYWHERE = /(csk_[a-z0-9]{1,32}_(?=[\w-])|wh(?:sec|sk)_(?=[\w+/=]{8}))[\w+/=-]+/g;

/** The text with every API key and signing secret in it cut off after its prefix (and the id of the key). */
export function withoutSecrets(text: string): string {
  return text.replaceAll(SECRET_ANYWHERE, "$1…");
}

/** Writes a path as one would in code: `endpoints.crm.headers["x y"]`, `routes[0].to[1]`. */
export function formatPath(path: readonly PropertyKey[]): string {
  let text = "";
  for (const part of path) {
    if (typeof part === "number") text += `[${part}]`;
    else if (/^[\w@-]+$/.test(String(part))) text += text === "" ? String(part) : `.${String(part)}`;
    else text += `[${JSON.stringify(String(part))}]`;
  }
  return text === "" ? "the configuration" : text;
}

/** Names a found value; where it may be a secret only its type and length. */
function describeFound(path: readonly PropertyKey[], value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (typeof value === "object") return Object.keys(value).length === 0 ? "an empty object" : "an object";
  if (typeof value === "function") return "a function";
  const hidden = path.some((part) => SENSITIVE_KEYS.has(part));
  if (typeof value === "string") return hidden ? describeHiddenText(value) : describeText(value);
  const rest = value as number | boolean | bigint | symbol; // all that is left
  return hidden ? `a ${typeof rest}` : String(rest);
}

function describeText(value: string): string {
  if (value.length > MAX_SHOWN_CHARACTERS || SECRET_LOOK.test(value)) return describeHiddenText(value);
  return JSON.stringify(value);
}

function describeHiddenText(value: string): string {
  if (value === "") return "an empty string";
  return value.length === 1 ? "a string (1 character)" : `a string (${value.length} characters)`;
}

/** The usual wording: what was found, what is accepted. */
export function foundProblem(path: readonly PropertyKey[], value: unknown, accepted: string): Problem {
  return { path, text: `found ${describeFound(path, value)}; accepted: ${accepted}` };
}

/** Packs problems into one error: a line for one, a list for several. `problems` is not empty. */
export function configError(problems: readonly Problem[], file: string | null): CountersignError {
  const lines = problems.map((problem) => withoutSecrets(`${formatPath(problem.path)}: ${problem.text}`));
  const name = file === null ? "The configuration" : `The configuration ${file}`;
  const message =
    lines.length === 1
      ? `${name} is not valid: ${lines[0]}`
      : `${name} is not valid, ${lines.length} problems:\n${lines.map((line) => `  - ${line}`).join("\n")}`;
  const details = { problems: lines.length, path: withoutSecrets(formatPath(problems[0]?.path ?? [])), file };
  return new CountersignError("config_invalid", message, { details });
}
