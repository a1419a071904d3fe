/** Headers such as `t=1614265330,v1=…,v1=…`: a time, and several signatures during a rotation. */
import { MAX_SIGNATURES } from "../bounds.ts";
import type { Read } from "../single-header.ts";
import { decodeStrictHex } from "../strict-hex.ts";
import { singleHeader } from "../single-header.ts";
import type { WebhookRequest } from "./scheme.ts";

export interface PairsForm {
  readonly header: string;
  readonly separator: "," | ";";
  readonly timeName: string;
  /** Names of signatures; pairs of other names are passed over. */
  readonly signatureName: string;
}

export interface SignaturePairs {
  /** As sent: these characters are what is signed. */
  readonly time: string;
  /** At least one, at most ten; 32 bytes each. */
  readonly signatures: readonly Buffer[];
}

const SHA256_BYTES = 32;

/** Broken signatures are passed over while there is a whole one. */
export function readSignaturePairs({ headers }: WebhookRequest, form: PairsForm): Read<SignaturePairs> {
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
