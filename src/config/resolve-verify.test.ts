import { describe, expect, test } from "vitest";
import { PROVIDER } from "../../test/support/signature-vectors.ts";
import { CountersignError } from "../errors.ts";
import type { Source } from "./config.ts";
import { defineConfig, env } from "./define-config.ts";
import { parseConfig } from "./parse-config.ts";
import type { RawSource } from "./raw-config.ts";
import { resolveVerify, verifyVariables } from "./resolve-verify.ts";

const PUBLIC_KEY = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
const SPKI =
  "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE83T4O/n84iotIvIW4mdBgQ/7dAfSmpqIM8kF9mN1flpVKS3GRqe62gw+2fNNRaINXvVpiglSI8eNEc6wEA3F+g==";

function aSource(raw: RawSource): Source {
  const source = parseConfig(defineConfig({ sources: { shop: raw } }), { path: null }).sources["shop"];
  if (source === undefined) throw new Error("The source shop is missing.");
  return source;
}

const idFrom = null;
const RESOLVED: readonly (readonly [raw: RawSource, resolved: object])[] = [
  [
    { verify: { scheme: "stripe", secrets: [env("NEW"), "old"] } },
    { scheme: "stripe", secrets: ["new secret", "old"], toleranceMs: 300_000, idFrom },
  ],
  [
    { verify: { scheme: "paddle", secrets: [env("NEW")], tolerance: "30s" }, idFrom: ["data.id", "event_type"] },
    { scheme: "paddle", secrets: ["new secret"], toleranceMs: 30_000, idFrom: ["data.id", "event_type"] },
  ],
  [{ verify: { scheme: "github", secrets: [env("NEW")] } }, { scheme: "github", secrets: ["new secret"], idFrom }],
  [
    { verify: { scheme: "discord", secrets: [PUBLIC_KEY] } },
    { scheme: "discord", secrets: [PUBLIC_KEY], toleranceMs: 300_000, idFrom },
  ],
  [
    { verify: { scheme: "sendgrid", secrets: [SPKI] } },
    { scheme: "sendgrid", secrets: [SPKI], toleranceMs: 300_000, idFrom },
  ],
  [
    { verify: { scheme: "twilio", secrets: [env("NEW")], publicUrl: env("URL") } },
    { scheme: "twilio", secrets: ["new secret"], publicUrl: "https://hooks.example/v1/hooks/shop?a=b", idFrom },
  ],
  [
    {
      verify: {
        scheme: "sns",
        certificates: [env("PEM"), PROVIDER.certificate],
        topics: ["arn:aws:sns:a", env("NEW")],
      },
    },
    {
      scheme: "sns",
      certificates: [PROVIDER.certificate, PROVIDER.certificate],
      topics: ["arn:aws:sns:a", "new secret"],
      toleranceMs: 65 * 60_000,
      idFrom,
    },
  ],
  [
    { verify: { scheme: "paypal", certificates: [env("PEM")], webhookId: "3TR748995U920805P" } },
    {
      scheme: "paypal",
      certificates: [PROVIDER.certificate],
      webhookId: "3TR748995U920805P",
      toleranceMs: 300_000,
      idFrom,
    },
  ],
  [
    { verify: { scheme: "hmac", secrets: ["s"], header: "X-Signature" }, idFrom: ["id"] },
    {
      scheme: "hmac",
      secrets: ["s"],
      signatureHeader: "x-signature",
      algorithm: "sha256",
      encoding: "hex",
      prefix: "",
      signedText: "{body}",
      timestampHeader: null,
      toleranceMs: 300_000,
      idHeader: null,
      typeHeader: null,
      typeFrom: "type",
      volatileMembers: [],
      idFrom: ["id"],
    },
  ],
  [
    {
      verify: {
        scheme: "hmac",
        secrets: ["s"],
        header: "x-signature",
        algorithm: "sha512",
        encoding: "base64",
        prefix: "v1=",
        signed: "{timestamp}.{body}",
        timestampHeader: "X-Time",
        tolerance: "1m",
        idHeader: "X-Id",
        typeHeader: "X-Type",
        volatile: ["attempt"],
      },
    },
    {
      scheme: "hmac",
      secrets: ["s"],
      signatureHeader: "x-signature",
      algorithm: "sha512",
      encoding: "base64",
      prefix: "v1=",
      signedText: "{timestamp}.{body}",
      timestampHeader: "x-time",
      toleranceMs: 60_000,
      idHeader: "x-id",
      typeHeader: "x-type",
      typeFrom: "type",
      volatileMembers: ["attempt"],
      idFrom,
    },
  ],
];

const ENVIRONMENT = { NEW: "new secret", URL: "https://hooks.example/v1/hooks/shop?a=b", PEM: PROVIDER.certificate };

function refusal(source: Source, environment: Readonly<Record<string, string>>): CountersignError {
  try {
    resolveVerify(source, environment);
  } catch (error) {
    if (error instanceof CountersignError) return error;
    throw error;
  }
  throw new Error("It was resolved.");
}

describe("resolveVerify", () => {
  test.each(RESOLVED)("replaces every reference and fills in the defaults: %j", (raw, resolved) => {
    expect(resolveVerify(aSource(raw), ENVIRONMENT)).toEqual(resolved);
  });

  test("is null for a source of our own", () => {
    expect(resolveVerify(aSource({}), {})).toBeNull();
    expect(verifyVariables(aSource({}))).toEqual([]);
  });

  test("names each variable that is missing, once, and those there are", () => {
    const source = aSource({
      verify: { scheme: "square", secrets: [env("A"), env("B"), env("A")], publicUrl: env("C") },
    });
    expect(verifyVariables(source)).toEqual(["A", "B", "C"]);
    const error = refusal(source, { A: "", B: "b" });
    expect(error.code).toBe("missing_env");
    expect(error.message).toBe('Source "shop" needs the environment variables A, C, which are not set or empty.');
    expect(refusal(source, { A: "a", B: "b" }).message).toBe(
      'Source "shop" needs the environment variable C, which is not set or empty.',
    );
  });

  test.each<readonly [RawSource, string]>([
    [
      { verify: { scheme: "stripe", secrets: [env("A")] } },
      "environment variable A must be a secret without white space at either end",
    ],
    [
      { verify: { scheme: "discord", secrets: [env("A")] } },
      "environment variable A must be an Ed25519 public key: 64 hexadecimal digits",
    ],
    [
      { verify: { scheme: "sns", certificates: [env("A")], topics: ["t"] } },
      "environment variable A must be an X.509 certificate in PEM with an RSA key of at least 2048 bits",
    ],
    [
      { verify: { scheme: "square", secrets: ["s"], publicUrl: env("A") } },
      "environment variable A must be the URL as it stands at the provider, such as 'https://hooks.example/v1/hooks/shop'",
    ],
  ])("refuses a value that cannot be used, without showing it: %j", (raw, complaint) => {
    const error = refusal(aSource(raw), { A: "s3cr3t\n" });
    expect(error.code).toBe("config_invalid");
    expect(error.message).toBe(`Source "shop": ${complaint}.`);
  });
});
