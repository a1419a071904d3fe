/** The values that several schemes of `verify` take. */
import { MAX_SECRETS } from "../signing/bounds.ts";
import { isKey, KEY_FORM_WORDS } from "../signing/verify/key-form.ts";
import { schemeOf } from "../signing/verify/schemes.ts";
import type { SchemeName } from "../signing/verify/settings.ts";
import { accept, choose, isObject, listOf } from "./accept.ts";
import { parseUrl } from "./address.ts";
import type { Reference } from "./config.ts";
import { duration } from "./duration.ts";
import { reference } from "./reference.ts";
import { pattern } from "./scalars.ts";

const MAX_PEM_CHARS = 16 * 1024;

const PUBLIC_URL_RULE = "the URL as it stands at the provider, such as 'https://hooks.example/v1/hooks/shop'";

/** What is wrong with an URL that a provider signs, worded to follow its name; null when nothing is. */
export function checkPublicUrl(text: string): string | null {
  const url = parseUrl(text);
  return url === null || url.hash !== "" ? `must be ${PUBLIC_URL_RULE}` : null;
}

export const publicUrl = reference(PUBLIC_URL_RULE, checkPublicUrl);

export function plainReference(accepted: string) {
  return reference(accepted, () => null);
}

export function secretsOf(name: SchemeName) {
  const form = schemeOf(name).keyForm;
  const secret = reference(KEY_FORM_WORDS[form], (literal) => (isKey(form, literal) ? null : KEY_FORM_WORDS[form]));
  return listOf(`a list of 1 to ${MAX_SECRETS} secrets`, secret, { min: 1, max: MAX_SECRETS });
}

const certificateWords = `${KEY_FORM_WORDS.certificate}, or env('NAME')`;
/** Not a plain text: a certificate has line breaks. */
const pem = accept(certificateWords, (value) =>
  typeof value === "string" && value.length <= MAX_PEM_CHARS && isKey("certificate", value) ? value : undefined,
);
const certificate = choose<Reference>((value) => (isObject(value) ? plainReference(KEY_FORM_WORDS.certificate) : pem));

export const certificates = listOf(`a list of 1 to ${MAX_SECRETS} certificates`, certificate, {
  min: 1,
  max: MAX_SECRETS,
});

/** Into the past and into the future. */
export const tolerance = duration("a duration of at least 1 s, such as '5m'", { minMs: 1000 });

/** Absent = what the provider's own libraries use. */
export function toleranceOf(name: SchemeName) {
  return tolerance.default(defaultToleranceMs(name));
}

export function defaultToleranceMs(name: SchemeName): number {
  return schemeOf(name).toleranceMs ?? 0;
}

export const headerName = pattern("the name of a header", /^[A-Za-z0-9-]{1,100}$/).transform((name) =>
  name.toLowerCase(),
);

export const memberPath = pattern("a path such as 'data.orderId'", /^(?=.{1,200}$)[^.\p{Cc}]+(?:\.[^.\p{Cc}]+)*$/u);
