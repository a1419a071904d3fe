/** Bodies that public reports tell of, signed once and for all: the secret, the id and the time are the same for each. */
import { createHmac } from "node:crypto";

/** Key bytes 00 to 1f. */
export const SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
export const SIGNED_AT_MS = 1_760_000_000_000;
export const MESSAGE_ID = "msg_B";

export interface SignedBody {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Of `msg_B.1760000000.` and the bytes. */
  readonly signature: string;
}

function signed(body: string | Buffer, signature: string): SignedBody {
  return { bytes: new Uint8Array(Buffer.from(body)), signature: `v1,${signature}` };
}

const hex = (digits: string): Buffer => Buffer.from(digits, "hex");

export const BODIES = {
  plain: signed('{"a":1}', "l5MHgSfv+9Zx6FYrPhAdNnzcBiO+D1Y1jgnu+UYM7gs="),
  spaces: signed(hex("7b20226122203a2031207d0a"), "hiwfO/WzpXvjFb7nEZbON8h/hICJClgIjx1YZNXNMzU="),
  emoji: signed(hex("7b2274223a22f09f9984227d"), "ioaK80xqXSTGMN3fY2pt04QaQ6NwMTmN57AhJlRSS+E="),
  escapes: signed(
    String.raw`{"n":"\u2028\u2028724812-22","u":"a\/b","c":"\u00e9"}`,
    "ZoI354/Aer1bwfn5cuxMzXyAdGgjmM8SAfZmVlLutr4=",
  ),
  byteOrderMark: signed(hex("efbbbf7b2261223a317d"), "r5S+Vjz1Z8IVpq62nbCKy01h96JssHu20eDP+Htv5z8="),
  badByteFF: signed(hex("7b2261223a22ff227d"), "TSd/i1hQLMrgpXfjMGKX3ttxPnlS8gU3NGu2QC4KCLs="),
  badByteFE: signed(hex("7b2261223a22fe227d"), "IJegjncobwQ9Z0HxqTv1/8L2DAWZn8wNyAQ984CLBbU="),
  twice: signed('{"action":"hold","action":"release"}', "+7STZnodmxbcxS2wUGkcF3rEFAIadw6JJ5+KruVLZuM="),
  numbers: signed(
    '{"id":1152921506151679042,"amt":1.0,"max":1e400,"neg":-0}',
    "JKxGyzs41koHxrDNA+HA6tShVvH1+LaoamKWp9uABWs=",
  ),
  escapedNul: signed(String.raw`{"t":"a\u0000b"}`, "nXZudsk0H+VvEs/mOynXBbsR0SPjYaaxsnnMW093jCI="),
  loneSurrogate: signed(String.raw`{"t":"\ud83d"}`, "le4LWxPt0EJp+uFgar9lIUaFmhoRUQiDSBT6NUmj22I="),
  form: signed("payload=%7B%22a%22%3A1%7D", "5PlS5+dmSCdphPOS8m6bFlV2SVQQ3BC5xZodbVND0Ms="),
  prototype: signed('{"a":1,"__proto__":{"admin":true}}', "XNe1JBBRxO7geacXqq6uNp+gpFef4tu+5djmsngBT1o="),
  empty: signed("", "q2rbPsFj1Ww+wFQx/YWhCuuy4L2ryARYNYO+70noXuc="),
  gzip: signed(
    hex("1f8b0800000000000003ab564a54b232ac0500afac1b5607000000"),
    "SuzOP8AnyUNydz7ZBUknJbJWPD1iB+qrwDJkg4Zlv1I=",
  ),
} as const;

/** Signatures of `plain` under three keys that an implementation takes by mistake. */
export const WRONG_KEYS = {
  "the text of the whole secret": "v1,yJXTdMT1laKu5rpGxkGLmNTX/AKAx46rr8SbsDvq8EA=",
  "the base64 as text": "v1,I+xKLjS5VvC8GClueXdth4geYyEmS7rw1xTyZpsYlwg=",
  "an empty key": "v1,J+494F4/3elErqoO9zUVmPoGPxdaWJfzvkvYhmkeWQY=",
} as const;

/** Of id `a.1760000000`, time `5`, body `x`, and of id `a`, time `1760000000`, body `5.x`: the text is the same. */
export const MOVED_DOT = "v1,cQm6kcJKM3lzpn+UAoDI0cMU+/AMndBk8ktunNY0hpk=";

export const JSON_TYPE = { "content-type": "application/json" } as const;

/** The three headers of a message. */
export function signedHeaders(
  signature: string,
  { id = MESSAGE_ID, seconds = SIGNED_AT_MS / 1000 }: { readonly id?: string; readonly seconds?: number } = {},
): Readonly<Record<string, string>> {
  return { "webhook-id": id, "webhook-timestamp": String(seconds), "webhook-signature": signature };
}

/** The headers of a message that is signed now, or whenever else. */
export function signAnew(
  body: string | Uint8Array,
  { id, seconds, secret = SECRET }: { readonly id: string; readonly seconds: number; readonly secret?: string },
): Readonly<Record<string, string>> {
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const mac = createHmac("sha256", key).update(`${id}.${seconds}.`).update(body).digest("base64");
  return { ...JSON_TYPE, ...signedHeaders(`v1,${mac}`, { id, seconds }) };
}
