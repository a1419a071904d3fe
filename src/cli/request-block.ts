/** A received request for people (one block) and for programs (one JSON line). */
import type { AnsweredRequest, SignatureCheck } from "./listen-server.ts";
import { singleHeader } from "./listen-server.ts";
import { answerText } from "./listen-answers.ts";
import { safeLines, safeText } from "./safe-text.ts";
import type { Colors } from "./terminal.ts";
import { clockText } from "./time-text.ts";

const MAX_SHOWN_BYTES = 1000;
const MAX_HEX_BYTES = 64;

export function requestBlock(request: AnsweredRequest, colors: Colors): string {
  const { bold, dim } = colors;
  const contentType = singleHeader(request.headers, "content-type") ?? "no content type";
  const size = `${bytesText(request.body.byteLength)}, ${safeText(contentType)}`;
  return [
    `${bold(`#${request.number} ${request.method} ${safeText(request.path)}`)}  ${dim(`${clockText(request.at)}  ${size}`)}`,
    `  key        ${keyText(request, colors)}`,
    ...eventLine(request),
    `  signature  ${signatureText(request.check, colors)}`,
    `  answered   ${answerText(request.answer)}`,
    ...bodyLines(request.body).map((line) => `  ${line}`),
    "",
  ].join("\n");
}

function keyText({ idempotencyKey, seenBefore }: AnsweredRequest, { dim, yellow }: Colors): string {
  if (idempotencyKey === null) return "none";
  const times = seenBefore === 1 ? "once" : `${seenBefore} times`;
  return `${safeText(idempotencyKey)} ${seenBefore === 0 ? dim("(new)") : yellow(`(seen before, ${times})`)}`;
}

function eventLine({ headers }: AnsweredRequest): readonly string[] {
  const [source, id, type] = ["ce-source", "ce-id", "ce-type"].map((name) => singleHeader(headers, name));
  if (source === null || id === null || type === null) return [];
  const synthetic = headers["countersign-synthetic"] === undefined ? "" : " (synthetic)";
  return [`  event      ${safeText(`${source}/${id}  ${type}${synthetic}`)}`];
}

function signatureText(check: SignatureCheck, { dim, green, red }: Colors): string {
  switch (check.signature) {
    case "valid":
      return green("valid");
    case "refused":
      return red(`NOT valid (${check.reason})`);
    case "not-checked":
      return dim(check.signed ? "present, not checked: give --secret" : "none");
  }
}

/** Text as it is, bytes as hexadecimal digits; cut with a word about it. */
export function bodyLines(body: Buffer): readonly string[] {
  if (body.byteLength === 0) return ["(empty body)"];
  const text = textOf(body.subarray(0, MAX_SHOWN_BYTES));
  const shownBytes = text === null ? MAX_HEX_BYTES : MAX_SHOWN_BYTES;
  const shown = text === null ? `bytes ${body.subarray(0, MAX_HEX_BYTES).toString("hex")}` : safeLines(text);
  const rest = body.byteLength - shownBytes;
  return [...shown.split("\n"), ...(rest > 0 ? [`… and ${bytesText(rest)} more`] : [])];
}

function bytesText(count: number): string {
  return count === 1 ? "1 byte" : `${count} bytes`;
}

/** Null when the bytes are not text. A character cut at the end does not make it binary. */
function textOf(bytes: Buffer): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return null;
  }
}

/** `body` when the bytes are UTF-8, else `body_base64`; whole in both cases. */
export function requestRecord(request: AnsweredRequest): Readonly<Record<string, unknown>> {
  const { number, at, method, path, headers, idempotencyKey, seenBefore, check, answer, body } = request;
  const text = body.toString("utf8");
  const content = Buffer.from(text, "utf8").equals(body) ? { body: text } : { body_base64: body.toString("base64") };
  return {
    number,
    at,
    method,
    path,
    headers,
    idempotencyKey,
    seenBefore,
    ...check,
    answer,
    bodyBytes: body.byteLength,
    ...content,
  };
}
