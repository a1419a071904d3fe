/** Amazon SNS over HTTP/S: docs.aws.amazon.com/sns, "verifying the signatures of messages". */
import { MAX_HEADER_CHARS } from "../bounds.ts";
import { decodeStrictBase64 } from "../strict-base64.ts";
import { judgeRsa } from "./certificates.ts";
import { readJson } from "./members.ts";
import { judgeRfc3339, timeOfRfc3339 } from "./moments.ts";
import { eventOf, unreadable } from "./provider-event.ts";
import type { Handshake } from "./provider-event.ts";
import { refused, VERIFIED, WANTS_200 } from "./scheme.ts";
import type { Scheme } from "./scheme.ts";
import type { SnsSettings } from "./settings.ts";
import { readSnsMessage } from "./sns-message.ts";
import type { SnsMessage } from "./sns-message.ts";

/** Version 1 is what a topic has unless told otherwise. */
const ALGORITHMS: Readonly<Record<string, "sha1" | "sha256">> = { "1": "sha1", "2": "sha256" };

const CERTIFICATE_URL =
  /^https:\/\/sns\.[a-z0-9-]{1,40}\.amazonaws\.com(?:\.cn)?\/SimpleNotificationService-[0-9a-f]{32}\.pem$/;
const SUBSCRIBE_URL = /^https:\/\/sns\.[a-z0-9-]{1,40}\.amazonaws\.com(?:\.cn)?\/[\x21-\x7e]{1,2000}$/;

export const sns: Scheme<SnsSettings<string>> = {
  // SNS tries for an hour and keeps the time of the first try.
  toleranceMs: 65 * 60_000,
  keyForm: "certificate",
  acknowledgement: WANTS_200,

  verify({ certificates, topics, toleranceMs }, { rawBody, nowMs }) {
    const message = readSnsMessage(rawBody);
    if (message === null || message.signature.length > MAX_HEADER_CHARS) return refused("body_malformed");
    const algorithm = Object.hasOwn(ALGORITHMS, message.signatureVersion)
      ? ALGORITHMS[message.signatureVersion]
      : undefined;
    if (algorithm === undefined) return refused("unknown_version");
    const signature = decodeStrictBase64(message.signature);
    if (signature === null) return refused("body_malformed");
    // The certificate is not fetched from there; a message that names another place is not from SNS.
    if (!CERTIFICATE_URL.test(message.signingCertUrl)) return refused("certificate_untrusted");
    const late = judgeRfc3339(message.timestamp, { nowMs, toleranceMs });
    if (late !== null) return refused(late);
    const bytes = Buffer.from(message.signedText);
    const problem = judgeRsa({ certificates, algorithm, bytes, signature, nowMs });
    if (problem !== null) return refused(problem);
    return topics.includes(message.topicArn) ? VERIFIED : refused("topic_untrusted");
  },

  readEvent(settings, { rawBody }) {
    const message = readSnsMessage(rawBody);
    const members = readJson(rawBody);
    if (message === null || members === null) return unreadable("body_malformed");
    if (message.type !== "Notification") return confirmation(message);
    return eventOf(settings, members, {
      id: message.messageId,
      type: message.type,
      time: timeOfRfc3339(message.timestamp),
      subject: message.topicArn,
      // Outside what is signed, and others once the key of SNS changes.
      volatileMembers: ["Signature", "SignatureVersion", "SigningCertURL", "UnsubscribeURL"],
    });
  },
};

/** Visiting the URL is left to the operator: bytes leave this product by deliveries only. */
function confirmation({ type, topicArn, subscribeUrl }: SnsMessage): Handshake {
  const place =
    subscribeUrl !== null && SUBSCRIBE_URL.test(subscribeUrl) ? subscribeUrl : "a URL that is not one of SNS: leave it";
  const advice =
    type === "SubscriptionConfirmation"
      ? `SNS topic ${topicArn} sends nothing until the subscription is confirmed; visit ${place}`
      : `The subscription to SNS topic ${topicArn} has ended; to subscribe again, visit ${place}`;
  return { kind: "handshake", status: 200, headers: {}, body: "", advice };
}
