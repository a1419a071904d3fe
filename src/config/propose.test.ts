import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ApprovalRule, ApprovalTerms } from "../delivery/approval.ts";
import type { BusinessEvent, JsonValue } from "../delivery/event.ts";
import type { Endpoint } from "./config.ts";
import { parseConfig } from "./parse-config.ts";
import { proposalDigest, proposalDraft, type ProposalFacts, type ProposedRequest } from "./propose.ts";
import type { RawEndpoint } from "./raw-config.ts";

function anEndpoint(raw: RawEndpoint = { url: "https://pay.example/refunds" }): Endpoint {
  const endpoint = parseConfig({ endpoints: { payments: raw } }, { path: null }).endpoints["payments"];
  if (endpoint === undefined) throw new TypeError("There is no endpoint");
  return endpoint;
}

const RULE: ApprovalRule = {
  approvers: ["ana", "group:finance"],
  quorum: 2,
  rejections: 1,
  fourEyes: true,
  requireSignedDecisions: false,
  escalate: { afterMs: 1000, to: ["ben", "cem"] },
  version: 1,
};
const TERMS: ApprovalTerms = { rules: [RULE], expiresMs: 5000, remindMs: [1000], onExpire: "end", notify: null };

const EVENT: BusinessEvent = { source: "shop", id: "r1", type: "refund.requested", data: { amount: 900, to: "x" } };

function aRequest(changes: Partial<ProposedRequest> = {}): ProposedRequest {
  return {
    endpoint: anEndpoint(),
    resolvedUrl: null,
    event: EVENT,
    revision: 1,
    requestedBy: "eve",
    editedBy: null,
    terms: TERMS,
    ...changes,
  };
}

const digestOf = (changes: Partial<ProposedRequest> = {}): string => proposalDraft(aRequest(changes)).digest;
const withRule = (changes: Partial<ApprovalRule>): Partial<ProposedRequest> => ({
  terms: { ...TERMS, rules: [{ ...RULE, ...changes }] },
});
const { data: _, ...BARE } = EVENT;
const base64 = (bytes: string | Uint8Array): string => Buffer.from(bytes).toString("base64");
const withBytes = (bytes: string | Uint8Array, datacontenttype?: string): Partial<ProposedRequest> => ({
  event: { ...BARE, data_base64: base64(bytes), ...(datacontenttype === undefined ? {} : { datacontenttype }) },
});

describe("proposalDraft", () => {
  test("shows the request as it will be sent", () => {
    const endpoint = anEndpoint({
      url: { env: "PAY_URL" },
      method: "PUT",
      headers: { "X-Team": "a", Authorization: { env: "PAY_AUTHORIZATION" } },
    });
    const resolvedUrl = "https://ana:s3cret@pay.example:8443/refunds?token=s3cret#s3cret";
    const draft = proposalDraft(aRequest({ endpoint, resolvedUrl, revision: 3 }));
    expect(draft).toMatchObject({ revision: 3, requestedBy: "eve", terms: TERMS });
    expect(draft.digest).toMatch(/^sha256:[0-9a-f]{64}$/u);
    expect(draft.action).toEqual({
      endpoint: "payments",
      configVersion: expect.stringMatching(/^sha256:[0-9a-f]{64}$/u),
      method: "PUT",
      url: "https://pay.example:8443/refunds",
      headerNames: ["authorization", "x-team"],
      type: EVENT.type,
      subject: null,
      contentType: "application/json",
      bodyBytes: JSON.stringify(EVENT.data).length,
    });
    expect(JSON.stringify(draft)).not.toContain("s3cret");
  });

  test("shows a URL that is not known here by its reference, and a handler by its name", () => {
    const byReference = proposalDraft(aRequest({ endpoint: anEndpoint({ url: { env: "PAY_URL" } }) }));
    expect(byReference.action.url).toBe("env(PAY_URL)");
    const handled = proposalDraft(aRequest({ endpoint: anEndpoint({ handler: "refund@1" }), resolvedUrl: null }));
    expect(handled.action).toMatchObject({ method: "handler", url: "refund@1" });
  });

  test("can be told by whoever sees the proposal and its body", () => {
    const { digest, revision, action, terms } = proposalDraft(aRequest({ editedBy: "ana", revision: 2 }));
    const body = Buffer.from(JSON.stringify(EVENT.data));
    const facts = { key: "shop/r1", revision, action, body, rules: terms.rules, requestedBy: "eve", editedBy: "ana" };
    expect(proposalDigest(facts)).toBe(digest);
  });
});

