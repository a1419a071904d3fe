import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readVectorFile, requestOf, vectorOf, vectorsOf } from "../../../test/support/signature-vectors.ts";
import type { ProviderEvent } from "./provider-event.ts";
import { readProviderEvent } from "./read-provider-event.ts";
import { SCHEME_NAMES } from "./schemes.ts";
import type { SchemeName, VerifyScheme } from "./settings.ts";
import { verifyWebhook } from "./verify-webhook.ts";

type Headers = Readonly<Record<string, string>>;

interface Received {
  readonly headers?: Headers;
  readonly idFrom?: readonly string[];
  /** Over those of the scheme's vector. */
  readonly settings?: object;
}

const FORM = { "content-type": "application/x-www-form-urlencoded" };

function read(name: SchemeName, body: unknown, { headers = {}, idFrom, settings = {} }: Received = {}): ProviderEvent {
  // Settings of the same scheme over settings that are whole.
  const scheme = { ...vectorOf(name).scheme, ...settings, idFrom: idFrom ?? null } as VerifyScheme;
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return readProviderEvent(scheme, { headers, rawBody: Buffer.from(text), nowMs: vectorOf(name).nowMs });
}

const event = (id: string, type: string, more: object = {}) => ({
  kind: "event",
  id,
  type,
  idIsSigned: true,
  volatileMembers: [],
  ...more,
});
const unsigned = { idIsSigned: false };
const unreadable = (because: string) => ({ kind: "unreadable", because });

