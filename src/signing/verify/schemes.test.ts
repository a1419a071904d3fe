/** What is particular to single schemes; what all have in common is in `verify-webhook.test.ts`. */
import { createHash, createHmac, sign } from "node:crypto";
import { describe, expect, test } from "vitest";
import { PROVIDER, readVectorFile, requestOf, vectorOf, vectorsOf } from "../../../test/support/signature-vectors.ts";
import type { SignatureVector } from "../../../test/support/signature-vectors.ts";
import { isSignedText } from "./hmac.ts";
import { payPalSignedText } from "./paypal.ts";
import type { WebhookRequest } from "./scheme.ts";
import type { SchemeName, VerifyScheme } from "./settings.ts";
import { verifyWebhook } from "./verify-webhook.ts";

const VERIFIED = { verified: true };
const refused = (because: string) => ({ verified: false, because });

interface Change {
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
  readonly settings?: object;
  readonly url?: string;
  readonly nowMs?: number;
}

function verdict(vector: SignatureVector, { headers = {}, body, settings = {}, ...rest }: Change = {}) {
  const request: WebhookRequest = { ...requestOf(vector), ...rest, headers: { ...vector.headers, ...headers } };
  // Settings of the same scheme over settings that are whole.
  const scheme = { ...vector.scheme, ...settings } as VerifyScheme;
  return verifyWebhook(scheme, body === undefined ? request : { ...request, rawBody: Buffer.from(body) });
}

const change = (name: SchemeName, headers: Readonly<Record<string, string | undefined>>) =>
  verdict(vectorOf(name), { headers });

describe("several signatures in one header", () => {
  const wrong = "0".repeat(64);
  const lists = [
    { name: "stripe", header: "stripe-signature", time: "t", key: "v1", other: "v0", separator: "," },
    { name: "paddle", header: "paddle-signature", time: "ts", key: "h1", other: "h2", separator: ";" },
  ] as const;

  test.each(lists)("of $name count wherever the right one stands", ({ name, header, time, key, other, separator }) => {
    const value = vectorOf(name).headers[header] ?? "";
    const [stamp = "", right = ""] = value.split(separator);
    const pass = (...entries: readonly string[]) => change(name, { [header]: entries.join(separator) });
    expect(pass(stamp, `${key}=${wrong}`, right)).toEqual(VERIFIED);
    expect(pass(stamp, right, `${key}=${wrong}`)).toEqual(VERIFIED);
    expect(pass(stamp, right, right)).toEqual(VERIFIED);
    expect(pass(right, stamp, `${other}=${wrong}`, "x=1")).toEqual(VERIFIED);
    expect(pass(stamp, `${other}=cGFkZGVk==`, right)).toEqual(VERIFIED);
    expect(pass(stamp, "x", right)).toEqual(refused("malformed_header"));
    expect(pass(stamp, `${key}=AAAA`, right)).toEqual(VERIFIED);
    expect(pass(stamp, `${key}=${wrong}`)).toEqual(refused("signature_mismatch"));
    expect(pass(stamp, right.replace(key, other))).toEqual(refused("unknown_version"));
    expect(pass(stamp, `${key}=AAAA`)).toEqual(refused("malformed_header"));
    expect(pass(right)).toEqual(refused("malformed_header"));
    expect(pass(stamp, stamp, right)).toEqual(refused("malformed_header"));
    expect(pass(stamp, right, "")).toEqual(refused("malformed_header"));
    expect(pass(`${time}=1614265330abc`, right)).toEqual(refused("timestamp_malformed"));
    const tenBad = Array.from({ length: 10 }, () => `${key}=${wrong}`);
    expect(pass(stamp, ...tenBad.slice(1), right)).toEqual(VERIFIED);
    expect(pass(stamp, ...tenBad, right)).toEqual(refused("malformed_header"));
  });

  test("of Standard Webhooks count by their version", () => {
    const [plain] = vectorsOf("standard-webhooks-bodies");
    if (plain === undefined) throw new Error("The vector is missing.");
    const right = plain.headers["webhook-signature"] ?? "";
    const pass = (signature: string) => verdict(plain, { headers: { "webhook-signature": signature } });
    expect(pass(`v1,AAAA ${right} v2,AAAA`)).toEqual(VERIFIED);
    for (const version of ["v2", "v1a", "V1"]) expect(pass(right.replace("v1", version)).verified).toBe(false);
    expect(pass(`${"v1,AAAA ".repeat(1000)}${right}`)).toEqual(refused("malformed_header"));
  });
});

