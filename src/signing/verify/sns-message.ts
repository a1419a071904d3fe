/** The envelope of Amazon SNS, which signs members of its body: it has to be read before it can be verified. */
import { childrenOf } from "./json-children.ts";
import { decodeUtf8, isJson } from "./members.ts";

export type SnsType = "Notification" | "SubscriptionConfirmation" | "UnsubscribeConfirmation";

export interface SnsMessage {
  readonly type: SnsType;
  readonly messageId: string;
  readonly topicArn: string;
  readonly timestamp: string;
  /** Of a confirmation; null in a notification. */
  readonly subscribeUrl: string | null;
  readonly signatureVersion: string;
  readonly signature: string;
  readonly signingCertUrl: string;
  /** What is signed: each name and value on a line of its own, names in the order of their bytes. */
  readonly signedText: string;
}

const NOTIFICATION_NAMES = ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"];
const CONFIRMATION_NAMES = ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"];
const UNSIGNED_NAMES = ["Signature", "SignatureVersion", "SigningCertURL"];

/** Null when the bytes are no such envelope, or could be read in two ways. */
export function readSnsMessage(bytes: Uint8Array): SnsMessage | null {
  const members = readTexts(bytes);
  const type = members?.get("Type");
  if (members === null || !isSnsType(type)) return null;
  const signedNames = type === "Notification" ? NOTIFICATION_NAMES : CONFIRMATION_NAMES;
  const present = signedNames.filter((name) => name !== "Subject" || members.has(name));
  if ([...present, ...UNSIGNED_NAMES].some((name) => !isValue(name, members.get(name)))) return null;
  const text = (name: string) => members.get(name) ?? "";
  return {
    type,
    messageId: text("MessageId"),
    topicArn: text("TopicArn"),
    timestamp: text("Timestamp"),
    subscribeUrl: type === "Notification" ? null : text("SubscribeURL"),
    signatureVersion: text("SignatureVersion"),
    signature: text("Signature"),
    signingCertUrl: text("SigningCertURL"),
    signedText: present.map((name) => `${name}\n${text(name)}\n`).join(""),
  };
}

/** Top-level members that are texts; a `Subject` of null counts as absent. Null for a repeated name. */
function readTexts(bytes: Uint8Array): ReadonlyMap<string, string> | null {
  const text = decodeUtf8(bytes);
  if (text === null || !isJson(text)) return null;
  const children = childrenOf(text);
  if (new Set(children.map(({ name }) => name)).size < children.length) return null;
  const texts = children.filter((child) => child.text.startsWith('"'));
  return new Map(texts.map((child) => [child.name, String(JSON.parse(child.text))]));
}

/** Nothing escapes a line break in what is signed, so only the message may hold one. */
function isValue(name: string, value: string | undefined): boolean {
  if (value === undefined) return false;
  return name === "Message" || (value !== "" && !/[\r\n]/.test(value));
}

function isSnsType(type: string | undefined): type is SnsType {
  return type === "Notification" || type === "SubscriptionConfirmation" || type === "UnsubscribeConfirmation";
}
