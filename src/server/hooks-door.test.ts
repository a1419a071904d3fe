/** What a provider's door makes of a request, on a socket where the socket matters. No Temporal: events go to a fake. */
import { createHmac, createPrivateKey, createPublicKey, sign } from "node:crypto";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { aConfig } from "../../test/support/a-config.ts";
import { anApp, type AnApp, read } from "../../test/support/an-app.ts";
import { ALL_VECTORS, isSameMessage, requestOf, type SignatureVector } from "../../test/support/signature-vectors.ts";
import { rawConnection, rawRequest } from "../../test/support/raw-http.ts";
import type { Countersign } from "../client/countersign.ts";
import type { Receipt } from "../client/submit.ts";
import { type Listener, listen } from "./listen.ts";
import type { ServerContext } from "./server-context.ts";
import { REFUSAL_REASONS } from "../signing/verdict.ts";

const TOKEN = "twilio token";
const WHSEC = Buffer.alloc(32, 1);
const PUBLIC_URL = "https://hooks.example/v1/hooks/twilio";
/** RFC 8410 §7: PKCS #8 of a seed of ones. */
const DISCORD = createPrivateKey({
  key: Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), Buffer.alloc(32, 1)]),
  format: "der",
  type: "pkcs8",
});
const discordKey = createPublicKey(DISCORD).export({ format: "der", type: "spki" }).subarray(-32).toString("hex");

const config = aConfig({
  baseUrl: "https://crm.example",
  endpoints: { crm: {} },
  routes: [{ match: {}, to: ["crm"] }],
  rest: {
    sources: {
      shop: {},
      github: { verify: { scheme: "github", secrets: ["github secret"] } },
      partner: { verify: { scheme: "standard-webhooks", secrets: [`whsec_${WHSEC.toString("base64")}`] } },
      discord: { verify: { scheme: "discord", secrets: [discordKey] } },
      twilio: { verify: { scheme: "twilio", secrets: [TOKEN], publicUrl: PUBLIC_URL } },
      square: { verify: { scheme: "square", secrets: [TOKEN], publicUrl: "https://hooks.example/square?a=%7e'b" } },
    },
  },
});

/** Ids of what was submitted. */
const submitted: string[] = [];
const listeners: Listener[] = [];

afterEach(async () => {
  submitted.length = 0;
  await Promise.all(listeners.splice(0).map(async (listener) => await listener.close()));
});

function door(changes: Partial<ServerContext> = {}): AnApp {
  const submit = async (event: unknown): Promise<Receipt> => {
    const { source, id } = event as { readonly source: string; readonly id: string }; // parsed by the door
    const key = `${source}/${id}`;
    submitted.push(key);
    return await Promise.resolve({ key, duplicate: false, state: "in-progress", workflowId: key, runId: "r" });
  };
  // Nothing else of the facade is called here.
  const countersign = { submit } as Partial<Countersign> as Countersign;
  return anApp({ countersign, config, limits: { lameDuckMs: 0 }, changes });
}

const JSON_TYPE = { "content-type": "application/json" };
const seconds = () => String(Math.floor(Date.now() / 1000));

async function post(
  app: AnApp["app"],
  source: string,
  { body, headers }: { body: string; headers: Record<string, string> },
) {
  const init = { method: "POST", body, headers: { ...JSON_TYPE, ...headers } };
  return await read(app.request(`/v1/hooks/${source}`, init));
}

describe("Discord's ping", () => {
  test.each([
    ["for webhook events is answered by 204 without a body", '{"version":1,"type":0}', 204, ""],
    ["for interactions is answered by one of its own", '{"type":1}', 200, { type: 1 }],
  ])("%s", async (_what, body, status, expected) => {
    const time = seconds();
    const signature = sign(null, Buffer.from(time + body), DISCORD).toString("hex");
    const headers = { "x-signature-ed25519": signature, "x-signature-timestamp": time };
    const answer = await post(door().app, "discord", { body, headers });
    expect(answer).toMatchObject({ status, body: expected });
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(submitted).toEqual([]);
  });
});