const EVENTS: readonly (readonly [what: string, found: ProviderEvent, expected: object])[] = [
  [
    "Standard Webhooks: id of the header, type and time of the body",
    read(
      "standard-webhooks",
      { type: "user.created", timestamp: "2022-11-03T20:26:10.344522Z", data: {} },
      { headers: { "webhook-id": "msg_1" } },
    ),
    event("msg_1", "user.created", { time: "2022-11-03T20:26:10.344Z" }),
  ],
  [
    "Standard Webhooks without a type, which its specification does not demand",
    read("standard-webhooks", '{"a":1}', { headers: { "webhook-id": "msg_B" } }),
    event("msg_B", "untyped"),
  ],
  [
    "Svix: its older word for the type",
    read("svix", { eventType: "invoice.paid" }, { headers: { "svix-id": "msg_2" } }),
    event("msg_2", "invoice.paid"),
  ],
  [
    "Stripe",
    read("stripe", { id: "evt_1", type: "invoice.paid", created: 1_614_265_330, pending_webhooks: 2 }),
    event("evt_1", "invoice.paid", { time: "2021-02-25T15:02:10.000Z", volatileMembers: ["pending_webhooks"] }),
  ],
  [
    "Stripe, second version",
    read("stripe", { id: "evt_2", object: "v2.core.event", type: "v1.x", created: "2024-09-17T06:20:52.246Z" }),
    event("evt_2", "v1.x", { time: "2024-09-17T06:20:52.246Z", volatileMembers: ["pending_webhooks"] }),
  ],
  [
    "GitHub with an action",
    read("github", { action: "opened" }, { headers: { "x-github-event": "issues", "x-github-delivery": "72d3162e" } }),
    event("72d3162e", "issues.opened", unsigned),
  ],
  [
    "GitHub without an action",
    read("github", { ref: "main" }, { headers: { "x-github-event": "push", "x-github-delivery": "72d3162f" } }),
    event("72d3162f", "push", unsigned),
  ],
  [
    "GitHub as a form",
    read("github", "payload=%7B%22action%22%3A%22closed%22%7D", {
      headers: { ...FORM, "x-github-event": "issues", "x-github-delivery": "g3" },
    }),
    event("g3", "issues.closed", unsigned),
  ],
  [
    "Slack: the event inside",
    read("slack", {
      type: "event_callback",
      event_id: "Ev1",
      event_time: 1_355_517_523,
      event: { type: "app_mention" },
    }),
    event("Ev1", "app_mention", { time: "2012-12-14T20:38:43.000Z" }),
  ],
  [
    "Slack: too many events",
    read("slack", { type: "app_rate_limited", team_id: "T1", minute_rate_limited: 1_518_467_820 }),
    event("app_rate_limited:T1:1518467820", "app_rate_limited"),
  ],
  [
    "Slack: a command",
    readProviderEvent(vectorOf("slack").scheme, requestOf(vectorOf("slack"))),
    event("398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c", "command"),
  ],
  [
    "Slack: a button",
    read("slack", `payload=${encodeURIComponent('{"type":"block_actions","trigger_id":"1.2.3"}')}`, { headers: FORM }),
    event("1.2.3", "block_actions"),
  ],
  [
    "Shopify",
    read("shopify", '{"id":1}', {
      headers: {
        "x-shopify-event-id": "98880550",
        "x-shopify-webhook-id": "b54557e4",
        "x-shopify-topic": "orders/create",
        "x-shopify-triggered-at": "2023-03-29T18:00:27.877041743Z",
      },
    }),
    event("98880550", "orders/create", { ...unsigned, time: "2023-03-29T18:00:27.877Z" }),
  ],
  [
    "Shopify Events",
    read("shopify-events", '{"id":1}', {
      headers: { "shopify-event-id": "e1", "shopify-topic": "Product", "shopify-action": "update" },
    }),
    event("e1", "Product.update", unsigned),
  ],
  [
    "Twilio: its token for repeats",
    read("twilio", "MessageSid=SM1&MessageStatus=delivered", {
      headers: { ...FORM, "i-twilio-idempotency-token": "t-1" },
    }),
    event("t-1", "message.delivered", unsigned),
  ],
  [
    "Twilio: a message and its status",
    read("twilio", "SmsSid=SM1&MessageSid=SM1&SmsStatus=received", { headers: FORM }),
    event("SM1:received", "message.received"),
  ],
  [
    "Twilio: a call and its status",
    read("twilio", "CallSid=CA1&CallStatus=completed", { headers: FORM }),
    event("CA1:completed", "call.completed"),
  ],
  [
    "Twilio: JSON with a word of its own",
    read("twilio", { EventType: "task.created" }, { headers: { "i-twilio-idempotency-token": "t-2" } }),
    event("t-2", "task.created", unsigned),
  ],
  [
    "Twilio: neither word nor status",
    read("twilio", "Digits=1", { headers: { ...FORM, "i-twilio-idempotency-token": "t-3" } }),
    event("t-3", "untyped", unsigned),
  ],
  [
    "PayPal",
    read("paypal", { id: "WH-1", event_type: "PAYMENT.SALE.COMPLETED", create_time: "2016-09-21T22:00:45Z" }),
    event("WH-1", "PAYMENT.SALE.COMPLETED", { time: "2016-09-21T22:00:45.000Z" }),
  ],
  [
    "Square",
    read("square", { event_id: "6a8f5f28", type: "payment.updated", created_at: "2021-01-01T00:00:00+01:00" }),
    event("6a8f5f28", "payment.updated", { time: "2020-12-31T23:00:00.000Z" }),
  ],
  [
    "Paddle",
    read("paddle", { event_id: "evt_01", event_type: "transaction.paid", notification_id: "ntf_1", occurred_at: "x" }),
    event("evt_01", "transaction.paid", { volatileMembers: ["notification_id"] }),
  ],
  [
    "Linear",
    read(
      "linear",
      { action: "create", type: "Issue", createdAt: "2020-01-23T12:53:18.084Z" },
      { headers: { "linear-delivery": "234d1a4e" } },
    ),
    event("234d1a4e", "Issue.create", {
      ...unsigned,
      time: "2020-01-23T12:53:18.084Z",
      volatileMembers: ["webhookTimestamp"],
    }),
  ],
  [
    "Zoom: what, when and on which object",
    read("zoom", {
      event: "meeting.started",
      event_ts: 1_626_230_691_572,
      payload: { object: { uuid: "a:b==", id: 5 } },
    }),
    event("meeting.started:1626230691572:a%3Ab==", "meeting.started", { time: "2021-07-14T02:44:51.572Z" }),
  ],
  [
    "Zoom: and who, since all leave a meeting that ends in one moment",
    read("zoom", {
      event: "meeting.participant_left",
      event_ts: 2,
      payload: { object: { uuid: "u", participant: { user_id: "16778240", id: "" } } },
    }),
    event("meeting.participant_left:2:u:16778240", "meeting.participant_left", { time: "1970-01-01T00:00:00.002Z" }),
  ],
  [
    "Zoom: an object without a UUID",
    read("zoom", { event: "user.updated", event_ts: 1, payload: { object: { id: "u1" } } }),
    event("user.updated:1:u1", "user.updated", { time: "1970-01-01T00:00:00.001Z" }),
  ],
  [
    "Discord: an interaction",
    read("discord", { id: "846462639134605312", type: 2 }),
    event("846462639134605312", "APPLICATION_COMMAND"),
  ],
  ["Discord: an interaction of a kind to come", read("discord", { id: "1", type: 9 }), event("1", "9")],
  [
    "Discord: a webhook event, by named members",
    read(
      "discord",
      {
        type: 1,
        event: { type: "APPLICATION_AUTHORIZED", timestamp: "2024-10-18T14:42:53.064834", data: { user: { id: "9" } } },
      },
      { idFrom: ["event.type", "event.timestamp", "event.data.user.id"] },
    ),
    event("APPLICATION_AUTHORIZED:2024-10-18T14%3A42%3A53.064834:9", "APPLICATION_AUTHORIZED"),
  ],
  [
    "SNS",
    readProviderEvent(vectorOf("sns").scheme, requestOf(vectorOf("sns"))),
    event("22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324", "Notification", {
      time: "2012-05-02T00:54:06.655Z",
      subject: "arn:aws:sns:us-east-2:123456789012:MyTopic",
      volatileMembers: ["Signature", "SignatureVersion", "SigningCertURL", "UnsubscribeURL"],
    }),
  ],
  [
    "HMAC: id of a header, type of a member",
    read(
      "hmac",
      { event: { name: "order.paid" } },
      { headers: { "x-event-id": "e1" }, settings: { typeFrom: "event.name", volatileMembers: ["n"] } },
    ),
    event("e1", "order.paid", { ...unsigned, volatileMembers: ["n"] }),
  ],
  [
    "HMAC: type of a header, id of members",
    read(
      "hmac",
      { order: { id: 12 } },
      { headers: { "x-type": "order" }, settings: { typeHeader: "x-type", idHeader: null }, idFrom: ["order.id"] },
    ),
    event("12", "order"),
  ],
  ["HMAC without a type", read("hmac", {}, { headers: { "x-event-id": "e2" } }), event("e2", "untyped", unsigned)],
];

