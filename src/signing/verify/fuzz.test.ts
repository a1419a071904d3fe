/** Whatever arrives: verifiers and readers answer, or throw the one error that is ours. Some seconds in all. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aConfig } from "../../../test/support/a-config.ts";
import { NOW_MS } from "../../../test/support/provider-signer.ts";
import { SIGNERS } from "../../../test/support/provider-signers.ts";
import { eventFromBody, readEvent } from "../../client/read-event.ts";
import { bodyOf } from "../../delivery/body.ts";
import type { BusinessEvent } from "../../delivery/event.ts";
import { isCountersignError } from "../../errors.ts";
import { readAttributes } from "../../server/cloud-event-headers.ts";
import { contentModeOf } from "../../server/content-mode.ts";
import { readIdempotencyKey } from "../../server/idempotency-key.ts";
import { readBatchItem, readRequestEvent } from "../../server/read-request-event.ts";
import type { IncomingHeaders } from "../single-header.ts";
import { readProviderEvent } from "./read-provider-event.ts";
import type { WebhookRequest } from "./scheme.ts";
import type { VerifyScheme } from "./settings.ts";
import { verifyWebhook } from "./verify-webhook.ts";
import { REFUSAL_REASONS } from "../verdict.ts";

const FORM = "application/x-www-form-urlencoded";

/** Texts without spaces, side by side. */
const words = (...lines: readonly string[]): readonly string[] => lines.flatMap((line) => line.split(" "));

/** Names that mean something to somebody, in strange cases too, and names that mean trouble to JavaScript. */
const HEADER_NAMES = [
  ...new Set(SIGNERS.flatMap((signer) => Object.keys(signer.sign().headers))),
  ...words(
    "content-type Content-Type x-github-event x-github-delivery linear-delivery x-shopify-topic",
    "i-twilio-idempotency-token idempotency-key traceparent ce-specversion ce-id ce-source ce-type",
    "ce-time ce-data __proto__ constructor toString STRIPE-SIGNATURE",
  ),
  "",
];

const HEADER_WORDS = [
  ...new Set(SIGNERS.flatMap((signer) => Object.values(signer.sign().headers).map(String))),
  ...words(
    `application/json ${FORM} application/cloudevents+json 1.0 ping shop crm "a % %zz e%CC%81`,
    "v1, v1a,AAAA v0= t=1,v1= ts=1;h1= t=,t= sha256= = , ; NaN -1 1e9 0",
  ),
  " ",
];

const headerText = fc.oneof(
  fc.constantFrom(...HEADER_WORDS),
  fc.string({ unit: "binary" }),
  fc.integer({ min: 0, max: 9000 }).map((length) => "v1=,".repeat(length)),
);
const headers: fc.Arbitrary<IncomingHeaders> = fc.dictionary(
  fc.oneof(fc.constantFrom(...HEADER_NAMES), fc.string()),
  fc.oneof({ arbitrary: headerText, weight: 5 }, fc.array(headerText, { maxLength: 3 }), fc.constant(undefined)),
  { maxKeys: 12 },
);

/** JSON of the members that readers look for, of any kind and depth. */
const MEMBERS = words(
  "id type event payload object uuid action challenge Type Message Signature",
  "sg_event_id event_ts webhookTimestamp plainToken source data data_base64 datacontenttype",
  "specversion time subject evidence requestedBy __proto__ constructor",
);
const WORDS = words(`url_verification endpoint.url_validation Notification shop till crm 1.0 ${FORM} AAA=`);
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(...WORDS, null, 0, 1, -0, true),
    fc.string({ unit: "binary" }),
    fc.double(),
    tie("object"),
    fc.array(tie("value"), { maxLength: 4 }),
  ),
  object: fc.dictionary(fc.constantFrom(...MEMBERS), tie("value"), { maxKeys: 8 }),
})).value;

