/** The schema of `verify`: what each scheme takes, by the table of schemes in `signing/`. */
import { z } from "zod";
import { SCHEME_NAMES } from "../signing/verify/schemes.ts";
import type {
  PayPalSettings,
  SchemeName,
  SnsSettings,
  TimedSchemeName,
  TimedSettings,
  UntimedSchemeName,
  UntimedSettings,
  UrlSchemeName,
  UrlSettings,
  VerifySettings,
} from "../signing/verify/settings.ts";
import { choose, isObject, listOf, strictShape } from "./accept.ts";
import type { Reference } from "./config.ts";
import { hmacSchema } from "./hmac-schema.ts";
import { oneOf } from "./scalars.ts";
import { certificates, plainReference, publicUrl, secretsOf, toleranceOf } from "./verify-members.ts";

/** For a value whose scheme is none of ours: says which there are. */
const unknownScheme = z.looseObject(
  { scheme: oneOf(SCHEME_NAMES) },
  { error: "an object with scheme, secrets and what else the scheme needs" },
);

export const verifySchema: z.ZodType<VerifySettings<Reference>> = choose<VerifySettings<Reference>>((value) => {
  const name = isObject(value) ? SCHEME_NAMES.find((candidate) => candidate === value["scheme"]) : undefined;
  // It refuses everything that comes here, so its output is never seen.
  return name === undefined ? (unknownScheme as unknown as z.ZodType<VerifySettings<Reference>>) : schemaOf(name);
});

function schemaOf(name: SchemeName): z.ZodType<VerifySettings<Reference>> {
  switch (name) {
    case "standard-webhooks":
    case "svix":
    case "stripe":
    case "slack":
    case "paddle":
    case "linear":
    case "zoom":
    case "discord":
    case "sendgrid":
      return timed(name);
    case "github":
    case "shopify":
    case "shopify-events":
      return untimed(name);
    case "square":
    case "twilio":
      return withUrl(name);
    case "sns":
      return sns;
    case "paypal":
      return paypal;
    case "hmac":
      return hmacSchema;
  }
}

function timed(name: TimedSchemeName) {
  const members = { scheme: oneOf([name]), secrets: secretsOf(name), tolerance: toleranceOf(name) };
  return strictShape("an object", members).transform(({ tolerance, ...rest }): TimedSettings<Reference> => ({
    ...rest,
    toleranceMs: tolerance,
  }));
}

function untimed(name: UntimedSchemeName) {
  const members = { scheme: oneOf([name]), secrets: secretsOf(name) };
  return strictShape("an object", members).transform((settings): UntimedSettings<Reference> => settings);
}

function withUrl(name: UrlSchemeName) {
  const members = { scheme: oneOf([name]), secrets: secretsOf(name), publicUrl };
  return strictShape("an object", members).transform((settings): UrlSettings<Reference> => settings);
}

const sns = strictShape("an object", {
  scheme: oneOf(["sns"]),
  certificates,
  topics: listOf("a list of 1 to 100 topics", plainReference("the ARN of a topic"), { min: 1, max: 100 }),
  tolerance: toleranceOf("sns"),
}).transform(({ tolerance, ...rest }): SnsSettings<Reference> => ({ ...rest, toleranceMs: tolerance }));

const paypal = strictShape("an object", {
  scheme: oneOf(["paypal"]),
  certificates,
  webhookId: plainReference("the ID PayPal gave the webhook"),
  tolerance: toleranceOf("paypal"),
}).transform(({ tolerance, ...rest }): PayPalSettings<Reference> => ({ ...rest, toleranceMs: tolerance }));