describe("the URL that a provider signs", () => {
  /** The status of the answer to a request that goes over the wire exactly as written here. */
  async function statusOf(target: string, headers: Record<string, string>, body: string): Promise<string> {
    const { app, context } = door();
    const listener = await listen(app, { host: "127.0.0.1", port: 0, limits: context.limits });
    listeners.push(listener);
    const connection = await rawConnection(listener.url);
    const whole = { ...headers, connection: "close", "content-length": String(Buffer.byteLength(body)) };
    connection.send(rawRequest(target, whole, body));
    return (await connection.closed).split(" ")[1] ?? "";
  }

  const FORM = { "content-type": "application/x-www-form-urlencoded" };
  const body = "CallSid=CA1&CallStatus=completed";
  const byTwilio = (query: string) => ({
    ...FORM,
    host: "10.0.0.7:8787",
    "x-forwarded-host": "evil.example",
    "x-twilio-signature": createHmac("sha1", TOKEN)
      .update(`${PUBLIC_URL}${query}CallSidCA1CallStatuscompleted`)
      .digest("base64"),
  });

  test.each(["", "?a=1", "?q=It's+%7e", '?q="a"<b>|^`', "?q=a%27b", "?", "?a=1?b=2"])(
    "is that of the configuration with the query as it came over the wire: %j",
    async (query) => {
      expect(await statusOf(`/v1/hooks/twilio${query}`, byTwilio(query), body)).toBe("200");
      expect(submitted).toEqual(["twilio/CA1:completed"]);
      expect(await statusOf(`/v1/hooks/twilio${query}${query === "" ? "?" : ""}x`, byTwilio(query), body)).toBe("401");
    },
  );

  test("may come in the absolute form of a proxy, and its host counts for nothing", async () => {
    const target = "http://evil.example/v1/hooks/twilio?q='a'";
    expect(await statusOf(target, byTwilio("?q='a'"), body)).toBe("200");
  });

  test("is to Square the configured one, character by character", async () => {
    const square = '{"event_id":"e1","type":"payment.updated"}';
    const signedAt = (url: string) => ({
      ...JSON_TYPE,
      "x-square-hmacsha256-signature": createHmac("sha256", TOKEN)
        .update(url + square)
        .digest("base64"),
    });
    expect(await statusOf("/v1/hooks/square?x", signedAt("https://hooks.example/square?a=%7e'b"), square)).toBe("202");
    expect(await statusOf("/v1/hooks/square", signedAt("https://hooks.example/square?a=~%27b"), square)).toBe("401");
    expect(await statusOf("/v1/hooks/square?a=%7e'b", signedAt("http://127.0.0.1/v1/hooks/square"), square)).toBe(
      "401",
    );
  });
});