const LITERALS = [
  ...words(`{ [ null 1e400 -0 "\\ud800" {"a":1,"a":2} {"a":1,"\\u0061":2} \ufeff{}`, "a=% a=b&a=b payload=%7B%7D ="),
  "",
  "[".repeat(5000),
  `${'{"data":'.repeat(2000)}1${"}".repeat(2000)}`,
  "&".repeat(2000),
];
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc.constantFrom(...LITERALS).map((text) => Buffer.from(text)),
  json.map((value) => Buffer.from(JSON.stringify(value))),
  // Cut, so that it is JSON no more.
  fc.tuple(json, fc.nat({ max: 60 })).map(([value, at]) => Buffer.from(JSON.stringify(value)).subarray(0, at)),
);
const url = fc.option(
  fc.oneof(fc.string({ unit: "binary" }), fc.webUrl({ withQueryParameters: true }), fc.constant("/?bodySHA256=&?")),
  { nil: undefined },
);
const times = fc.oneof(fc.constant(NOW_MS), fc.integer(), fc.double());
const paths = fc.option(
  fc.array(
    fc.array(fc.constantFrom(...MEMBERS), { minLength: 1, maxLength: 3 }).map((names) => names.join(".")),
    { minLength: 1, maxLength: 3 },
  ),
  { nil: null },
);

function request(
  given: IncomingHeaders,
  rawBody: Uint8Array,
  rest: readonly [string | undefined, number],
): WebhookRequest {
  const [target, nowMs] = rest;
  return { headers: given, rawBody, nowMs, ...(target === undefined ? {} : { url: target }) };
}

/** Whether it was accepted; nothing but an answer of the closed list may come out. */
function judged(scheme: VerifyScheme, received: WebhookRequest): boolean {
  const verdict = verifyWebhook(scheme, received);
  if (verdict.verified) expect(verdict).toEqual({ verified: true });
  else expect(REFUSAL_REASONS).toContain(verdict.because);
  return verdict.verified;
}

/** Also of what was never verified: reading must be safe by itself. */
function requireReading(scheme: VerifyScheme, received: WebhookRequest): void {
  const found = readProviderEvent(scheme, received);
  expect(["event", "batch", "handshake", "unreadable"]).toContain(found.kind);
  const events = found.kind === "batch" ? found.events : found.kind === "event" ? [found] : [];
  for (const { id, type } of events) {
    expect([typeof id, typeof type]).toEqual(["string", "string"]);
    expect(id).not.toBe("");
  }
}

describe.each(SIGNERS)("the verifier and the reader of $title", (signer) => {
  const scheme = signer.scheme(["other", "right"]);
  const good = signer.sign();

  test("answer whatever arrives, and take no stranger for the provider", () => {
    fc.assert(
      fc.property(headers, bytes, fc.tuple(url, times), paths, (given, rawBody, rest, idFrom) => {
        fc.pre(!Buffer.from(rawBody).equals(good.rawBody));
        for (const sent of [given, { ...good.headers, ...given }]) {
          const received = request(sent, rawBody, rest);
          expect(judged(scheme, received)).toBe(false);
          requireReading({ ...scheme, idFrom }, received);
        }
      }),
      { numRuns: 40 },
    );
  });

  test("answer what was genuine once, and accept no other body than the one that was signed", () => {
    const name = fc.constantFrom(...Object.keys(good.headers));
    const at = fc.nat({ max: 400 });
    const splice = fc.record({
      at,
      removed: fc.nat({ max: 3 }),
      inserted: fc.string({ unit: "binary", maxLength: 3 }),
    });
    const text = (
      value: string,
      { at: place, removed, inserted }: { at: number; removed: number; inserted: string },
    ) => {
      const start = place % (value.length + 1);
      return value.slice(0, start) + inserted + value.slice(start + removed);
    };
    fc.assert(
      fc.property(
        name,
        splice,
        fc.constantFrom("header", "body", "both", "url", "time"),
        times,
        (header, change, what, nowMs) => {
          const changed = (value: string) => text(value, change);
          const sent =
            what === "header" || what === "both"
              ? { ...good.headers, [header]: changed(String(good.headers[header])) }
              : good.headers;
          const body = Buffer.from(good.rawBody).toString("latin1");
          const rawBody = Buffer.from(what === "body" || what === "both" ? changed(body) : body, "latin1");
          const target = what === "url" ? changed(good.url ?? "/") : good.url;
          const received = request(sent, rawBody, [target, what === "time" ? nowMs : NOW_MS]);
          const accepted = judged(scheme, received);
          const signsMembers = signer.name === "sns" || signer.title.startsWith("twilio, a form");
          if (!signsMembers && accepted) expect(rawBody.equals(good.rawBody)).toBe(true);
          requireReading(scheme, received);
        },
      ),
      { numRuns: 60 },
    );
  });
});

const READER_CODES = ["invalid_json", "duplicate_member", "bad_event", "bad_id", "body_too_large", "unknown_source"];

