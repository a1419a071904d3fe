/** The members of a body by path, whether it is JSON or a form. */
import { singleHeader } from "../single-header.ts";
import { parseForm } from "./form.ts";
import { childrenOf } from "./json-children.ts";
import type { WebhookRequest } from "./scheme.ts";

export interface Members {
  /**
   * The text, number (as written) or truth value at a dotted path, as text; null for anything else.
   *
   * Null also where a name on the way is there twice: readers would differ.
   */
  text(path: string): string | null;
}

/** Null when the bytes are not UTF-8 without a byte order mark, or not JSON. */
export function readJson(bytes: Uint8Array): Members | null {
  const text = decodeUtf8(bytes);
  return text !== null && isJson(text) ? membersOfJson(text) : null;
}

/** `text` is JSON. */
export function membersOfJson(text: string): Members {
  return { text: (path) => plainText(path.split(".").reduce<string | null>(step, text)) };
}

/** A form when the request says it is one, else JSON; null when it is not what it should be. */
export function readBody({ headers, rawBody }: WebhookRequest): Members | null {
  return isForm(headers) ? readForm(rawBody) : readJson(rawBody);
}

export function isForm(headers: WebhookRequest["headers"]): boolean {
  const contentType = singleHeader(headers, "content-type");
  return contentType.ok && /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(contentType.value);
}

/** Parameters by their whole name: a dot in it is no step. */
export function readForm(bytes: Uint8Array): Members | null {
  const form = parseForm(bytes);
  if (form === null) return null;
  return {
    text: (name) => {
      const found = form.filter((parameter) => parameter.name === name);
      return found.length === 1 ? found[0]?.value || null : null;
    },
  };
}

export function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function step(text: string | null, name: string): string | null {
  if (text === null) return null;
  const found = childrenOf(text).filter((child) => child.name === name);
  return found.length === 1 ? (found[0]?.text ?? null) : null;
}

/** Numbers keep their spelling: a double would make one id of two long ones. */
function plainText(token: string | null): string | null {
  if (token === null || /^[[{n]/.test(token)) return null;
  return token.startsWith('"') ? String(JSON.parse(token)) || null : token;
}