describe("a body that comes again under another id", () => {
  const byGitHub = (body: string, delivery: string) => ({
    body,
    headers: {
      "x-hub-signature-256": `sha256=${createHmac("sha256", "github secret").update(body).digest("hex")}`,
      "x-github-event": "push",
      "x-github-delivery": delivery,
    },
  });
  const suspicions = async ({ context }: AnApp, source: string) =>
    new RegExp(`countersign_ingest_suspicious_total\\{source="${source}"\\} (\\d+)`, "u").exec(
      await context.metrics.text(),
    )?.[1] ?? "none";

  test("is counted and taken, where the provider does not sign the id", async () => {
    const at = door();
    for (const id of ["g1", "g1", "g2", "g1"])
      expect((await post(at.app, "github", byGitHub('{"ref":"main"}', id))).status).toBe(202);
    expect((await post(at.app, "github", byGitHub('{"ref":"next"}', "g3"))).status).toBe(202);
    expect(submitted).toEqual(["github/g1", "github/g1", "github/g2", "github/g1", "github/g3"]);
    expect(await suspicions(at, "github")).toBe("1");
  });

  test("is no matter of a request that does not verify, or of a provider whose id is signed", async () => {
    const at = door();
    const { body, headers } = byGitHub('{"ref":"main"}', "g1");
    await post(at.app, "github", { body, headers });
    const forged = { ...headers, "x-hub-signature-256": `sha256=${"0".repeat(64)}`, "x-github-delivery": "g2" };
    expect((await post(at.app, "github", { body, headers: forged })).status).toBe(401);
    expect(await suspicions(at, "github")).toMatch(/none|0/u);
    for (const id of ["m1", "m2"]) {
      const time = seconds();
      const mac = createHmac("sha256", WHSEC).update(`${id}.${time}.{}`).digest("base64");
      const signed = { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": `v1,${mac}` };
      expect((await post(at.app, "partner", { body: "{}", headers: signed })).status).toBe(202);
    }
    expect(submitted).toEqual(["github/g1", "partner/m1", "partner/m2"]);
    expect(await suspicions(at, "partner")).toMatch(/none|0/u);
  });
});

describe("a published request", () => {
  /** Outside what is signed. */
  const UNSIGNED = new Set(["content-type", "paypal-cert-url", "x-event-id", "x-twilio-webhooks-signature-settings"]);
  const titled = ALL_VECTORS.map((vector) => ({ title: `${vector.scheme.scheme}: ${vector.name}`, vector }));

  interface Sent {
    readonly body: Uint8Array;
    readonly headers: Record<string, string>;
    readonly query: string;
  }

  function sentOf(vector: SignatureVector): Sent {
    const { rawBody, url = "" } = requestOf(vector);
    const mark = url.indexOf("?");
    return { body: rawBody, headers: { ...vector.headers }, query: mark === -1 ? "" : url.slice(mark) };
  }

  let nowMs = 0;
  const { app } = door({
    schemes: new Map(ALL_VECTORS.map(({ scheme }, index) => [`vector-${index}`, scheme])),
    now: () => nowMs,
  });

  /** As if it were sent to a source of its provider, at the time it was signed. */
  async function answerTo(vector: SignatureVector, { body, headers, query }: Sent) {
    ({ nowMs } = vector);
    const init = { method: "POST", body: Uint8Array.from(body), headers };
    return await read(app.request(`/v1/hooks/vector-${ALL_VECTORS.indexOf(vector)}${query}`, init));
  }

  /** A list with one bit of each part changed; `place` picks the bit. */
  function flips(sent: Sent, place: number): readonly Sent[] {
    const flipped = (bytes: Uint8Array): Buffer => {
      const copy = Buffer.from(bytes);
      const at = Math.floor(place / 8) % Math.max(copy.byteLength, 1);
      if (copy.byteLength > 0) copy[at] = (copy[at] ?? 0) ^ (1 << (place % 8));
      return copy;
    };
    const flippedText = (text: string): string => flipped(Buffer.from(text, "latin1")).toString("latin1");
    const headers = Object.entries(sent.headers)
      .filter(([name]) => !UNSIGNED.has(name))
      .map(([name, value]) => ({ ...sent, headers: { ...sent.headers, [name]: flippedText(value) } }))
      // Others cannot be sent.
      .filter((other) =>
        Object.values(other.headers).every((value) => /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/u.test(value)),
      );
    const bodies = sent.body.byteLength === 0 ? [] : [{ ...sent, body: flipped(sent.body) }];
    const queries = sent.query === "" ? [] : [{ ...sent, query: `?${flippedText(sent.query.slice(1))}` }];
    return [
      ...bodies,
      ...headers,
      ...queries.filter(({ query }) => /^[\x21\x23-\x7e]+$/u.test(query) && !query.includes("#")),
    ];
  }

  test.each(titled)("is taken for genuine: $title", async ({ vector }) => {
    // Whether it is an event is another question: most of what is published is none.
    expect((await answerTo(vector, sentOf(vector))).status).not.toBe(401);
  });

  test.each(titled)("with one bit changed is 401: $title", async ({ vector }) => {
    const good = sentOf(vector);
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 8 * 4096 }), async (place) => {
        for (const sent of flips(good, place)) {
          if (sent.body !== good.body && isSameMessage(vector, good.body, sent.body)) continue;
          const { status, body } = await answerTo(vector, sent);
          expect([status, body["code"]]).toEqual([401, "bad_signature"]);
          expect(REFUSAL_REASONS).toContain(body["reason"]);
        }
      }),
      { numRuns: 5, seed: 20_260_101 },
    );
    expect(submitted).toEqual([]);
  });
});

test.each([
  ["neither JSON nor a form", { "content-type": "text/plain" }, "{}", 415],
  ["not JSON", JSON_TYPE, "no", 400],
  ["a member twice", JSON_TYPE, '{"a":1,"a":2}', 400],
])("genuine, but %s: counted, and on record by its code", async (_what, type, body, status) => {
  const lines: unknown[] = [];
  const warn = (line: unknown, message: string): void => void lines.push([message, line]);
  const log = { info() {}, warn, error() {} } as unknown as ServerContext["log"]; // nothing else is called
  const { app, context } = door({ log });
  const signature = `sha256=${createHmac("sha256", "github secret").update(body).digest("hex")}`;
  const headers = { ...type, "x-hub-signature-256": signature, "x-github-event": "push", "x-github-delivery": "d1" };
  const answer = await post(app, "github", { body, headers });
  expect(answer.status).toBe(status);
  expect(lines).toMatchObject([["event.refused", { source: "github", code: answer.body["code"], via: "hook" }]]);
  const counted = 'countersign_ingest_requests_total{source="github",result="refused"} 1';
  expect(await context.metrics.text()).toContain(counted);
});
