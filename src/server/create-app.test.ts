/** Whatever is sent, the answer is one of those the API documents, and never a 500. No Temporal: events go to a fake. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aConfig } from "../../test/support/a-config.ts";
import { aKey, anApp, read } from "../../test/support/an-app.ts";
import type { Countersign } from "../client/countersign.ts";
import type { Receipt } from "../client/submit.ts";
import { planEvent } from "../config/plan-event.ts";
import type { BusinessEvent } from "../delivery/event.ts";

const KEY = aKey({ role: "ingest", sources: ["shop"] });
const OPERATOR = aKey({ role: "operator" });
const config = aConfig({
  baseUrl: "https://crm.example",
  endpoints: { crm: {} },
  rest: {
    sources: { shop: {}, open: { verify: { scheme: "hmac", secrets: ["s"], header: "x-sig", idHeader: "x-id" } } },
    keys: [KEY.entry, OPERATOR.entry],
  },
});

const submit = async (event: unknown): Promise<Receipt> => {
  const { source, id } = event as BusinessEvent; // parsed by the door
  planEvent(config, event as BusinessEvent);
  const key = `${source}/${id}`;
  return await Promise.resolve({ key, duplicate: false, state: "in-progress", workflowId: key, runId: "r" });
};
const verdict = async () => await Promise.resolve({ counted: true, refusedBecause: null, at: "2026-01-01T00:00:00Z" });
// What the routes below ask of it.
const countersign = { submit, replay: verdict, amend: verdict } as Partial<Countersign> as Countersign;
const { app } = anApp({ countersign, config });

const spice = fc.constantFrom("\u0000", "\ufeff", '"', "{", "}", "[", "__proto__", "1e400", "\\ud800", ",", " ", "é");
const event = '{"specversion":"1.0","source":"shop","id":"e1","type":"crm","data":{"n":1}}';
/** Events with something put into them somewhere, and things that are nothing of the kind. */
const bodies = fc.oneof(
  fc.tuple(fc.nat(event.length), spice).map(([at, extra]) => `${event.slice(0, at)}${extra}${event.slice(at)}`),
  fc.nat(event.length).map((end) => event.slice(0, end)),
  fc.json(),
  fc.string({ unit: "binary" }),
  fc.constant(`[${event},${event}]`),
);
const types = fc.constantFrom(
  "application/json",
  "application/cloudevents+json",
  "application/cloudevents-batch+json",
  "application/x-www-form-urlencoded",
  "text/plain",
  "application/json;charset=latin1",
  ";",
);
/** What a header of Node may hold: bytes as Latin-1, without line breaks. */
const value = fc.stringMatching(/^[\x20-\x7e\x80-\xff]{0,20}$/);
const headers = fc.dictionary(
  fc.constantFrom("ce-specversion", "ce-id", "ce-source", "ce-type", "idempotency-key", "traceparent", "x-id"),
  value,
);

const STATUSES = [200, 202, 400, 401, 403, 404, 405, 409, 413, 415, 422];

describe("the doors", () => {
  test("for producers answer anything with a status of theirs", async () => {
    await fc.assert(
      fc.asyncProperty(bodies, types, headers, async (body, type, more) => {
        const all = { ...more, authorization: KEY.bearer, "content-type": type };
        const { status } = await app.request("/v1/events", { method: "POST", body, headers: all });
        expect(STATUSES).toContain(status);
      }),
      { numRuns: 300, interruptAfterTimeLimit: 10_000 },
    );
  });

  test("for providers answer anything, signed or not, with a status of theirs", async () => {
    const { createHmac } = await import("node:crypto");
    await fc.assert(
      fc.asyncProperty(bodies, types, headers, fc.boolean(), async (body, type, more, genuine) => {
        const signature = createHmac("sha256", genuine ? "s" : "t")
          .update(body)
          .digest("hex");
        const all = { ...more, "x-sig": signature, "content-type": type };
        const { status } = await app.request("/v1/hooks/open", { method: "POST", body, headers: all });
        expect(genuine ? STATUSES : [401]).toContain(status);
      }),
      { numRuns: 300, interruptAfterTimeLimit: 10_000 },
    );
  });

  test("for words answer anything with a status of theirs", async () => {
    const word = '{"reason":"r","actor":"ana","data":{"n":1.0}}';
    const words = fc.oneof(
      fc.tuple(fc.nat(word.length), spice).map(([at, extra]) => `${word.slice(0, at)}${extra}${word.slice(at)}`),
      fc.json(),
    );
    await fc.assert(
      fc.asyncProperty(words, fc.constantFrom("replay", "amend"), async (body, name) => {
        const all = { authorization: OPERATOR.bearer, "content-type": "application/json" };
        const { status } = await app.request(`/v1/events/shop/e1/${name}`, { method: "POST", body, headers: all });
        expect(STATUSES).toContain(status);
      }),
      { numRuns: 200, interruptAfterTimeLimit: 10_000 },
    );
  });
});

test("an error nobody expected is a 500 that keeps its words to itself", async () => {
  const broken = {
    submit: async () => await Promise.reject(new Error("the secret is hunter2")),
  } as Partial<Countersign>;
  const { app: failing } = anApp({ countersign: broken as Countersign, config }); // only asked to submit
  const all = { authorization: KEY.bearer, "content-type": "application/json" };
  const answer = await read(failing.request("/v1/events", { method: "POST", body: event, headers: all }));
  expect(answer).toMatchObject({ status: 500, body: { code: "internal" } });
  expect(JSON.stringify(answer.body)).not.toContain("hunter2");
});
