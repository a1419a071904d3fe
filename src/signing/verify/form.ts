/** `application/x-www-form-urlencoded`, read strictly. */
import { MAX_FORM_PARAMETERS } from "../bounds.ts";

export interface FormParameter {
  readonly name: string;
  readonly value: string;
}

/**
 * The parameters in their order; null when something is not one, or when there are more than 1000.
 *
 * Each is `name=value`. The tolerant parser of the URL standard would read
 * `%zz`, bytes that are not UTF-8 and a missing `=` as something else.
 */
export function parseForm(bytes: Uint8Array): readonly FormParameter[] | null {
  if (bytes.byteLength === 0) return [];
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  const pairs = text.split("&", MAX_FORM_PARAMETERS + 1);
  if (pairs.length > MAX_FORM_PARAMETERS) return null;
  const parameters: FormParameter[] = [];
  for (const pair of pairs) {
    const equals = pair.indexOf("=");
    const name = decode(pair.slice(0, equals));
    const value = decode(pair.slice(equals + 1));
    if (equals < 1 || name === null || value === null) return null;
    parameters.push({ name, value });
  }
  return parameters;
}

/** Null for broken percent signs and for bytes that are not UTF-8, escaped or not. */
function decode(text: string): string | null {
  if (/[^\x20-\x7e]/.test(text)) return null;
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return null;
  }
}
