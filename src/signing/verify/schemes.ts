/** The schemes there are, by the name they have in the configuration. */
import { discord } from "./discord.ts";
import { github } from "./github.ts";
import { hmac } from "./hmac.ts";
import { linear } from "./linear.ts";
import { paddle } from "./paddle.ts";
import { paypal } from "./paypal.ts";
import type { Scheme } from "./scheme.ts";
import { sendgrid } from "./sendgrid.ts";
import type { SchemeName, VerifySettings } from "./settings.ts";
import { shopify, shopifyEvents } from "./shopify.ts";
import { slack } from "./slack.ts";
import { sns } from "./sns.ts";
import { square } from "./square.ts";
import { standardWebhooks, svix } from "./standard-webhooks.ts";
import { stripe } from "./stripe.ts";
import { twilio } from "./twilio.ts";
import { zoom } from "./zoom.ts";

type SettingsOf<Name extends SchemeName> = Extract<VerifySettings<string>, { readonly scheme: Name }>;

/** Each reads the settings of its own name; a name without a scheme is a type error here. */
const BY_NAME: { readonly [Name in SchemeName]: Scheme<SettingsOf<Name>> } = {
  "standard-webhooks": standardWebhooks,
  svix,
  stripe,
  github,
  slack,
  shopify,
  "shopify-events": shopifyEvents,
  twilio,
  paypal,
  square,
  paddle,
  linear,
  zoom,
  discord,
  sendgrid,
  sns,
  hmac,
};

/** In the order in which they are listed to people. */
export const SCHEME_NAMES = Object.keys(BY_NAME) as readonly SchemeName[]; // the table has these names and no other

export function schemeOf(name: SchemeName): Scheme<VerifySettings<string>> {
  return BY_NAME[name];
}
