/** Headers such as `t=1614265330,v1=…,v1=…`: a time, and several signatures during a rotation. */
import { MAX_SIGNATURES } from "../bounds.ts";
import type { Read } from "../single-header.ts";
import { decodeStrictHex } from "../strict-hex.ts";
import { singleHeader } from "../single-header.ts";
import { hmacMatches } from "./hmac-matches.ts";
import { judgeUnixSeconds } from "./moments.ts";
import { refused, type VerifyResult, verifiedWhen, type WebhookRequest } from "./scheme.ts";
import type { TimedSettings } from "./settings.ts";

export interface PairsForm {
  readonly header: string;
  readonly separator: "," | ";";
  readonly timeName: string;
  /** Names of signatures; pairs of other names are passed over. */
  readonly signatureName: string;
  /** Between the time and the body, in what is signed. */
  readonly timeEnd: "." | ":";
}

interface SignaturePairs {
  /** As sent: these characters are what is signed. */
  readonly time: string;
  /** At least one, at most ten; 32 bytes each. */
  readonly signatures: readonly Buffer[];
}

const SHA256_BYTES = 32;

/** A scheme that signs the time and the body by HMAC-SHA256. */
export function verifySignaturePairs(
  { secrets, toleranceMs }: TimedSettings<string>,
  request: WebhookRequest,
  form: PairsForm,
): VerifyResult {
  const pairs = readSignaturePairs(request, form);
  if (!pairs.ok) return refused(pairs.reason);
  const { time, signatures } = pairs;
  const late = judgeUnixSeconds(time, { nowMs: request.nowMs, toleranceMs });
  if (late !== null) return refused(late);
  const parts = [`${time}${form.timeEnd}`, request.rawBody];
  return verifiedWhen(hmacMatches({ algorithm: "sha256", secrets, parts, signatures }));
}

/** Broken signatures are passed over while there is a whole one. */
function readSignaturePairs({ headers }: WebhookRequest, form: PairsForm): Read<SignaturePairs> {
  const header = singleHeader(headers, form.header);
  if (!header.ok) return header;
  const pairs = header.value.split(form.separator);
  // Node joins a field that came twice with ", ", and a space is part of no pair.
  if (header.value.includes(" ") || pairs.some((pair) => pair.indexOf("=") < 1)) return malformed;
  // Up to the first `=`: the value of a kind to come may be padded base64, which must not spoil the ones we know.
  const valuesOf = (name: string) =>
    pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1));
  const [time, ...otherTimes] = valuesOf(form.timeName);
  const texts = valuesOf(form.signatureName);
  if (time === undefined || otherTimes.length > 0 || texts.length > MAX_SIGNATURES) return malformed;
  if (texts.length === 0) return { ok: false, reason: "unknown_version" };
  const signatures = texts.map((text) => decodeStrictHex(text, SHA256_BYTES)).filter((bytes) => bytes !== null);
  return signatures.length === 0 ? malformed : { ok: true, time, signatures };
}

const malformed = { ok: false, reason: "malformed_header" } as const;