describe("readProviderEvent", () => {
  test.each(EVENTS)("reads %s", (_what, found, expected) => {
    expect(found).toEqual(expected);
  });

  test("takes the id from named members instead of the provider's own", () => {
    const body = '{"id":"evt_1","type":"t","data":{"object":{"id":12345678901234567890,"n":1.0}}}';
    const stripe = (idFrom: readonly string[]) => read("stripe", body, { idFrom });
    expect(stripe(["data.object.id"])).toMatchObject({ id: "12345678901234567890", type: "t" });
    expect(stripe(["type", "data.object.n"])).toMatchObject({ id: "t:1.0" });
    expect(stripe(["type", "data.object.missing"])).toEqual(unreadable("id_missing"));
    const shopify = { headers: { "x-shopify-topic": "orders/create" }, idFrom: ["id"] };
    expect(read("shopify", '{"id":1}', shopify)).toMatchObject({ id: "1", idIsSigned: true });
  });

  test("makes different ids of different named members", () => {
    const pair = (first: string) => read("stripe", { type: "t", a: first, b: "c" }, { idFrom: ["a", "b"] });
    expect([pair("a:b"), pair("a%3Ab"), pair("a%3ab")]).toMatchObject([
      { id: "a%3Ab:c" },
      { id: "a%253Ab:c" },
      { id: "a%253ab:c" },
    ]);
    const value = fc.string({ unit: fc.constantFrom("a", ":", "%", "3", "A"), minLength: 1 });
    fc.assert(
      fc.property(fc.tuple(value, value), fc.tuple(value, value), (left, right) => {
        const idOf = ([a, b]: readonly string[]) => read("stripe", { type: "t", a, b }, { idFrom: ["a", "b"] });
        fc.pre(JSON.stringify(left) !== JSON.stringify(right));
        expect(idOf(left)).not.toEqual(idOf(right));
      }),
    );
  });

  test.each([
    [
      "Shopify without its event id",
      read("shopify", "{}", { headers: { "x-shopify-webhook-id": "w", "x-shopify-topic": "t" } }),
      "id_missing",
    ],
    ["Shopify without a topic", read("shopify", "{}", { headers: { "x-shopify-event-id": "e" } }), "type_missing"],
    [
      "GitHub with two delivery ids",
      read("github", "{}", { headers: { "x-github-event": "push", "x-github-delivery": "a, b" } }),
      "id_missing",
    ],
    ["GitHub without an event", read("github", "{}", { headers: { "x-github-delivery": "a" } }), "type_missing"],
    [
      "a form of GitHub without a payload",
      read("github", "a=1", { headers: { ...FORM, "x-github-event": "push" } }),
      "body_malformed",
    ],
    ["Stripe without an id", read("stripe", { type: "t" }), "id_missing"],
    ["Stripe with an empty id", read("stripe", { id: "", type: "t" }), "id_missing"],
    ["Stripe with two ids", read("stripe", '{"id":"a","id":"b","type":"t"}'), "id_missing"],
    ["Stripe with an object for an id", read("stripe", { id: {}, type: "t" }), "id_missing"],
    ["Stripe with null for a type", read("stripe", { id: "a", type: null }), "type_missing"],
    ["a Slack payload that is not JSON", read("slack", "payload=%7B", { headers: FORM }), "body_malformed"],
    ["a Slack form that is none", read("slack", "payload", { headers: FORM }), "body_malformed"],
    ["a Slack form of no kind we know", read("slack", "trigger_id=1", { headers: FORM }), "type_missing"],
    ["a Slack challenge that is missing", read("slack", { type: "url_verification" }), "handshake_malformed"],
    [
      "a Slack challenge without end",
      read("slack", { type: "url_verification", challenge: "c".repeat(1001) }),
      "handshake_malformed",
    ],
    ["Zoom without an object", read("zoom", { event: "meeting.started", event_ts: 1 }), "id_missing"],
    ["a Discord webhook event without idFrom", read("discord", { type: 1, event: { type: "X" } }), "id_missing"],
    ["Twilio without token and status", read("twilio", "Digits=1", { headers: FORM }), "id_missing"],
    ["a Twilio form that is none", read("twilio", "Digits", { headers: FORM }), "body_malformed"],
    ["HMAC without its id header", read("hmac", {}), "id_missing"],
    ["SendGrid that is not a list", read("sendgrid", {}), "batch_malformed"],
    ["SendGrid that is not JSON", read("sendgrid", "["), "body_malformed"],
    [
      "SendGrid with one event without an id",
      read("sendgrid", [{ sg_event_id: "1", event: "open" }, { event: "open" }]),
      "batch_malformed",
    ],
    [
      "SendGrid with 1001 events",
      read(
        "sendgrid",
        Array.from({ length: 1001 }, () => ({ sg_event_id: "1", event: "open" })),
      ),
      "batch_too_large",
    ],
    ["SNS that is none", read("sns", { Type: "Notification" }), "body_malformed"],
  ])("says why it cannot read %s", (_what, found, because) => {
    expect(found).toEqual(unreadable(because));
  });

  test.each(SCHEME_NAMES.filter((name) => name !== "sendgrid"))(
    "cannot read bodies of %s that are not UTF-8, start with a byte order mark, are cut or empty",
    (name) => {
      const scheme = vectorOf(name).scheme;
      for (const rawBody of [
        [...Buffer.from('{"a":"'), 0xff, ...Buffer.from('"}')],
        [0xef, 0xbb, 0xbf, 0x7b, 0x7d],
        [0x7b],
        [],
      ])
        expect(readProviderEvent(scheme, { headers: {}, rawBody: Uint8Array.from(rawBody), nowMs: 0 })).toEqual(
          unreadable("body_malformed"),
        );
    },
  );

  test("cuts a batch of SendGrid into its events, byte for byte", () => {
    const first = '{ "sg_event_id":"a" ,"event":"open","n":12345678901234567890,"timestamp":1600112492 }';
    const found = read("sendgrid", `\r\n[${first} , {"event":"click","sg_event_id":"b]}\\""}]\r\n`);
    expect(found).toEqual({
      kind: "batch",
      events: [
        event("a", "open", { time: "2020-09-14T19:41:32.000Z", body: Buffer.from(first) }),
        event('b]}"', "click", { body: Buffer.from('{"event":"click","sg_event_id":"b]}\\""}') }),
      ],
    });
    expect(read("sendgrid", "[]")).toEqual({ kind: "batch", events: [] });
    const [vector] = vectorsOf("sendgrid");
    if (vector === undefined) throw new Error("The vector is missing.");
    expect(readProviderEvent(vector.scheme, requestOf(vector))).toMatchObject({
      events: [{ id: "ZHJvcC0xMDk5NDkxOS1MUnpYbF9OSFN0T0doUTRrb2ZTbV9BLTA", type: "dropped" }],
    });
  });

  test.each(SCHEME_NAMES)("never throws, whatever arrives: %s", (name) => {
    const vector = vectorOf(name);
    const member = fc.constantFrom(
      "id",
      "type",
      "event",
      "payload",
      "action",
      "challenge",
      "Type",
      "sg_event_id",
      "object",
    );
    const json = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.string(),
        fc.integer(),
        fc.constant(null),
        tie("object"),
        fc.array(tie("value")),
      ),
      object: fc.dictionary(member, tie("value")),
    }));
    const body = fc.oneof(
      fc.uint8Array(),
      json.value.map((value) => Buffer.from(JSON.stringify(value))),
      fc.constant(requestOf(vector).rawBody),
    );
    const headers = fc.dictionary(
      fc.constantFrom(...Object.keys(vector.headers), "content-type", "x-github-event", "svix-id"),
      fc.oneof(fc.string(), fc.constantFrom(...Object.values(FORM), "application/json", "ping"), fc.array(fc.string())),
    );
    const kinds = ["event", "batch", "handshake", "unreadable"];
    fc.assert(
      fc.property(body, headers, (rawBody, given) => {
        const request = { headers: { ...vector.headers, ...given }, rawBody, nowMs: vector.nowMs };
        expect(kinds).toContain(readProviderEvent(vector.scheme, request).kind);
      }),
    );
  });
});

