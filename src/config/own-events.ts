/**
 * Events of our own: tests and notices. They reach endpoints that no route leads to, so nothing
 * else may pass for one: whoever may start workflows could send what they like that way.
 */
import { isDigest } from "../delivery/digest.ts";
import type { BusinessEvent } from "../delivery/event.ts";
import { type Notice, NOTICE_TYPE, type NoticeKind } from "../delivery/notice.ts";

/** The type of the synthetic event that `test ENDPOINT` sends; its subject names the endpoint. */
export const TEST_EVENT_TYPE = "countersign.test";

/** The whole body of a test. */
export const TEST_DATA = { test: true };

export function isTestEvent({ type, synthetic, data, datacontenttype }: BusinessEvent): boolean {
  const isOurs = JSON.stringify(data) === JSON.stringify(TEST_DATA) && datacontenttype === undefined;
  return synthetic === true && type === TEST_EVENT_TYPE && isOurs;
}

const KINDS: Readonly<Record<NoticeKind, true>> = {
  requested: true,
  reminder: true,
  escalated: true,
  approved: true,
  rejected: true,
  expired: true,
};

type NoticeBody = Omit<Notice, "v" | "to">;

const isText = (value: unknown): boolean => typeof value === "string" && value.length <= 1000;
const isCount = (value: unknown): boolean => Number.isSafeInteger(value);

/** What each member of a notice is, so that a body of another kind is none. */
const MEMBERS: Readonly<Record<keyof NoticeBody, (value: unknown) => boolean>> = {
  kind: (value) => typeof value === "string" && Object.hasOwn(KINDS, value),
  count: isCount,
  key: isText,
  type: isText,
  endpoint: isText,
  revision: isCount,
  digest: (value) => typeof value === "string" && isDigest(value),
  requestedBy: (value) => value === null || isText(value),
  expiresAt: isText,
  approvers: (value) => Array.isArray(value) && value.every(isText),
};

export function isNoticeEvent({ type, data, datacontenttype }: BusinessEvent): boolean {
  if (typeof data !== "object" || data === null || Array.isArray(data) || datacontenttype !== undefined) return false;
  const body = new Map(Object.entries(data));
  const isWhole = body.size === Object.keys(MEMBERS).length;
  const isShaped = Object.entries(MEMBERS).every(([name, fits]) => body.has(name) && fits(body.get(name)));
  const kind = body.get("kind");
  return isWhole && isShaped && typeof kind === "string" && type === `${NOTICE_TYPE}${kind}`;
}