const config = aConfig({
  baseUrl: "https://crm.example",
  endpoints: { crm: {} },
  rest: { sources: { shop: {}, till: { idFrom: ["data.id", "subject", "data.object.type"] } } },
});

/** Its result, or null for a refusal that is ours. */
function readSafely<Result>(read: () => Result): Result | null {
  try {
    return read();
  } catch (error) {
    if (!isCountersignError(error)) throw error;
    expect(READER_CODES).toContain(error.code);
    return null;
  }
}

function requireEvent(event: BusinessEvent | null): void {
  if (event === null) return;
  expect(Buffer.byteLength(event.id)).toBeGreaterThan(0);
  expect(Buffer.byteLength(event.id)).toBeLessThanOrEqual(160);
  expect(Object.getPrototypeOf(event)).toBe(Object.prototype);
}

/** An event but for what is put over it. */
const almostEvent = fc
  .tuple(fc.constantFrom("shop", "till"), json, fc.dictionary(fc.constantFrom(...MEMBERS), json, { maxKeys: 3 }))
  .map(([source, data, over]) =>
    Buffer.from(JSON.stringify({ source, id: "e1", type: "crm", specversion: "1.0", data, ...over })),
  );
/** The same without an id, so that one has to be made. */
const withoutId = almostEvent.map((event) => Buffer.from(event.toString().replace('"id":"e1",', "")));
const eventBytes = fc.oneof(bytes, almostEvent, withoutId);
const eventHeaders = fc.oneof(
  headers,
  headers.map((given) => ({ ...given, "ce-specversion": "1.0", "ce-source": "till", "ce-type": "crm" })),
);

describe("the readers of events", () => {
  test("read a whole event, or say what is wrong with it", () => {
    fc.assert(
      fc.property(eventBytes, fc.option(fc.string(), { nil: undefined }), (given, id) => {
        for (const idFor of [undefined, () => id])
          requireEvent(readSafely(() => readEvent(given, { maxBodyBytes: 1000, idFor })));
      }),
      { numRuns: 500 },
    );
  });

  test("read a body with what is said about it, and keep its bytes", () => {
    const contentType = fc.option(fc.oneof(fc.constantFrom("application/json", FORM, "text/plain"), fc.string()), {
      nil: undefined,
    });
    const word = fc.oneof(fc.constant("shop"), fc.string({ unit: "binary" }));
    const moment = fc.option(fc.oneof(fc.string(), fc.constant("2026-01-01T00:00:00Z")), { nil: undefined });
    fc.assert(
      fc.property(bytes, contentType, word, word, moment, (body, type, id, subject, time) => {
        const event = readSafely(() =>
          eventFromBody({ source: "shop", id, type: "crm", subject, time, contentType: type, body }),
        );
        requireEvent(event);
        if (event !== null) expect(Buffer.from(bodyOf(event).bytes).equals(body)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test("read a request in whichever form it says it has", () => {
    const key = fc.option(fc.oneof(fc.constant("e1"), fc.string()), { nil: null });
    const types = ["application/json", "application/cloudevents+json", FORM, "text/plain; charset=utf-8"];
    fc.assert(
      fc.property(eventHeaders, fc.constantFrom(...types), eventBytes, key, (given, type, body, idempotencyKey) => {
        for (const sent of [given, { ...given, "content-type": type }]) {
          const mode = contentModeOf(sent);
          if (mode.mode !== "event" && mode.mode !== "binary") continue;
          requireEvent(readSafely(() => readRequestEvent({ config, headers: sent, body, idempotencyKey }, mode)));
        }
      }),
      { numRuns: 500 },
    );
  });

  test("read an item of a batch", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      eventBytes.map((given) => Buffer.from(given).toString()),
    );
    fc.assert(
      fc.property(text, (item) => requireEvent(readSafely(() => readBatchItem({ config }, item)))),
      { numRuns: 500 },
    );
  });

  test("read the headers of an event", () => {
    fc.assert(
      fc.property(eventHeaders, (given) => {
        const attributes = readSafely(() => readAttributes(given));
        if (attributes !== null) expect(attributes.source).toBeTypeOf("string");
        const key = readIdempotencyKey(given);
        expect(["key", "malformed"]).toContain(key.read);
        if (key.read === "key" && key.value !== null) expect(key.value).toMatch(/^[\x20-\x7e]+$/u);
      }),
      { numRuns: 500 },
    );
  });
});
