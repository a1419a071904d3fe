/** Signatures of providers that sign with RSA: certificates come from the configuration, and nothing is fetched. */
import { verify, X509Certificate } from "node:crypto";
import type { RefusalReason } from "../verdict.ts";

const MIN_RSA_BITS = 2048;

/** Null when the text is no certificate in PEM with an RSA key of at least 2048 bits. */
export function readCertificate(pem: string): X509Certificate | null {
  // The parser would take DER and text around the certificate, too.
  if (!/^\s*-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\s*$/.test(pem)) return null;
  try {
    const certificate = new X509Certificate(pem);
    const { asymmetricKeyType, asymmetricKeyDetails } = certificate.publicKey;
    const bits = asymmetricKeyDetails?.modulusLength ?? 0;
    return asymmetricKeyType === "rsa" && bits >= MIN_RSA_BITS ? certificate : null;
  } catch {
    return null;
  }
}

export interface RsaClaim {
  readonly certificates: readonly string[];
  readonly algorithm: "sha1" | "sha256";
  readonly bytes: Uint8Array;
  readonly signature: Uint8Array;
  /** A certificate counts only within its own validity. */
  readonly nowMs: number;
}

/** Why no certificate vouches for the bytes; null when one does. Tries every one that is valid now. */
export function judgeRsa({ certificates, algorithm, bytes, signature, nowMs }: RsaClaim): RefusalReason | null {
  const valid = certificates
    .map(readCertificate)
    .filter((certificate) => certificate !== null)
    .filter(({ validFrom, validTo }) => Date.parse(validFrom) <= nowMs && nowMs <= Date.parse(validTo));
  if (valid.length === 0) return "certificate_untrusted";
  const matches = valid.map(({ publicKey }) => verify(algorithm, bytes, publicKey, signature));
  return matches.includes(true) ? null : "signature_mismatch";
}
