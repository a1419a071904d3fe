/**
 * The text of an API key: `csk_<id>_<secret>`.
 *
 * The prefix is fixed, so that secret scanners find a key wherever it was left:
 * `csk_[a-z0-9]{1,32}_[A-Za-z0-9_-]{43}`. An id holds no `_`, so the text splits in one way only.
 */
import { CountersignError } from "../errors.ts";

export interface KeyParts {
  /** Finds the entry; no secret. */
  readonly id: string;
  /** 256 random bits in base64url without padding: 43 characters. Never log it. */
  readonly secret: string;
}

const ID_BYTES = 6;
const SECRET_BYTES = 32;

/** How many random bytes `makeKey` takes. */
export const KEY_BYTES = ID_BYTES + SECRET_BYTES;

/** A new key out of `KEY_BYTES` bytes of a cryptographic source of randomness; `bad_argument` for any other number. */
export function makeKey(random: Uint8Array): KeyParts {
  if (random.byteLength !== KEY_BYTES) {
    throw new CountersignError(
      "bad_argument",
      `A key is made of ${KEY_BYTES} random bytes, but there are ${random.byteLength}.`,
    );
  }
  const bytes = Buffer.from(random);
  return {
    id: bytes.subarray(0, ID_BYTES).toString("hex"),
    secret: bytes.subarray(ID_BYTES).toString("base64url"),
  };
}

export function formatKey({ id, secret }: KeyParts): string {
  return `csk_${id}_${secret}`;
}

/** Null = not the form of a key; whether the key exists is another question. */
export function readKey(text: string): KeyParts | null {
  const [, id, secret] = /^csk_([a-z0-9]{1,32})_([\w-]{43})$/.exec(text) ?? [];
  return id === undefined || secret === undefined ? null : { id, secret };
}
