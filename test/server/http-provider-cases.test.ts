/** What public reports tell of receivers, as requests over a socket: the exact bytes, the status, and the number of workflows. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  BODIES,
  JSON_TYPE,
  MESSAGE_ID,
  MOVED_DOT,
  SECRET,
  SIGNED_AT_MS,
  signAnew,
  type SignedBody,
  signedHeaders,
  WRONG_KEYS,
} from "../support/provider-cases.ts";
import { type ServerInstance, startInstance } from "../support/server-instance.ts";
import { openStage, type Stage } from "../support/stage.ts";
import { until } from "../support/until.ts";

const MARK = randomUUID().slice(0, 8);
/** Each test sends to a source of its own, because all bodies have one id. */
const SOURCES = Array.from({ length: 60 }, (_, index) => `p${index + 1}-${MARK}`);

let stage: Stage;
let server: ServerInstance;

beforeAll(async () => {
  const verify = { scheme: "standard-webhooks", secrets: [SECRET] } as const;
  stage = await openStage({
    endpoints: { crm: {} },
    routes: [{ match: { type: "untyped" }, to: ["crm"] }],
    rest: { sources: Object.fromEntries(SOURCES.map((source) => [source, { verify }])) },
  });
  const { config, address } = stage;
  server = await startInstance({ config, address, changes: { now: () => SIGNED_AT_MS } });
});

afterAll(async () => {
  await server.stop();
  await stage.close();
});

function aSource(): string {
  const source = SOURCES.pop();
  if (source === undefined) throw new Error("There are more tests than sources");
  return source;
}

type Headers = Readonly<Record<string, string>>;

async function send(source: string, bytes: Uint8Array<ArrayBuffer>, headers: Headers) {
  return await server.post(`/v1/hooks/${source}`, bytes, headers);
}

const sendSigned = async (
  source: string,
  { bytes }: SignedBody,
  { signature }: SignedBody = { bytes, signature: "" },
) => await send(source, bytes, { ...JSON_TYPE, ...signedHeaders(signature) });

/** How many workflows came of what was sent to a source: those the list knows once it knows a later one. */
async function workflowsOf(source: string): Promise<number> {
  await stage.far.submit({ source, id: "later", type: "untyped" });
  const listed = async (): Promise<readonly string[]> => {
    const ids: string[] = [];
    for await (const { workflowId } of stage.temporal.workflow.list({ query: `WorkflowId STARTS_WITH "${source}/"` }))
      ids.push(workflowId);
    return ids;
  };
  const ids = await until("the list knows the later one", async () => {
    const found = await listed();
    return found.includes(`${source}/later`) && found;
  });
  return ids.length - 1;
}

