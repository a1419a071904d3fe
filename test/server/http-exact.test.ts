/** What comes in by any of the four forms is what an endpoint receives, byte for byte, under a signature that others verify. */
import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Webhook } from "standardwebhooks";
import { aKey } from "../support/an-app.ts";
import type { DestinationRequest } from "../support/destination.ts";
import { type ServerInstance, startInstance } from "../support/server-instance.ts";
import { openStage, type Stage } from "../support/stage.ts";
import { uniqueName } from "../support/temporal.ts";

const SIGNING_SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const KEY = aKey({ role: "ingest", sources: ["shop"] });

let stage: Stage;
let server: ServerInstance;

beforeAll(async () => {
  stage = await openStage({
    endpoints: { crm: { signing: { scheme: "standard-webhooks", secrets: [SIGNING_SECRET] } } },
    rest: { sources: { shop: {} }, keys: [KEY.entry] },
  });
  server = await startInstance({ config: stage.config, address: stage.address });
});

afterAll(async () => {
  await server.stop();
  await stage.close();
});

async function post(body: string | Uint8Array<ArrayBuffer>, headers: Readonly<Record<string, string>>) {
  return await server.post("/v1/events", body, { authorization: KEY.bearer, ...headers });
}

/** The only request that an event led to. */
async function received(id: string): Promise<DestinationRequest> {
  await stage.far.settled(`shop/${id}`);
  const found = stage.destination.requests.filter(({ headers }) => headers["ce-id"] === id);
  const [first] = found;
  if (first === undefined) throw new Error(`Nothing was delivered for ${id}`);
  expect(found).toHaveLength(1);
  return first;
}

const isUtf8 = (bytes: Buffer): boolean => Buffer.from(bytes.toString("utf8"), "utf8").equals(bytes);

/** The reference library reads text alone; other bytes are signed by the same recipe. */
function expectSigned({ headers, body }: DestinationRequest): void {
  const { "webhook-id": id = "", "webhook-timestamp": time = "", "webhook-signature": signature = "" } = headers;
  if (isUtf8(body)) expect(() => new Webhook(SIGNING_SECRET).verify(body, headers, { jsonParse: false })).not.toThrow();
  const key = Buffer.from(SIGNING_SECRET.slice("whsec_".length), "base64");
  expect(signature).toBe(`v1,${createHmac("sha256", key).update(`${id}.${time}.`).update(body).digest("base64")}`);
}

interface Payload {
  readonly bytes: Buffer;
  /** Absent = JSON. */
  readonly contentType?: string;
}

const json = (text: string): Payload => ({ bytes: Buffer.from(text) });

const PAYLOADS: Readonly<Record<string, Payload>> = {
  "an emoji, raw and escaped": json(String.raw`{"raw":"🙄","escaped":"\ud83d\ude44"}`),
  "U+2028 and U+2029, raw and escaped": json('{"raw":"\u2028\u2029","escaped":"\\u2028\\u2029"}'),
  "integers above 2^53": json('{"id":1152921506151679042,"list":[9007199254740993,-9007199254740993]}'),
  "1e400, 1.0 and minus zero": json('{"max":1e400,"one":1.0,"zero":-0,"tiny":1E-400}'),
  "members in an order no object keeps": json('{"b":1,"2":2,"a":3,"1":4,"__proto__":5}'),
  "spaces and line breaks": json('{ "a" : [ 1 ,\r\n\t2 ] }'),
  "escapes that need none": json(String.raw`{"\u0061":"a\/b\u0000"}`),
  "a lone surrogate, escaped": json(String.raw`"\ud83d"`),
  "a bare number": json("1e400"),
  null: json("null"),
  "a form": {
    bytes: Buffer.from("payload=%7B%22a%22%3A1%7D&b=+%2B&b=2"),
    contentType: "application/x-www-form-urlencoded",
  },
  "binary bytes": { bytes: Buffer.from("00ff80c328f09f9984fe0a0d00", "hex"), contentType: "application/octet-stream" },
  "text with a byte order mark": { bytes: Buffer.from("\ufeffa;b\r\n"), contentType: "text/csv; charset=utf-8" },
};

/** An event as JSON: its data as it is written, text as text, bytes as base64. */
function envelope(id: string, { bytes, contentType }: Payload, more = ""): string {
  const head = `{"source":"shop","id":"${id}","type":"crm"${more}`;
  if (contentType === undefined) return `${head},"data":${bytes.toString()}}`;
  const typed = `${head},"datacontenttype":"${contentType}"`;
  return isUtf8(bytes)
    ? `${typed},"data":${JSON.stringify(bytes.toString())}}`
    : `${typed},"data_base64":"${bytes.toString("base64")}"}`;
}

const VERSION = ',"specversion":"1.0"';

const FORMS: Readonly<Record<string, (id: string, payload: Payload) => ReturnType<typeof post>>> = {
  "our JSON": async (id, payload) => await post(envelope(id, payload), { "content-type": "application/json" }),
  "a structured CloudEvent": async (id, payload) =>
    await post(envelope(id, payload, VERSION), { "content-type": "application/cloudevents+json" }),
  "a binary CloudEvent": async (id, { bytes, contentType = "application/json" }) =>
    await post(new Uint8Array(bytes), {
      "content-type": contentType,
      "ce-specversion": "1.0",
      "ce-source": "shop",
      "ce-type": "crm",
      "ce-id": id,
    }),
  "a batch of CloudEvents": async (id, payload) =>
    await post(`[ ${envelope(`${id}-other`, json("0"), VERSION)},\n${envelope(id, payload, VERSION)} ]`, {
      "content-type": "application/cloudevents-batch+json",
    }),
};

describe.each(Object.entries(FORMS))("%s", (_form, send) => {
  test.each(Object.entries(PAYLOADS))("delivers %s exactly, and signed", async (_what, payload) => {
    const id = uniqueName("exact");
    expect((await send(id, payload)).status).toBe(202);
    const request = await received(id);
    expect(request.body.toString("hex")).toBe(payload.bytes.toString("hex"));
    expect(request.headers["content-type"]).toBe(payload.contentType ?? "application/json");
    expectSigned(request);
  });
});

test("a member twice is refused by every form, wherever it stands", async () => {
  const twice = json('{"a":{"b":1,"b":2}}');
  for (const send of Object.values(FORMS)) {
    const answer = await send(uniqueName("twice"), twice);
    expect([answer.status, JSON.stringify(answer.body).includes("duplicate_member")]).toEqual([400, true]);
  }
});
