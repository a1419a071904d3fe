import { describe, expect, test } from "vitest";
import { PROVIDER } from "../../test/support/signature-vectors.ts";
import { CountersignError } from "../errors.ts";
import { parseConfig } from "./parse-config.ts";

const secrets = [{ env: "S" }];
const source = (raw: object) => ({ sources: { shop: raw } });
const verify = (raw: unknown) => source({ verify: raw });
const hmac = (raw: object) => verify({ scheme: "hmac", secrets, header: "x-signature", idHeader: "x-id", ...raw });
const sns = (raw: object) => verify({ scheme: "sns", certificates: secrets, topics: ["arn:aws:sns:x"], ...raw });

const SCHEMES =
  "'standard-webhooks', 'svix', 'stripe', 'github', 'slack', 'shopify', 'shopify-events', 'twilio', 'paypal', 'square', 'paddle', 'linear', 'zoom', 'discord', 'sendgrid', 'sns', 'hmac'";
const TOLERANCE = "accepted: a duration of at least 1 s, such as '5m'";
const URL_RULE =
  "accepted: the URL as it stands at the provider, such as 'https://hooks.example/v1/hooks/shop', or env('NAME')";
const PEM = "accepted: an X.509 certificate in PEM with an RSA key of at least 2048 bits, or env('NAME')";
const PATH = "accepted: a path such as 'data.orderId'";