describe("the dot of Standard Webhooks", () => {
  test("cannot be moved from one field to another", () => {
    const [plain] = vectorsOf("standard-webhooks-bodies");
    if (plain === undefined) throw new Error("The vector is missing.");
    const signature = "v1,cQm6kcJKM3lzpn+UAoDI0cMU+/AMndBk8ktunNY0hpk=";
    const signed = (id: string, time: string) => ({
      "webhook-id": id,
      "webhook-timestamp": time,
      "webhook-signature": signature,
    });
    expect(verdict(plain, { headers: signed("a", "1760000000"), body: "5.x" })).toEqual(VERIFIED);
    expect(verdict(plain, { headers: signed("a.1760000000", "5"), body: "x", nowMs: 5000 })).toEqual(
      refused("malformed_header"),
    );
  });
});

describe("a version of another kind", () => {
  test.each([
    ["github", { "x-hub-signature-256": undefined, "x-hub-signature": `sha1=${"0".repeat(40)}` }, "missing_header"],
    ["github", { "x-hub-signature-256": `sha1=${"0".repeat(40)}` }, "unknown_version"],
    ["slack", { "x-slack-signature": `v1=${"0".repeat(64)}` }, "unknown_version"],
    ["slack", { "x-slack-request-timestamp": undefined }, "missing_header"],
    ["zoom", { "x-zm-request-timestamp": "soon" }, "timestamp_malformed"],
    ["twilio", { "x-twilio-webhooks-signature-settings": "key=SK1,algorithm=HMAC_MD5" }, "unknown_version"],
    ["twilio", { "x-twilio-webhooks-signature-settings": "key=algorithm=HMAC_SHA256" }, "unknown_version"],
    ["twilio", { "x-twilio-webhooks-signature-settings": "key=SK1,algorithm=HMAC_SHA256" }, "malformed_header"],
    ["paypal", { "paypal-auth-algo": "SHA1withRSA" }, "unknown_version"],
    ["paypal", { "paypal-auth-algo": undefined }, "missing_header"],
    ["paypal", { "paypal-transmission-id": undefined }, "missing_header"],
    ["paypal", { "paypal-transmission-time": undefined }, "missing_header"],
    ["paypal", { "paypal-transmission-time": "now" }, "timestamp_malformed"],
    ["paypal", { "paypal-transmission-id": "a|b" }, "malformed_header"],
    ["paypal", { "paypal-cert-url": "https://evil.example/cert.pem" }, null],
  ] as const)("of %s in %j is told: %s", (name, headers, because) => {
    expect(change(name, headers)).toEqual(because === null ? VERIFIED : refused(because));
  });
});

describe("a secret that is none", () => {
  test.each(["standard-webhooks", "svix", "discord", "sendgrid"] as const)("verifies nothing of %s", (name) => {
    expect(verdict(vectorOf(name), { settings: { secrets: ["none"] } })).toEqual(refused("no_active_secret"));
  });
});

describe("the body of SendGrid", () => {
  test("is signed with its last line break", () => {
    const vector = vectorOf("sendgrid");
    expect(verdict(vector, { body: (vector.body ?? "").trimEnd() })).toEqual(refused("signature_mismatch"));
  });
});