describe("the handshake", () => {
  const json = { "content-type": "application/json" };
  const plain = { "content-type": "text/plain; charset=utf-8" };
  const answer = (status: number, headers: Headers, body: string) => ({ kind: "handshake", status, headers, body });

  test.each([
    [
      "GitHub's ping",
      read("github", { zen: "z" }, { headers: { "x-github-event": "ping" } }),
      answer(200, plain, "pong"),
    ],
    [
      "Slack's challenge",
      read("slack", { type: "url_verification", challenge: "3eZbrw1a" }),
      answer(200, plain, "3eZbrw1a"),
    ],
    ["Slack's check of TLS", read("slack", "ssl_check=1&token=x", { headers: FORM }), answer(200, plain, "")],
    ["Discord's ping for interactions", read("discord", { id: "1", type: 1 }), answer(200, json, '{"type":1}')],
    ["Discord's ping for webhook events", read("discord", { version: 1, type: 0 }), answer(204, json, "")],
  ])("answers %s", (_what, found, expected) => {
    expect(found).toEqual(expected);
  });

  const validation = (
    readVectorFile("zoom") as {
      readonly urlValidation: { readonly secret: string; readonly plainToken: string; readonly encryptedToken: string };
    }
  ).urlValidation;

  function validate(plainToken: string, secrets: readonly string[]): ProviderEvent {
    const { nowMs } = vectorOf("zoom");
    const text = JSON.stringify({ event: "endpoint.url_validation", payload: { plainToken }, event_ts: nowMs });
    const seconds = String(nowMs / 1000);
    const digest = createHmac("sha256", validation.secret).update(`v0:${seconds}:${text}`).digest("hex");
    const scheme: VerifyScheme = { scheme: "zoom", secrets, toleranceMs: 300_000, idFrom: null };
    const headers = { "x-zm-request-timestamp": seconds, "x-zm-signature": `v0=${digest}` };
    const request = { headers, rawBody: Buffer.from(text), nowMs };
    expect(verifyWebhook(scheme, request).verified).toBe(secrets.includes(validation.secret));
    return readProviderEvent(scheme, request);
  }

  test("answers Zoom's validation under the secret that signed it", () => {
    const { plainToken, encryptedToken, secret } = validation;
    const expected = answer(200, json, JSON.stringify({ plainToken, encryptedToken }));
    expect(validate(plainToken, [secret])).toEqual(expected);
    expect(validate(plainToken, ["newer secret", secret])).toEqual(expected);
  });

  test("signs nothing for Zoom that could be taken for an event, and nothing that is not signed", () => {
    const { plainToken, secret } = validation;
    for (const token of ['v0:1614265330:{"event":"x"}', "", "a b", "a".repeat(201)])
      expect(validate(token, [secret])).toEqual(unreadable("handshake_malformed"));
    expect(validate(plainToken, ["another secret"])).toEqual(unreadable("handshake_malformed"));
  });

  test("tells the operator what SNS waits for, and fetches nothing", () => {
    const confirmations = vectorsOf("sns")
      .slice(2)
      .map((vector) => readProviderEvent(vector.scheme, requestOf(vector)));
    const url = "https://sns.us-east-2.amazonaws.com/?Action=ConfirmSubscription&Token=2336412f37";
    const topic = "arn:aws:sns:us-east-2:123456789012:MyTopic";
    expect(confirmations).toEqual([
      {
        ...answer(200, {}, ""),
        advice: `SNS topic ${topic} sends nothing until the subscription is confirmed; visit ${url}`,
      },
      {
        ...answer(200, {}, ""),
        advice: `The subscription to SNS topic ${topic} has ended; to subscribe again, visit ${url}`,
      },
    ]);
  });

  test("names no URL that is not one of SNS", () => {
    const [, , subscription] = vectorsOf("sns");
    if (subscription?.body === undefined) throw new Error("The vector is missing.");
    const body = subscription.body.replace("https://sns.us-east-2.amazonaws.com/?", "https://sns.evil.example/?");
    expect(readProviderEvent(subscription.scheme, requestOf({ ...subscription, body }))).toMatchObject({
      advice: expect.not.stringContaining("evil"),
    });
  });
});
