/** A literal, or a reference to an environment variable. */
import type { z } from "zod";
import { choose, isObject, strictShape } from "./accept.ts";
import type { EnvReference, Reference } from "./config.ts";
import { pattern, text } from "./scalars.ts";

/** A secret written where its name belongs is refused here, because names are shown in messages. */
const envReference: z.ZodType<EnvReference> = strictShape("an environment reference", {
  env: pattern(
    "the name of an environment variable: letters, digits and _",
    /^(?!wh(?:sec|sk)_|csk_)[A-Za-z_][A-Za-z0-9_]{0,254}$/,
  ),
});

/** `checkLiteral` answers what is wrong with a literal, or null; references are checked when they are resolved. */
export function reference(accepted: string, checkLiteral: (literal: string) => string | null): z.ZodType<Reference> {
  const words = `${accepted}, or env('NAME')`;
  const literal = text(words, 8192).refine((value) => checkLiteral(value) === null, { error: words });
  return choose<Reference>((value) => (isObject(value) ? envReference : literal));
}

export function isEnvReference(value: Reference): value is EnvReference {
  return typeof value !== "string";
}
