/** `people keygen`: a person's key pair, the private half in a file of their own, the public half for the configuration. */
import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { CountersignError, systemCodeOf } from "../../errors.ts";
import { visibleTextProblem } from "../../delivery/visible-text.ts";
import { generateKeyPair } from "../../signing/decision-signature.ts";
import type { CliContext } from "../context.ts";

export interface KeygenCommand {
  /** Absent = named after the person, here. */
  readonly out?: string;
}

/** Nobody but the owner reads or writes it. */
const PRIVATE_MODE = 0o600;

/** Throws `bad_argument` for a name or file that cannot be, `refused` for a file that is there. Never prints the private key. */
export async function peopleKeygen(
  { terminal, json, cwd }: CliContext,
  person: string,
  { out }: KeygenCommand,
): Promise<number> {
  requirePerson(person);
  const privateKeyFile = out ?? `./${fileStem(person)}.countersign-key.pem`;
  const { publicKey, privateKeyPem } = generateKeyPair();
  await writeOnce(resolve(cwd, privateKeyFile), privateKeyPem);
  if (json) {
    terminal.json({ person, publicKey, privateKeyFile });
    return 0;
  }
  terminal.out(configEntry(person, publicKey));
  terminal.note(
    `Add this to \`people\` of the configuration, with the person's groups. The private key is in ${privateKeyFile}: only ${person} may have it; it signs with --key-file or COUNTERSIGN_KEY_FILE.`,
  );
  return 0;
}

/** As the configuration takes it. */
const MAX_NAME_BYTES = 200;

function requirePerson(person: string): void {
  const problem = visibleTextProblem(person, { max: MAX_NAME_BYTES, unit: "bytes" });
  if (problem !== null) throw new CountersignError("bad_argument", `NAME ${problem}.`);
  if (person.startsWith("group:"))
    throw new CountersignError("bad_argument", "NAME is a person's, such as ana@example.com; groups have no keys.");
}

/** Whatever a file system or a shell might take for something else becomes `_`; never hidden, never an option. */
function fileStem(person: string): string {
  return person.replaceAll(/[^\w@.+-]/g, "_").replace(/^[.-]/, "_");
}

/** As it stands in `countersign.config.ts`. */
function configEntry(person: string, publicKey: string): string {
  const name = person.replaceAll(/['\\]/g, (character) => `\\${character}`);
  return `'${name}': { groups: [], publicKey: '${publicKey}' },`;
}

async function writeOnce(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: "wx", mode: PRIVATE_MODE });
  } catch (error) {
    const reason = systemCodeOf(error);
    if (reason === "EEXIST") {
      throw new CountersignError(
        "refused",
        `The file ${path} is there already and stays as it is: who replaces a private key makes earlier signatures unprovable. Choose another with --out.`,
      );
    }
    throw new CountersignError("bad_argument", `The file ${path} cannot be written (${reason}).`, { cause: error });
  }
}
