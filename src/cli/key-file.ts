/** The private key with which a person signs decisions. */
import { createPrivateKey } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { CountersignError, systemCodeOf } from "../errors.ts";
import type { CliContext } from "./context.ts";

/**
 * `--key-file`, else COUNTERSIGN_KEY_FILE; null when neither is given. Notes a file that others may read.
 *
 * Throws `bad_argument` for what cannot be read or is no Ed25519 private key in PEM; never says what is in it.
 */
export async function readKeyFile(
  { cwd, environment, terminal, json }: CliContext,
  named: string | undefined,
): Promise<string | null> {
  const file = named ?? environment["COUNTERSIGN_KEY_FILE"] ?? "";
  if (file === "") return null;
  const path = resolve(cwd, file);
  const { pem, mode } = await readPem(path);
  if (!isPrivateKey(pem)) {
    throw new CountersignError(
      "bad_argument",
      `The key file ${path} holds no Ed25519 private key in PEM; make one with \`countersign people keygen NAME\`.`,
    );
  }
  // A program that reads standard error expects problem JSON there and nothing else.
  if (isOpenToOthers(mode) && !json)
    terminal.note(`warning: others can read the private key ${path}; close it with \`chmod 600\`.`);
  return pem;
}

async function readPem(path: string): Promise<{ readonly pem: string; readonly mode: number }> {
  try {
    return { pem: await readFile(path, "utf8"), mode: (await stat(path)).mode };
  } catch (error) {
    const reason = systemCodeOf(error);
    throw new CountersignError("bad_argument", `The key file ${path} cannot be read (${reason}).`);
  }
}

function isPrivateKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === "ed25519";
  } catch {
    return false;
  }
}

const GROUP_AND_OTHERS = 0o077;

/** The bits say nothing on Windows. */
function isOpenToOthers(mode: number): boolean {
  return process.platform !== "win32" && (mode & GROUP_AND_OTHERS) !== 0;
}
