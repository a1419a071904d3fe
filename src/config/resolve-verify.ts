/** A source's `verify` with its references resolved: only the process that takes provider webhooks needs that. */
import { CountersignError } from "../errors.ts";
import { isKey, KEY_FORM_WORDS } from "../signing/verify/key-form.ts";
import { schemeOf } from "../signing/verify/schemes.ts";
import type { VerifyScheme, VerifySettings } from "../signing/verify/settings.ts";
import type { Reference, Source } from "./config.ts";
import { isEnvReference } from "./reference.ts";
import { type Environment, readVariable } from "./resolve-endpoint.ts";
import { checkPublicUrl } from "./verify-members.ts";

/**
 * Replaces every reference of a source's `verify` by its value; null for a source without.
 *
 * Throws `missing_env` naming the source and each variable that is unset or
 * empty, `config_invalid` when a value cannot be used; never shows a value. What
 * it returns holds secrets: it must not be logged.
 */
export function resolveVerify(source: Source, environment: Environment): VerifyScheme | null {
  if (source.verify === null) return null;
  requireVariables(source, environment);
  const read = (reference: Reference): string =>
    isEnvReference(reference) ? (readVariable(environment, reference.env) ?? "") : reference;
  const { keyForm } = schemeOf(source.verify.scheme);
  for (const reference of keysOf(source.verify)) {
    if (!isKey(keyForm, read(reference))) throw unusable(source, reference, `must be ${KEY_FORM_WORDS[keyForm]}`);
  }
  if ("publicUrl" in source.verify) {
    const complaint = checkPublicUrl(read(source.verify.publicUrl));
    if (complaint !== null) throw unusable(source, source.verify.publicUrl, complaint);
  }
  return { ...resolveTexts(source.verify, read), idFrom: source.idFrom };
}

/** The variables a source's `verify` refers to, each once. */
export function verifyVariables({ verify }: Source): readonly string[] {
  if (verify === null) return [];
  return [...new Set(referencesOf(verify).flatMap((reference) => (isEnvReference(reference) ? [reference.env] : [])))];
}

function referencesOf(verify: VerifySettings<Reference>): readonly Reference[] {
  const references: Reference[] = [];
  resolveTexts(verify, (reference) => {
    references.push(reference);
    return "";
  });
  return references;
}

function resolveTexts(
  verify: VerifySettings<Reference>,
  read: (reference: Reference) => string,
): VerifySettings<string> {
  switch (verify.scheme) {
    case "sns":
      return { ...verify, certificates: verify.certificates.map(read), topics: verify.topics.map(read) };
    case "paypal":
      return { ...verify, certificates: verify.certificates.map(read), webhookId: read(verify.webhookId) };
    case "square":
    case "twilio":
      return { ...verify, secrets: verify.secrets.map(read), publicUrl: read(verify.publicUrl) };
    case "hmac":
    case "github":
    case "shopify":
    case "shopify-events":
    case "standard-webhooks":
    case "svix":
    case "stripe":
    case "slack":
    case "paddle":
    case "linear":
    case "zoom":
    case "discord":
    case "sendgrid":
      return { ...verify, secrets: verify.secrets.map(read) };
  }
}

function keysOf(verify: VerifySettings<Reference>): readonly Reference[] {
  return "certificates" in verify ? verify.certificates : verify.secrets;
}

function requireVariables(source: Source, environment: Environment): void {
  const missing = verifyVariables(source).filter((name) => readVariable(environment, name) === undefined);
  if (missing.length === 0) return;
  const [noun, verb] = missing.length === 1 ? ["environment variable", "is"] : ["environment variables", "are"];
  throw new CountersignError(
    "missing_env",
    `Source "${source.name}" needs the ${noun} ${missing.join(", ")}, which ${verb} not set or empty.`,
    { details: { source: source.name, variables: missing.join(", ") } },
  );
}

function unusable(source: Source, reference: Reference, complaint: string): CountersignError {
  const what = isEnvReference(reference) ? `environment variable ${reference.env}` : "a value of verify";
  return new CountersignError("config_invalid", `Source "${source.name}": ${what} ${complaint}.`, {
    details: { source: source.name },
  });
}