describe("the digest", () => {
  const FACTS: ProposalFacts = {
    key: "shop/r1",
    revision: 2,
    action: {
      endpoint: "payments",
      configVersion: "sha256:c",
      method: "POST",
      url: "https://pay.example/refunds",
      headerNames: ["authorization"],
      type: "refund.requested",
      subject: null,
      contentType: "application/json",
      bodyBytes: 15,
    },
    body: Buffer.from('{"amount": 9e2}'),
    rules: [RULE],
    requestedBy: "eve",
    editedBy: null,
  };

  /** Written down by hand from the rule, so that another program can be written from it too. */
  const TEXT =
    '{"action":{"body":BODY,"configVersion":"sha256:c","contentType":"TYPE","endpoint":"payments",' +
    '"headerNames":["authorization"],"method":"POST","subject":null,"type":"refund.requested","url":"https://pay.example/refunds"},"editedBy":null,' +
    '"key":"shop/r1","requestedBy":"eve","revision":2,"rules":[{"approvers":["ana","group:finance"],' +
    '"escalate":{"afterMs":1000,"to":["ben","cem"]},"fourEyes":true,"quorum":2,"rejections":1,' +
    '"requireSignedDecisions":false,"version":1}]}';
  const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
  const expected = (contentType: string, body: string): string =>
    `sha256:${sha256(`proposal.v1|${TEXT.replace("BODY", body).replace("TYPE", contentType)}`)}`;

  test("is SHA-256 over a domain prefix and canonical JSON", () => {
    const body = JSON.stringify({ json: '{"amount":900}' });
    expect(proposalDigest(FACTS)).toBe(expected("application/json", body));
  });

  test.each([
    ["a body that is not JSON", "text/plain", "hello"],
    ["JSON under another content type", "text/plain", '{"amount":900}'],
    ["JSON whose canonical form would lose something", "application/json", "[1e400]"],
    ["an empty body", "application/json", ""],
  ])("holds the hash of the bytes of %s", (_what, contentType, body) => {
    const raw = `{"bytes":${body.length},"sha256":"${sha256(body)}"}`;
    const facts = { ...FACTS, action: { ...FACTS.action, contentType }, body: Buffer.from(body) };
    expect(proposalDigest(facts)).toBe(expected(contentType, raw));
  });

  test.each<[string, Partial<ProposedRequest>]>([
    ["key", { event: { ...EVENT, id: "r2" } }],
    ["revision", { revision: 2 }],
    ["body", { event: { ...EVENT, data: { amount: 901, to: "x" } } }],
    ["content type", { event: { ...EVENT, datacontenttype: "application/json; charset=utf-8" } }],
    ["endpoint", { endpoint: { ...anEndpoint(), name: "ledger" } }],
    ["method", { endpoint: anEndpoint({ url: "https://pay.example/refunds", method: "PUT" }) }],
    ["URL", { endpoint: anEndpoint({ url: "https://pay.example/refund" }) }],
    ["resolved URL", { resolvedUrl: "https://pay.example/elsewhere" }],
    ["handler", { endpoint: anEndpoint({ handler: "refund@1" }) }],
    ["names of headers", { endpoint: anEndpoint({ url: "https://pay.example/refunds", headers: { "x-a": "1" } }) }],
    ["format", { endpoint: anEndpoint({ url: "https://pay.example/refunds", format: "cloudevents" }) }],
    ["requester", { requestedBy: "ana" }],
    ["requester, unknown", { requestedBy: null }],
    ["editor", { editedBy: "ana" }],
    ["approvers", withRule({ approvers: ["ana"] })],
    ["quorum", withRule({ quorum: 1 })],
    ["rejections", withRule({ rejections: 2 })],
    ["four eyes", withRule({ fourEyes: false })],
    ["demand for signatures", withRule({ requireSignedDecisions: true })],
    ["escalation", withRule({ escalate: null })],
    ["time of the escalation", withRule({ escalate: { afterMs: 1001, to: ["ben", "cem"] } })],
    ["people of the escalation", withRule({ escalate: { afterMs: 1000, to: ["ben"] } })],
    ["version", withRule({ version: "1" })],
    ["version, unset", withRule({ version: null })],
    ["number of rules", { terms: { ...TERMS, rules: [RULE, { ...RULE, quorum: 1 }] } }],
  ])("changes with the %s", (_what, change) => {
    expect(digestOf(change)).not.toBe(digestOf());
  });

  test.each<[string, Partial<ProposedRequest>]>([
    ["evidence", { event: { ...EVENT, evidence: [{ title: "Invoice" }] } }],
    ["time", { event: { ...EVENT, time: "2026-11-29T10:00:00Z" } }],
    ["trace context", { event: { ...EVENT, traceparent: "00-1" } }],
    ["expiry", { terms: { ...TERMS, expiresMs: 9000, onExpire: "park" } }],
    ["reminders", { terms: { ...TERMS, remindMs: [] } }],
    ["notice", { terms: { ...TERMS, notify: "chat" } }],
    ["query of the URL", { endpoint: anEndpoint({ url: "https://pay.example/refunds?token=s3cret" }) }],
    ["query of the resolved URL", { resolvedUrl: "https://pay.example/refunds?token=s3cret" }],
    ["retry", { endpoint: anEndpoint({ url: "https://pay.example/refunds", retry: "none" }) }],
    ["order of approvers", withRule({ approvers: ["group:finance", "ana"] })],
    ["order of the escalation", withRule({ escalate: { afterMs: 1000, to: ["cem", "ben"] } })],
  ])("does not change with the %s", (_what, change) => {
    expect(digestOf(change)).toBe(digestOf());
  });

  test("does not change with the order of rules, or with the values of headers and secrets", () => {
    const other = { ...RULE, quorum: 1 };
    expect(digestOf({ terms: { ...TERMS, rules: [other, RULE] } })).toBe(
      digestOf({ terms: { ...TERMS, rules: [RULE, other] } }),
    );
    const url = "https://pay.example/refunds";
    const signed = (fill: number): Partial<ProposedRequest> => ({
      endpoint: anEndpoint({
        url,
        headers: { authorization: `Bearer ${fill}` },
        signing: { scheme: "standard-webhooks", secrets: [`whsec_${base64(Buffer.alloc(32, fill))}`] },
      }),
    });
    expect(digestOf(signed(1))).toBe(digestOf(signed(2)));
  });

  test("takes JSON for what it says, however it is written", () => {
    for (const text of [
      '{"amount":900,"to":"x"}',
      '{ "to" : "x",\n "amount" : 900 }',
      '{"amount":9e2,"to":"x"}',
      '{"amount":900.00,"to":"x"}',
    ]) {
      expect(digestOf(withBytes(text))).toBe(digestOf());
    }
  });

  test.each([
    ["a large number", "[12345678901234567890]", "[12345678901234567891]"],
    ["a number beyond doubles", "[1e400]", "[1e401]"],
    ["zero and minus zero", "[0]", "[-0]"],
    ["a lone surrogate", '["\\ud800"]', '["\\ud801"]'],
    ["a repeated member", '{"a":1,"a":2}', '{"a":2}'],
    ["bytes that are not UTF-8", Buffer.from([0x22, 0xff, 0x22]), Buffer.from([0x22, 0xfe, 0x22])],
  ])("tells two bodies apart that a parser takes for one: %s", (_what, left, right) => {
    expect(digestOf(withBytes(left))).not.toBe(digestOf(withBytes(right)));
  });

  test("is one for one value and another for another, in any spelling", () => {
    const value = fc.jsonValue() as fc.Arbitrary<JsonValue>;
    fc.assert(
      fc.property(value, value, fc.constantFrom("", " ", "\n\t"), (left, right, space) => {
        const [first, second] = [JSON.stringify(left), JSON.stringify(right)];
        const spaced = digestOf(withBytes(`${space}${JSON.stringify(left, null, space)}${space}`));
        expect(spaced).toBe(digestOf(withBytes(first)));
        expect(spaced === digestOf(withBytes(second))).toBe(isDeepStrictEqual(JSON.parse(first), JSON.parse(second)));
      }),
    );
  });

  test("is another for every other run of bytes that is not JSON", () => {
    const bytes = fc.uint8Array({ maxLength: 20 });
    fc.assert(
      fc.property(bytes, bytes, (left, right) => {
        const type = "application/octet-stream";
        const same = digestOf(withBytes(left, type)) === digestOf(withBytes(right, type));
        expect(same).toBe(Buffer.from(left).equals(Buffer.from(right)));
      }),
    );
  });

  test("exists whatever somebody calls themselves, and tells these names apart", () => {
    const names = ["\ud800", "\ud801", '"\\ud800"', "\ufffd", "", null];
    const digests = names.map((editedBy) => digestOf({ editedBy }));
    expect(new Set(digests).size).toBe(names.length);
  });
});