describe("the time of Linear", () => {
  const { digestOnly } = readVectorFile("linear") as { readonly digestOnly: SignatureVector };
  const signed = (body: string) => ({
    body,
    headers: { "linear-signature": createHmac("sha256", "shop-secret").update(body).digest("hex") },
  });

  test("has to stand in the body, whatever the header says", () => {
    const headers = { "linear-timestamp": String(digestOnly.nowMs) };
    expect(verdict(digestOnly, { headers })).toEqual(refused("timestamp_missing"));
    expect(verdict(digestOnly, { body: '{"id":2}' })).toEqual(refused("signature_mismatch"));
  });

  test.each([
    ['{"webhookTimestamp":"soon"}', "timestamp_malformed"],
    ['{"webhookTimestamp":1614265330000.5}', "timestamp_malformed"],
    ['{"webhookTimestamp":1614265330000,"webhookTimestamp":1614265330000}', "timestamp_missing"],
    ["no JSON", "timestamp_missing"],
  ])("is not read out of %s", (body, because) => {
    expect(verdict(digestOnly, signed(body))).toEqual(refused(because));
  });
});

describe("PayPal", () => {
  test("signs transmission, time, webhook and the checksum of the body", () => {
    const { signedText } = readVectorFile("paypal") as {
      readonly signedText: Omit<Parameters<typeof payPalSignedText>[0], "body"> & {
        readonly body: string;
        readonly expected: string;
      };
    };
    expect(payPalSignedText({ ...signedText, body: Buffer.from(signedText.body) })).toBe(signedText.expected);
  });

  test("means one webhook, and a certificate of the time", () => {
    const vector = vectorOf("paypal");
    expect(verdict(vector, { settings: { webhookId: "8PT597110X687430LKGECATA" } })).toEqual(
      refused("signature_mismatch"),
    );
    const wide = { toleranceMs: 1e15 };
    expect(verdict(vector, { settings: wide, nowMs: Date.UTC(2109, 11, 31) })).toEqual(VERIFIED);
    for (const year of [2009, 2111])
      expect(verdict(vector, { settings: wide, nowMs: Date.UTC(year, 0) })).toEqual(refused("certificate_untrusted"));
    expect(verdict(vector, { settings: { certificates: [PROVIDER.weakCertificate] } })).toEqual(
      refused("certificate_untrusted"),
    );
  });
});

