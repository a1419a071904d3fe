/** What `doctor` sees in the sources that providers sign. */
import type { Config, Reference, Source } from "../config/config.ts";
import { isEnvReference } from "../config/reference.ts";
import { resolveVerify, verifyVariables } from "../config/resolve-verify.ts";
import { isCountersignError } from "../errors.ts";
import type { KeyForm } from "../signing/verify/key-form.ts";
import { schemeOf } from "../signing/verify/schemes.ts";
import { type Check, fail, ok, warn } from "./check.ts";
import type { Environment } from "./context.ts";
import { EXIT } from "./exit-code.ts";

export function checkHooks({ sources }: Pick<Config, "sources">, environment: Environment): readonly Check[] {
  return Object.values(sources).flatMap((source) =>
    source.verify === null ? [] : [checkVariables(source, environment), ...literalSecrets(source)],
  );
}

/** One that is missing is only warned of: the server may run elsewhere, and `dev` goes without. One that is wrong is wrong everywhere. */
function checkVariables(source: Source, environment: Environment): Check {
  const name = `source ${source.name}`;
  const variables = verifyVariables(source);
  const missing = variables.filter((variable) => (environment[variable] ?? "") === "");
  if (missing.length > 0) {
    const verb = missing.length === 1 ? "is" : "are";
    return warn(
      name,
      `${missing.join(", ")} ${verb} not set: \`countersign serve\` would not start here, and \`countersign dev\` leaves this hook out`,
    );
  }
  try {
    resolveVerify(source, environment);
    return ok(name, variables.length === 0 ? "needs no environment variables" : `${variables.join(", ")} set`);
  } catch (error) {
    if (!isCountersignError(error)) throw error;
    return fail(name, `${error.message} \`countersign serve\` would refuse to start here.`, EXIT.badUsage);
  }
}

function literalSecrets({ name, verify }: Source): readonly Check[] {
  if (verify === null || !("secrets" in verify)) return [];
  const { keyForm } = schemeOf(verify.scheme);
  if (!verify.secrets.some((secret) => isLiteralSecret(secret, keyForm))) return [];
  const text = "verify.secrets: a secret stands in the configuration file; move it to a variable and write env('NAME')";
  return [warn(`source ${name}`, text)];
}

/** The `secrets` of some schemes are public keys, which may stand anywhere. */
function isLiteralSecret(secret: Reference, keyForm: KeyForm): boolean {
  if (isEnvReference(secret)) return false;
  switch (keyForm) {
    case "text":
      return true;
    case "standard-webhooks":
      return !secret.startsWith("whpk_");
    case "ed25519-hex":
    case "p256-spki":
    case "certificate":
      return false;
  }
}
