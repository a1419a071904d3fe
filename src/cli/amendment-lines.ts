/** What an amendment changes, before it is said. */
import { isUtf8 } from "node:buffer";
import type { DeliveryStatus } from "../delivery/event-state.ts";
import { bodyPages } from "./body-pages.ts";

export interface AmendmentView {
  /** Null = it cannot be told which delivery is meant; the workflow will say. */
  readonly delivery: DeliveryStatus | null;
  /** Null = the endpoint stays. */
  readonly endpoint: string | null;
  /** Null = the body stays. */
  readonly body: Uint8Array | null;
}

export function amendmentLines({ delivery, endpoint, body }: AmendmentView): readonly string[] {
  const before = delivery === null ? "" : ` of ${delivery.endpoint}, revision ${delivery.revision},`;
  return [
    ...(endpoint === null ? [] : [`The delivery${before} goes to ${endpoint} instead.`]),
    ...(body === null ? [] : [`The delivery${before} gets this body of ${body.length} bytes:`, ...bodyLines(body)]),
  ];
}

/** All pages: nobody can turn them here. */
function bodyLines(body: Uint8Array): readonly string[] {
  const bytes = Buffer.from(body);
  const shown = isUtf8(bytes) ? { body: bytes.toString("utf8") } : { body_base64: bytes.toString("base64") };
  return bodyPages(shown).flatMap(({ lines }) => lines.map((line) => `  | ${line}`));
}
