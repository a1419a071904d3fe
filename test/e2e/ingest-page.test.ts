/** The five minutes of docs/ingest.md, played: a producer of one's own, Stripe and GitHub, with genuine signatures. */
import { createHmac, randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { claimPort } from "../../src/temporal/free-port.ts";
import { read } from "../support/an-app.ts";
import { aFolder, countersign, type Folder, type RunningCommand, startCommand } from "../support/command-line.ts";
import { run as runProgram } from "../support/run-npm.ts";
import { until } from "../support/until.ts";

const CURL = `curl -i http://127.0.0.1:8787/v1/events -H "Authorization: Bearer $COUNTERSIGN_KEY" -H 'Content-Type: application/json' -d '{"source":"shop","id":"evt_1","type":"order.created","data":{"total":42}}'`;

/** What the page says, in its order; a change there must be made here, where it is run. */
const COMMANDS = [
  "countersign keys create --role ingest --source shop --type 'order.*'",
  "countersign listen --port 8790",
  "export CRM_URL=http://127.0.0.1:8790/crm",
  "countersign dev",
  "export COUNTERSIGN_KEY=csk_…",
  CURL,
  CURL,
  "countersign show shop/evt_1",
  `countersign send --source till --type order.paid --data '{"orderId":"o-17","status":"paid"}'`,
  `countersign send --source shop --type order.paid --data '{"orderId":"o-17"}' --id-from data.orderId`,
  "countersign list --source stripe",
  "countersign list --source github",
] as const;
const [CREATE, LISTEN, , DEV, , , , SHOW, SEND_TILL, SEND_SHOP, LIST_STRIPE, LIST_GITHUB] = COMMANDS;
const SECRETS = { STRIPE_WEBHOOK_SECRET: "whsec_page", GITHUB_WEBHOOK_SECRET: "It's a secret" };

let page: string;
let folder: Folder;
let key = "";
let url = "";
let environment: Readonly<Record<string, string | undefined>>;
let listening: RunningCommand;
const started: RunningCommand[] = [];

async function freePort(): Promise<string> {
  const claimed = await claimPort("127.0.0.1", 0);
  if (claimed.kind === "free") return String(claimed.port);
  throw new Error(claimed.reason);
}

/** The page's line as arguments, as a shell would split it. */
function argumentsOf(command: string): readonly string[] {
  return (command.match(/'[^']*'|\S+/g) ?? []).slice(1).map((word) => word.replaceAll(/^'|'$/g, ""));
}

function start(command: string, ...more: readonly string[]): RunningCommand {
  const running = startCommand([...argumentsOf(command), ...more], { cwd: folder.path, environment });
  started.push(running);
  return running;
}

async function run(command: string) {
  return await countersign(argumentsOf(command), { cwd: folder.path, environment });
}

/** Before anything else there is no configuration, so the key is made without one. */
beforeAll(async () => {
  page = await readFile("docs/ingest.md", "utf8");
  folder = await aFolder({});
  const [listen, temporal, ui] = [await freePort(), await freePort(), await freePort()];
  const TEMPORAL_ADDRESS = `127.0.0.1:${temporal}`;
  environment = {
    ...process.env,
    ...SECRETS,
    TEMPORAL_ADDRESS,
    NO_COLOR: "1",
    CRM_URL: `http://127.0.0.1:${listen}/crm`,
  };

  const made = await run(CREATE);
  const [text = "", entry = ""] = made.stdout.split("\n");
  key = text;
  const [, code = ""] = /```ts\n(.*?)```/s.exec(page) ?? [];
  const config = code.replace(/\{\s*id: "5f2c9a1b7e3d".*?\},\n/s, `${entry}\n`);
  expect([made.exit, config]).toEqual([0, expect.stringContaining(entry)]);
  await writeFile(join(folder.path, "countersign.config.ts"), config);

  listening = start(LISTEN.replace("8790", listen));
  await listening.says("Listening on http://127.0.0.1:");
  const dev = start(DEV, "--port", temporal, "--ui-port", ui, "--http-port", "0");
  await dev.says("Stop with Ctrl-C.");
  url = /HTTP API {3}(http\S+)/u.exec(dev.stdout())?.[1] ?? "";
});

afterAll(async () => {
  for (const command of started) command.signal("SIGTERM");
  await Promise.all(started.map(async ({ finished }) => await finished));
  await folder.remove();
});

/** How often the destination has been sent the event. */
function requestsOf(id: string): number {
  return listening
    .stdout()
    .split("\n")
    .filter((line) => line.includes(id)).length;
}

async function delivered(id: string): Promise<void> {
  await until(`${id} is delivered`, () => requestsOf(id) > 0);
}

/** What the command prints once the event is listed: lists are eventually consistent. */
async function listedBy(command: string, eventKey: string): Promise<string> {
  return await until(`${eventKey} is listed`, async () => {
    const { stdout } = await run(command);
    return stdout.includes(eventKey) ? stdout : null;
  });
}

test("the page holds exactly the commands that are run here", () => {
  const blocks = [...page.matchAll(/^ *```sh\n(.*?)^ *```/gms)].flatMap(([, block = ""]) => block.trim().split(/\n */));
  expect(blocks).toEqual(COMMANDS);
});

test("a producer of one's own sends an event twice, and it is delivered once", async ({ skip }) => {
  const curl = async () =>
    await runProgram("sh", ["-c", CURL.replace("http://127.0.0.1:8787", url)], {
      environment: { ...environment, COUNTERSIGN_KEY: key },
    });
  const first = await curl();
  if (first.exitCode === NOT_FOUND) skip("curl is not installed here");
  expect(first.stdout).toMatch(/^HTTP\/1\.1 202 .*^location: \S*\/v1\/events\/shop\/evt_1\r$.*"duplicate":false/ims);
  expect((await curl()).stdout).toMatch(/^HTTP\/1\.1 200 .*^idempotent-replayed: true\r$.*"duplicate":true/ims);
  await delivered("evt_1");
  expect((await run(SHOW)).stdout).toMatch(/^shop\/evt_1 .*\n.*#1 +delivered +crm answered 200/s);
  expect(requestsOf("evt_1")).toBe(1);
});

test("ids are made of the members that the source, or the command, names", async () => {
  expect(await run(SEND_TILL)).toMatchObject({ exit: 0, stdout: expect.stringContaining("Accepted till/o-17:paid") });
  expect(await run(SEND_SHOP)).toMatchObject({ exit: 0, stdout: expect.stringContaining("Accepted shop/o-17,") });
});

/** What a shell says of a program that is not there. */
const NOT_FOUND = 127;

async function post(source: string, body: string, headers: Readonly<Record<string, string>>) {
  const init = { method: "POST", headers: { "content-type": "application/json", ...headers }, body };
  return await read(fetch(`${url}/v1/hooks/${source}`, init));
}

function hmacHex(secret: string, text: string): string {
  return createHmac("sha256", secret).update(text).digest("hex");
}

describe("Stripe", () => {
  /** As docs.stripe.com/webhooks/signature has it. */
  const signed = (body: string, secret: string = SECRETS.STRIPE_WEBHOOK_SECRET) => {
    const time = Math.floor(Date.now() / 1000);
    return { "stripe-signature": `t=${time},v1=${hmacHex(secret, `${time}.${body}`)}` };
  };
  const invoice = (pending: number) =>
    `{\n  "id": "evt_1Page",\n  "object": "event",\n  "type": "invoice.paid",\n  "data": { "object": { "amount_paid": 1e2 } },\n  "pending_webhooks": ${pending}\n}`;

  test("an invoice is taken in, recognized when it comes again, delivered as it is, and listed", async () => {
    expect(await post("stripe", invoice(2), signed(invoice(2)))).toMatchObject({
      status: 200,
      body: { key: "stripe/evt_1Page", duplicate: false },
    });
    const again = await post("stripe", invoice(1), signed(invoice(1)));
    expect(again).toMatchObject({ status: 200, body: { key: "stripe/evt_1Page", duplicate: true } });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    await delivered("evt_1Page");
    expect(listening.stdout()).toContain('"amount_paid": 1e2');
    expect(await listedBy(LIST_STRIPE, "stripe/evt_1Page")).toContain("invoice.paid");
  });

  test("what another secret signed is 401, and what no route wants is ignored", async () => {
    expect(await post("stripe", invoice(1), signed(invoice(1), "whsec_other"))).toMatchObject({ status: 401 });
    const other = invoice(1).replace("invoice.paid", "customer.created");
    expect(await post("stripe", other, signed(other))).toMatchObject({ status: 200, body: { ignored: true } });
  });
});

describe("GitHub", () => {
  /** As docs.github.com has it in "Validating webhook deliveries". */
  const sent = (event: string, id: string, body: string) => ({
    "x-github-event": event,
    "x-github-delivery": id,
    "x-hub-signature-256": `sha256=${hmacHex(SECRETS.GITHUB_WEBHOOK_SECRET, body)}`,
  });
  const issue = '{"action":"opened","issue":{"number":1347,"title":"Found a bug"}}';

  test("an issue is taken in, recognized when it is redelivered, delivered and listed", async () => {
    const id = randomUUID();
    const eventKey = `github/${id}`;
    expect(await post("github", issue, sent("issues", id, issue))).toMatchObject({
      status: 202,
      body: { key: eventKey },
    });
    const again = await post("github", issue, sent("issues", id, issue));
    expect(again).toMatchObject({ body: { key: eventKey, duplicate: true } });
    await delivered(id);
    expect(await listedBy(LIST_GITHUB, eventKey)).toContain("issues.opened");
  });

  test("its ping is answered", async () => {
    const zen = '{"zen":"Design for failure."}';
    expect(await post("github", zen, sent("ping", randomUUID(), zen))).toMatchObject({ status: 200, body: "pong" });
  });
});

test("a server of its own knows what another has taken in, and doctor finds what it needs", async () => {
  const serve = start("countersign serve --port 0");
  await serve.says("Listening on http");
  const own = /Listening on (http\S+)/u.exec(serve.stderr())?.[1] ?? "";
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const body = JSON.stringify({ source: "shop", id: "o-17", type: "order.paid", data: { orderId: "o-17" } });
  expect(await read(fetch(`${own}/v1/events`, { method: "POST", headers, body }))).toMatchObject({
    status: 200,
    body: { duplicate: true },
  });
  const document = await read(fetch(`${own}/openapi.json`));
  expect(document).toMatchObject({ status: 200, body: { openapi: "3.1.0" } });
  const doctor = await run("countersign doctor");
  expect(doctor.stdout).toMatch(/^ok +source stripe +STRIPE_WEBHOOK_SECRET set$/m);
});
