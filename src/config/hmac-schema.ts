/** The schema of `verify` with scheme `hmac`: a sender's own way of signing, spelled out. */
import { isSignedText } from "../signing/verify/hmac.ts";
import type { HmacSettings } from "../signing/verify/settings.ts";
import { hasNoIssues, listOf, strictShape } from "./accept.ts";
import type { Reference } from "./config.ts";
import { oneOf, pattern, text } from "./scalars.ts";
import { defaultToleranceMs, headerName, memberPath, secretsOf, tolerance } from "./verify-members.ts";

const SIGNED_RULE = "a text that ends with '{body}' and may hold '{timestamp}' before it, such as '{timestamp}.{body}'";

const shape = strictShape("an object", {
  scheme: oneOf(["hmac"]),
  secrets: secretsOf("hmac"),
  header: headerName,
  algorithm: oneOf(["sha256", "sha512"]).default("sha256"),
  encoding: oneOf(["hex", "base64"]).default("hex"),
  prefix: pattern("what stands before the signature, such as 'sha256='", /^[\x20-\x7e]{0,50}$/).default(""),
  signed: text(SIGNED_RULE, 200).refine(isSignedText, { error: SIGNED_RULE }).default("{body}"),
  timestampHeader: headerName.optional(),
  tolerance: tolerance.optional(),
  idHeader: headerName.optional(),
  typeHeader: headerName.optional(),
  typeFrom: memberPath.optional(),
  volatile: listOf("a list of at most 20 members", text("the name of a member", 200), { min: 0, max: 20 }).default([]),
});

export const hmacSchema = shape
  .refine(({ signed, timestampHeader }) => !signed.includes("{timestamp}") || timestampHeader !== undefined, {
    path: ["timestampHeader"],
    error: "the name of a header, because signed holds '{timestamp}'",
    when: hasNoIssues,
  })
  .refine(({ signed, timestampHeader }) => signed.includes("{timestamp}") || timestampHeader === undefined, {
    path: ["signed"],
    error: "a text with '{timestamp}', because timestampHeader is given: a time that is not signed proves nothing",
    when: hasNoIssues,
  })
  .refine((checked) => checked.tolerance === undefined || checked.timestampHeader !== undefined, {
    path: ["timestampHeader"],
    error: "the name of a header with the signed time, because tolerance is given: without one nothing is ever too old",
    when: hasNoIssues,
  })
  .refine(({ typeHeader, typeFrom }) => typeHeader === undefined || typeFrom === undefined, {
    path: ["typeFrom"],
    error: "at most one of typeHeader and typeFrom",
    when: hasNoIssues,
  })
  .transform((checked): HmacSettings<Reference> => ({
    scheme: checked.scheme,
    secrets: checked.secrets,
    signatureHeader: checked.header,
    algorithm: checked.algorithm,
    encoding: checked.encoding,
    prefix: checked.prefix,
    signedText: checked.signed,
    timestampHeader: checked.timestampHeader ?? null,
    toleranceMs: checked.tolerance ?? defaultToleranceMs("hmac"),
    idHeader: checked.idHeader ?? null,
    typeHeader: checked.typeHeader ?? null,
    typeFrom: checked.typeFrom ?? "type",
    volatileMembers: checked.volatile,
  }));