describe("SNS", () => {
  const notification = vectorOf("sns");
  const members = JSON.parse(notification.body ?? "") as Readonly<Record<string, string>>;
  const withMembers = (changed: object) => verdict(notification, { body: JSON.stringify({ ...members, ...changed }) });

  test("does not care for the order and spelling of what it does not sign", () => {
    expect(withMembers({ UnsubscribeURL: "https://sns.us-east-2.amazonaws.com/?x", MessageAttributes: {} })).toEqual(
      VERIFIED,
    );
    expect(withMembers({ Subject: null })).toEqual(VERIFIED);
    const reversed = Object.fromEntries(Object.entries(members).toReversed());
    expect(verdict(notification, { body: JSON.stringify(reversed, null, 2) })).toEqual(VERIFIED);
  });

  test.each([
    "http://sns.us-east-2.amazonaws.com/SimpleNotificationService-0123456789abcdef0123456789abcdef.pem",
    "https://sns.us-east-2.amazonaws.com.evil.example/SimpleNotificationService-0123456789abcdef0123456789abcdef.pem",
    "https://evil.example/SimpleNotificationService-0123456789abcdef0123456789abcdef.pem",
    "https://sns.us-east-2.amazonaws.com/SimpleNotificationService-0123456789abcdef0123456789abcdef.pem?x",
    "https://sns.us-east-2.amazonaws.com/other.pem",
  ])("names no other place for its certificate than its own: %s", (url) => {
    expect(withMembers({ SigningCertURL: url })).toEqual(refused("certificate_untrusted"));
  });

  test.each([
    [{ SignatureVersion: "3" }, "unknown_version"],
    [{ SignatureVersion: "toString" }, "unknown_version"],
    [{ SignatureVersion: "2" }, "signature_mismatch"],
    [{ Signature: "!" }, "body_malformed"],
    [{ Signature: "A".repeat(5000) }, "body_malformed"],
    [{ Timestamp: "yesterday" }, "timestamp_malformed"],
    [{ Type: "Other" }, "body_malformed"],
    [{ Message: undefined }, "body_malformed"],
    [{ MessageId: "" }, "body_malformed"],
    [{ MessageId: 5 }, "body_malformed"],
    [{ Signature: undefined }, "body_malformed"],
    [{ SignatureVersion: undefined }, "body_malformed"],
    [{ SigningCertURL: undefined }, "body_malformed"],
    [{ Timestamp: undefined }, "body_malformed"],
    [{ TopicArn: "a\nb" }, "body_malformed"],
    [{ Subject: "a\nMessageId" }, "body_malformed"],
  ])("is refused with %j: %s", (changed, because) => {
    expect(withMembers(changed)).toEqual(refused(because));
  });

  test("is refused when a member is there twice, which one could read either way", () => {
    const body = (notification.body ?? "").replace("{", '{"Message":"other",');
    expect(verdict(notification, { body })).toEqual(refused("body_malformed"));
  });

  test("is heard from the topics of the source only", () => {
    const settings = { topics: ["arn:aws:sns:us-east-2:123456789012:Another"] };
    expect(verdict(notification, { settings })).toEqual(refused("topic_untrusted"));
    expect(verdict(notification, { settings, body: JSON.stringify({ ...members, Message: "x" }) })).toEqual(
      refused("signature_mismatch"),
    );
  });

  test("keeps field boundaries that a publisher might write into a message", () => {
    // Signed is "Message\na\nMessageId\nfake\nMessageId\n…": another reading of it ends the message earlier.
    const message = "a\nMessageId\nfake";
    const { MessageId, Timestamp, TopicArn } = members;
    const text = `Message\n${message}\nMessageId\n${MessageId}\nTimestamp\n${Timestamp}\nTopicArn\n${TopicArn}\nType\nNotification\n`;
    const Signature = sign("sha1", Buffer.from(text), PROVIDER.privateKey).toString("base64");
    expect(withMembers({ Message: message, Signature })).toEqual(VERIFIED);
    const shifted = { Message: "a", MessageId: `fake\nMessageId\n${MessageId}`, Signature };
    expect(withMembers(shifted)).toEqual(refused("body_malformed"));
  });
});