const WRONG: readonly (readonly [raw: unknown, problem: string])[] = [
  [
    verify("stripe"),
    "verify: found a string (6 characters); accepted: an object with scheme, secrets and what else the scheme needs",
  ],
  [verify([]), "verify: found an empty list; accepted: an object with scheme, secrets and what else the scheme needs"],
  [verify({ secrets }), `verify.scheme: found nothing; accepted: ${SCHEMES}`],
  [verify({ scheme: "Stripe!" }), `verify.scheme: found a string (7 characters); accepted: ${SCHEMES}`],
  [verify({ scheme: "toString" }), `verify.scheme: found a string (8 characters); accepted: ${SCHEMES}`],
  [verify({ scheme: "stripe" }), "verify.secrets: found nothing; accepted: a list of 1 to 10 secrets"],
  [
    verify({ scheme: "stripe", secrets: [] }),
    "verify.secrets: found an empty list; accepted: a list of 1 to 10 secrets",
  ],
  [
    verify({ scheme: "stripe", secrets: Array(11).fill("s") }),
    "verify.secrets: found a list; accepted: a list of 1 to 10 secrets",
  ],
  [
    verify({ scheme: "stripe", secret: "s", secrets }),
    "verify.secret: unknown key; accepted: scheme, secrets, tolerance",
  ],
  [
    verify({ scheme: "stripe", secrets: ["s "] }),
    "verify.secrets[0]: found a string (2 characters); accepted: a secret without white space at either end, or env('NAME')",
  ],
  [
    verify({ scheme: "stripe", secrets, tolerance: "0s" }),
    `verify.tolerance: found a string (2 characters); ${TOLERANCE}`,
  ],
  [verify({ scheme: "stripe", secrets, tolerance: 300 }), `verify.tolerance: found a number; ${TOLERANCE}`],
  [verify({ scheme: "github", secrets, tolerance: "5m" }), "verify.tolerance: unknown key; accepted: scheme, secrets"],
  [
    verify({ scheme: "standard-webhooks", secrets: ["whsec_AAECAw=="] }),
    "verify.secrets[0]: found a string (14 characters); accepted: 'whsec_' and 24 to 64 bytes in base64, or 'whpk_' and an Ed25519 public key of 32 bytes in base64, or env('NAME')",
  ],
  [
    verify({ scheme: "discord", secrets: ["abc"] }),
    "verify.secrets[0]: found a string (3 characters); accepted: an Ed25519 public key: 64 hexadecimal digits, or env('NAME')",
  ],
  [
    verify({ scheme: "sendgrid", secrets: ["abc"] }),
    "verify.secrets[0]: found a string (3 characters); accepted: a P-256 public key: its SPKI in base64, as the provider shows it, or env('NAME')",
  ],
  [verify({ scheme: "twilio", secrets }), `verify.publicUrl: found nothing; ${URL_RULE}`],
  [
    verify({ scheme: "square", secrets, publicUrl: "/hook" }),
    `verify.publicUrl: found a string (5 characters); ${URL_RULE}`,
  ],
  [
    verify({ scheme: "square", secrets, publicUrl: "https://a.example/#b" }),
    `verify.publicUrl: found a string (20 characters); ${URL_RULE}`,
  ],
  [sns({ secrets }), "verify.secrets: unknown key; accepted: scheme, certificates, topics, tolerance"],
  [
    sns({ certificates: "x" }),
    "verify.certificates: found a string (1 character); accepted: a list of 1 to 10 certificates",
  ],
  [sns({ certificates: ["x"] }), `verify.certificates[0]: found a string (1 character); ${PEM}`],
  [
    sns({ certificates: [PROVIDER.weakCertificate] }),
    `verify.certificates[0]: found a string (${PROVIDER.weakCertificate.length} characters); ${PEM}`,
  ],
  [sns({ topics: [] }), "verify.topics: found an empty list; accepted: a list of 1 to 100 topics"],
  [
    verify({ scheme: "paypal", certificates: secrets }),
    "verify.webhookId: found nothing; accepted: the ID PayPal gave the webhook, or env('NAME')",
  ],
  [hmac({ header: "x signature" }), "verify.header: found a string (11 characters); accepted: the name of a header"],
  [hmac({ algorithm: "sha1" }), "verify.algorithm: found a string (4 characters); accepted: 'sha256', 'sha512'"],
  [
    hmac({ signed: "{body}.{timestamp}" }),
    "verify.signed: found a string (18 characters); accepted: a text that ends with '{body}' and may hold '{timestamp}' before it, such as '{timestamp}.{body}'",
  ],
  [
    hmac({ signed: "{timestamp}.{body}" }),
    "verify.timestampHeader: found nothing; accepted: the name of a header, because signed holds '{timestamp}'",
  ],
  [
    hmac({ timestampHeader: "x-time" }),
    "verify.signed: found nothing; accepted: a text with '{timestamp}', because timestampHeader is given: a time that is not signed proves nothing",
  ],
  [
    hmac({ tolerance: "1m" }),
    "verify.timestampHeader: found nothing; accepted: the name of a header with the signed time, because tolerance is given: without one nothing is ever too old",
  ],
  [
    hmac({ typeHeader: "x-type", typeFrom: "type" }),
    "verify.typeFrom: found a string (4 characters); accepted: at most one of typeHeader and typeFrom",
  ],
  [
    hmac({ idHeader: undefined }),
    "verify.idHeader: found nothing; accepted: the name of the header with the id, or idFrom of the source",
  ],
  [
    source({ verify: { scheme: "zoom", secrets }, idFrom: [] }),
    "idFrom: found an empty list; accepted: a list of 1 to 10 paths such as 'data.orderId'",
  ],
  [source({ verify: { scheme: "zoom", secrets }, idFrom: ["a..b"] }), `idFrom[0]: found "a..b"; ${PATH}`],
  [source({ verify: { scheme: "zoom", secrets }, idFrom: [""] }), `idFrom[0]: found ""; ${PATH}`],
  [
    source({ idFrom: ["data.orderId", "orderId"] }),
    "idFrom[1]: found \"orderId\"; accepted: a path into the event, such as 'data.orderId' or 'subject'",
  ],
];

function messageOf(raw: unknown): string {
  try {
    parseConfig(raw, { path: null });
  } catch (error) {
    if (error instanceof CountersignError && error.code === "config_invalid") return error.message;
    throw error;
  }
  throw new Error("The configuration was accepted.");
}

describe("a wrong verify", () => {
  test.each(WRONG.map(([raw, problem]) => ({ raw, problem })))("is refused: $problem", ({ raw, problem }) => {
    expect(messageOf(raw)).toBe(`The configuration is not valid: sources.shop.${problem}`);
  });
});