async function deliveredOf(source: string): Promise<readonly string[]> {
  await stage.far.settled(`${source}/${MESSAGE_ID}`);
  return stage.destination.requests
    .filter(({ headers }) => headers["ce-source"] === source && headers["ce-id"] === MESSAGE_ID)
    .map(({ body }) => body.toString("hex"));
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

describe("a body is verified and delivered byte for byte", () => {
  // github/docs#3567, mapbox/ecs-conex#64; octokit/webhooks.js#593; loopbackio/loopback-next#6676.
  test.each([
    ["plain", BODIES.plain],
    ["an emoji", BODIES.emoji],
    ["spaces and a final line break", BODIES.spaces],
    ["escapes", BODIES.escapes],
    ["numbers that no double holds", BODIES.numbers],
    ["an escaped NUL", BODIES.escapedNul],
    ["an escaped lone surrogate", BODIES.loneSurrogate],
    ["__proto__", BODIES.prototype],
  ])("%s: 2xx, one workflow", async (_what, body) => {
    const source = aSource();
    expect((await sendSigned(source, body, body)).status).toBe(202);
    expect(await deliveredOf(source)).toEqual([hexOf(body.bytes)]);
    expect(await workflowsOf(source)).toBe(1);
    expect(({} as { admin?: unknown }).admin).toBeUndefined();
  });

  test("constructor and prototype as members are members: 2xx, one workflow", async () => {
    const source = aSource();
    const body = '{"constructor":{"prototype":{"admin":true}}}';
    const headers = signAnew(body, { id: MESSAGE_ID, seconds: SIGNED_AT_MS / 1000 });
    expect((await server.post(`/v1/hooks/${source}`, body, headers)).status).toBe(202);
    expect(await deliveredOf(source)).toEqual([hexOf(Buffer.from(body))]);
    expect(await workflowsOf(source)).toBe(1);
    expect(({} as { admin?: unknown }).admin).toBeUndefined();
  });

  test("a form under its own content type: 2xx, one workflow", async () => {
    const source = aSource();
    const { bytes, signature } = BODIES.form;
    const headers = { "content-type": "application/x-www-form-urlencoded", ...signedHeaders(signature) };
    expect((await send(source, bytes, headers)).status).toBe(202);
    expect(await deliveredOf(source)).toEqual([hexOf(bytes)]);
    expect(await workflowsOf(source)).toBe(1);
  });
});

describe("bytes that were not signed are 401, and no workflow", () => {
  const changed = BODIES.emoji.bytes.slice();
  changed[5] = (changed[5] ?? 0) ^ 1;

  test.each([
    ["an emoji with one byte changed", changed, BODIES.emoji],
    // ctrlplanedev/ctrlplane#852: whoever parses and writes again before the check takes one for the other.
    ["spaces under the signature without them", BODIES.spaces.bytes, BODIES.plain],
    ["no spaces under the signature with them", BODIES.plain.bytes, BODIES.spaces],
    // oomol-lab/open-flow#89: both are the same text with U+FFFD.
    ["one bad byte under the signature of another", BODIES.badByteFE.bytes, BODIES.badByteFF],
  ])("%s", async (_what, bytes, { signature }) => {
    const source = aSource();
    expect((await send(source, bytes, { ...JSON_TYPE, ...signedHeaders(signature) })).status).toBe(401);
    expect(await workflowsOf(source)).toBe(0);
  });

  test.each(Object.entries(WRONG_KEYS))("a signature with %s as the key", async (_what, signature) => {
    const source = aSource();
    expect((await send(source, BODIES.plain.bytes, { ...JSON_TYPE, ...signedHeaders(signature) })).status).toBe(401);
    expect(await workflowsOf(source)).toBe(0);
  });
});

describe("a genuine body that is no event is 400 after it was verified, and no workflow", () => {
  test.each([
    ["nothing", BODIES.empty, "bad_event"],
    ["a byte order mark", BODIES.byteOrderMark, "bad_event"],
    ["bad UTF-8, FF", BODIES.badByteFF, "bad_event"],
    ["bad UTF-8, FE", BODIES.badByteFE, "bad_event"],
    // adcontextprotocol/adcp#2483: the approver would see one value, the receiver another one.
    ["a member twice", BODIES.twice, "duplicate_member"],
  ] as const)("%s", async (_what, body, code) => {
    const source = aSource();
    expect(await sendSigned(source, body, body)).toMatchObject({ status: 400, body: { code } });
    expect((await sendSigned(source, body, BODIES.plain)).status).toBe(401);
    expect(await workflowsOf(source)).toBe(0);
  });
});

test("gzip is 415 whichever bytes were signed, and says what would be taken: no workflow", async () => {
  // GetStream/stream-chat-php#168: that vendor signs what it compresses.
  const source = aSource();
  for (const { signature } of [BODIES.gzip, BODIES.plain]) {
    const headers = { ...JSON_TYPE, "content-encoding": "gzip", ...signedHeaders(signature) };
    const answer = await send(source, BODIES.gzip.bytes, headers);
    expect([answer.status, answer.headers.get("accept-encoding")]).toEqual([415, "identity"]);
  }
  expect(await workflowsOf(source)).toBe(0);
});

describe("several signatures in one header", () => {
  const good = BODIES.plain.signature.slice("v1,".length);
  const bad = (count: number) => Array.from({ length: count }, () => "v1,AAAA").join(" ");

  // svix/svix-webhooks#55, profullstack/sh1pt#509.
  test.each([
    ["the good one among bad ones and another version", `v1,AAAA v1,${good} v2,AAAA`, 202],
    ["the good one as another version", `v2,${good}`, 401],
    ["the good one as a signature of Ed25519", `v1a,${good}`, 401],
    ["the good one with its version in capitals", `V1,${good}`, 401],
    // As many as fit into the headers that are taken.
    ["the good one behind a thousand bad ones", `${bad(1000)} v1,${good}`, 401],
    ["the good one behind ten bad ones", `${bad(10)} v1,${good}`, 401],
  ])("%s: %s… is %i", async (_what, signature, status) => {
    const source = aSource();
    const answer = await send(source, BODIES.plain.bytes, { ...JSON_TYPE, ...signedHeaders(signature) });
    expect(answer.status).toBe(status);
    expect(await workflowsOf(source)).toBe(status === 202 ? 1 : 0);
  });
});

// stripe/stripe-php#657: signatures from the future were good for ever.
test.each([
  [-300, 202],
  [-301, 401],
  [300, 202],
  [301, 401],
  [86_400, 401],
])("a signature made %i s from now is %i", async (offset, status) => {
  const source = aSource();
  const { bytes } = BODIES.plain;
  const headers = signAnew(bytes, { id: MESSAGE_ID, seconds: SIGNED_AT_MS / 1000 + offset });
  expect((await send(source, bytes, headers)).status).toBe(status);
  expect(await workflowsOf(source)).toBe(status === 202 ? 1 : 0);
});

test("a dot that moves between id, time and body: refused with it in the id, no JSON with it in the body, no workflow", async () => {
  const source = aSource();
  const moved = async (id: string, seconds: number, body: string) =>
    await server.post(`/v1/hooks/${source}`, body, { ...JSON_TYPE, ...signedHeaders(MOVED_DOT, { id, seconds }) });
  expect((await moved("a.1760000000", 5, "x")).status).toBe(401);
  expect(await moved("a", 1_760_000_000, "5.x")).toMatchObject({ status: 400, body: { code: "bad_event" } });
  expect(await workflowsOf(source)).toBe(0);
});

describe("a content type", () => {
  const unsigned = { "content-type": "application/x-www-form-urlencoded" };

  // woocommerce/woocommerce#15642 and #8876: the ping is a form, and five failures disable the hook.
  test("is asked after the signature: none and text/plain are 415, an unsigned ping is 401, no workflow", async () => {
    const source = aSource();
    const { bytes, signature } = BODIES.plain;
    expect((await send(source, bytes, signedHeaders(signature))).status).toBe(415);
    expect((await send(source, bytes, { "content-type": "text/plain", ...signedHeaders(signature) })).status).toBe(415);
    expect((await server.post(`/v1/hooks/${source}`, "webhook_id=7", unsigned)).status).toBe(401);
    expect(await workflowsOf(source)).toBe(0);
    expect((await sendSigned(source, BODIES.plain, BODIES.plain)).status).toBe(202);
  });
});

test("without an id there is no event: no header, an empty one, a blank one are 401, and no workflow", async () => {
  // ever-co/ever-gauzy#10198: an empty id became one key for all.
  const source = aSource();
  const { bytes, signature } = BODIES.plain;
  const { "webhook-id": _id, ...rest } = signedHeaders(signature);
  for (const headers of [rest, { ...rest, "webhook-id": "" }, { ...rest, "webhook-id": " " }])
    expect((await send(source, bytes, { ...JSON_TYPE, ...headers })).status).toBe(401);
  expect(await workflowsOf(source)).toBe(0);
});

test("two ids with equal bodies are two workflows", async () => {
  // muxinc/mux-node-sdk#83: two real errors of one asset.
  const source = aSource();
  const { bytes } = BODIES.plain;
  for (const id of ["msg_1", "msg_2"])
    expect((await send(source, bytes, signAnew(bytes, { id, seconds: SIGNED_AT_MS / 1000 }))).status).toBe(202);
  expect(await workflowsOf(source)).toBe(2);
});