describe("Twilio", () => {
  const [form] = vectorsOf("twilio");
  const json = vectorsOf("twilio").at(-1);
  if (form === undefined || json === undefined) throw new Error("The vectors are missing.");

  test("takes host and path from the configuration, whatever the request was sent to", () => {
    expect(verdict(form, { url: "http://10.0.0.7:8787/v1/hooks/twilio?foo=1&bar=2" })).toEqual(VERIFIED);
    expect(verdict(form, { headers: { host: "evil.example", "x-forwarded-host": "evil.example" } })).toEqual(VERIFIED);
    expect(verdict(form, { settings: { publicUrl: "https://evil.example/myapp.php?foo=1&bar=2" } })).toEqual(
      refused("signature_mismatch"),
    );
  });

  test("signs the query as it arrived", () => {
    const [, quoted] = vectorsOf("twilio");
    if (quoted?.url === undefined) throw new Error("The vector is missing.");
    expect(verdict(quoted, { url: quoted.url.replace("'", "%27") })).toEqual(VERIFIED);
    expect(verdict(form, { url: "/?foo=1&bar=3" })).toEqual(refused("signature_mismatch"));
  });

  test("checks a body that is not a form by its hash, and only that way", () => {
    expect(verdict(json, { body: `${json.body} ` })).toEqual(refused("signature_mismatch"));
    expect(verdict(json, { url: "/myapp.php?foo=1&bar=2" })).toEqual(refused("body_malformed"));
    expect(verdict(json, { url: "/myapp.php?foo=1&bar=2&bodySHA256=" })).toEqual(refused("signature_mismatch"));
    const settings = { publicUrl: "https://mycompany.com/myapp.php" };
    expect(verdict(json, { settings })).toEqual(VERIFIED);
    const twice = `${json.url}&bodySHA256=${"0".repeat(64)}`;
    expect(verdict(json, { settings, url: twice })).toEqual(refused("body_malformed"));
  });

  test.each(["https://hooks.example/twilio", "https://hooks.example/twilio?a=1"])(
    "takes no body for signed because its hash stood in a text of a form: %s",
    (publicUrl) => {
      const evil = '{"EventType":"refund.requested"}';
      const hash = createHash("sha256").update(evil).digest("hex");
      // Somebody sent this as a message and saw what Twilio made of it.
      const text = `&bodySHA256=${hash}&`;
      const parameters = `Body${text}From1`;
      const mac = createHmac("sha1", "12345").update(`https://hooks.example/twilio?a=1${parameters}`).digest("base64");
      const sent = { headers: { "x-twilio-signature": mac }, settings: { publicUrl } };
      const genuine = `Body=${encodeURIComponent(text)}&From=1`;
      expect(verdict(form, { ...sent, url: "/twilio?a=1", body: genuine })).toEqual(VERIFIED);
      expect(verdict(form, { ...sent, url: `/twilio?a=1${parameters}`, body: evil }).verified).toBe(false);
    },
  );

  test("keeps to the query of the configured URL where it has one", () => {
    const publicUrl = "https://mycompany.com/myapp.php?foo=1&bar=2";
    const [, quoted] = vectorsOf("twilio");
    if (quoted === undefined) throw new Error("The vector is missing.");
    expect(verdict(quoted, { settings: { publicUrl } })).toEqual(refused("signature_mismatch"));
    expect(verdict(quoted, { settings: { publicUrl: `${publicUrl}&Body=It's+amazing` } })).toEqual(VERIFIED);
  });

  test("reads no form of more than a thousand parameters before it knows who sent it", () => {
    const signed = (count: number) => {
      const names = Array.from({ length: count }, (_, index) => String(10_000 + index));
      const mac = createHmac("sha1", "12345")
        .update(`https://hooks.example/${names.join("")}`)
        .digest("base64");
      const settings = { publicUrl: "https://hooks.example/" };
      return { settings, headers: { "x-twilio-signature": mac }, body: names.map((name) => `${name}=`).join("&") };
    };
    expect(verdict(form, signed(1000))).toEqual(VERIFIED);
    expect(verdict(form, signed(1001))).toEqual(refused("body_malformed"));
  });

  test("refuses all under a configured URL that is none of the web", () => {
    expect(verdict(form, { settings: { publicUrl: "mailto:ana@example.com" } })).toEqual(refused("signature_mismatch"));
  });
});

describe("hmac", () => {
  const [plain, timed] = vectorsOf("hmac");
  if (plain === undefined || timed === undefined) throw new Error("The vectors are missing.");

  test.each([
    ["{body}", true],
    ["{timestamp}.{body}", true],
    ["v1:{timestamp}:{body}", true],
    ["{timestamp}", false],
    ["{body}.{timestamp}", false],
    ["{timestamp}{timestamp}{body}", false],
    ["{id}.{body}", false],
    ["{body}{body}", false],
    ["body", false],
  ])("takes %j for what is signed: %s", (text, expected) => {
    expect(isSignedText(text)).toBe(expected);
  });

  test("says what is missing or of another form", () => {
    expect(verdict(plain, { headers: { "x-signature": plain.headers["x-signature"]?.slice(7) } })).toEqual(
      refused("malformed_header"),
    );
    expect(verdict(timed, { headers: { "x-time": undefined } })).toEqual(refused("missing_header"));
    expect(verdict(timed, { headers: { "x-time": "soon" } })).toEqual(refused("timestamp_malformed"));
    expect(verdict(timed, { headers: { "x-signature": "AAAA" } })).toEqual(refused("malformed_header"));
  });
});
