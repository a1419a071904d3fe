/** Approval from outside: every verb by which a person looks, decides, changes and proves, as a real process beside one worker. */
import { execFile } from "node:child_process";
import { readFile, stat, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCli } from "../../src/cli/main.ts";
import { connect, type ConnectedCountersign } from "../../src/client/connect.ts";
import { parseConfig } from "../../src/config/parse-config.ts";
import type { EventState, Proposal } from "../../src/delivery/event-state.ts";
import { findBinary } from "../../src/temporal/binary.ts";
import { TEMPORAL_CLI } from "../../src/temporal/binary-spec.ts";
import {
  aFolder,
  countersign,
  type Finished,
  type Folder,
  type RunningCommand,
  startCommand,
} from "../support/command-line.ts";
import { type Destination, startDestination } from "../support/destination.ts";
import { temporalAddress, temporalEnvironment, uniqueName } from "../support/temporal.ts";
import { until } from "../support/until.ts";

/** The names of source and endpoints are this file's own: the server is shared. */
const TASK_QUEUE = uniqueName("cli-approval");
const [ANA, BEN, SIG] = ["ana@example.com", "ben@example.com", "sig@example.com"];
const KEY_FILE = "sig.pem";

let destination: Destination;
let folder: Folder;
let worker: RunningCommand;
let keygen: Finished;
/** Looks again and again, which no person does. */
let looker: ConnectedCountersign;

function configuration(baseUrl: string, publicKey: string): string {
  const at = (path: string) => ({ url: `${baseUrl}${path}`, allowPrivate: ["127.0.0.0/8"] });
  const asks = (type: string, approval: object) => ({ match: { type: `${type}.*` }, to: ["desk-pay"], approval });
  return JSON.stringify({
    temporal: { taskQueue: TASK_QUEUE },
    sources: { desk: {} },
    people: {
      [ANA]: { groups: ["finance"] },
      [BEN]: { groups: ["finance"] },
      [SIG]: { groups: ["signers"], publicKey },
    },
    endpoints: {
      "desk-pay": { ...at("/pay"), headers: { authorization: "Bearer top-secret" } },
      "desk-other": at("/other"),
    },
    routes: [
      asks("refund", { approvers: ["group:finance"], quorum: 2, expires: "24h" }),
      asks("note", { approvers: ["group:finance"] }),
      asks("sealed", { approvers: ["group:signers"], requireSignedDecisions: true }),
    ],
  });
}

const environment = (): Record<string, string | undefined> => ({
  ...temporalEnvironment(),
  COUNTERSIGN_ACTOR: undefined,
});

const run = (...argv: readonly string[]): Promise<Finished> =>
  countersign(argv, { cwd: folder.path, environment: environment() });

/** The same in this process: cheap enough for looking again and again. */
async function runHere(...argv: readonly string[]): Promise<Finished> {
  const said = { stdout: "", stderr: "" };
  const stdout = new PassThrough().on("data", (chunk: Buffer) => void (said.stdout += chunk.toString()));
  const stderr = new PassThrough().on("data", (chunk: Buffer) => void (said.stderr += chunk.toString()));
  const stdin = new PassThrough();
  stdin.end();
  const screen = { isTTY: false, cursorTo: () => true, clearLine: () => true, moveCursor: () => true };
  const streams = { stdin: Object.assign(stdin, { isTTY: false }), stdout, stderr: Object.assign(stderr, screen) };
  const exit = await runCli({ argv, environment: environment(), cwd: folder.path, ...streams });
  return { exit, ...said };
}

async function reaches(key: string, state: EventState["state"]): Promise<EventState> {
  return await until(`${key} is ${state}`, async () => {
    const event = await looker.get(key);
    return event.state === state && event;
  });
}

const BODY = '{ "amount": 900.10,\n  "to": "DE00 größe" }\n';

/** An event that waits, and what is proposed. */
async function asked(type: string): Promise<{ readonly key: string; readonly proposal: Proposal }> {
  const id = uniqueName(type);
  await runHere("send", "body.json", "--source", "desk", "--type", `${type}.made`, "--id", id);
  const { deliveries } = await reaches(`desk/${id}`, "awaiting-approval");
  const proposal = deliveries[0]?.proposal ?? null;
  if (proposal === null) throw new TypeError("There is no proposal");
  return { key: `desk/${id}`, proposal };
}

const bodiesOf = (key: string) =>
  destination.requests.filter(({ headers }) => `desk/${headers["ce-id"]}` === key).map(({ body }) => body.toString());

const verdictOf = ({ stdout }: Finished): unknown => JSON.parse(stdout);

beforeAll(async () => {
  destination = await startDestination();
  folder = await aFolder({ "body.json": BODY, "new.json": '{"amount":1}', "broken.json": '{"amount":' });
  keygen = await run("people", "keygen", SIG, "--out", KEY_FILE, "--json");
  const { publicKey } = JSON.parse(keygen.stdout) as { readonly publicKey: string }; // our own output
  const config = configuration(destination.url, publicKey);
  await writeFile(join(folder.path, "countersign.config.json"), config);
  looker = await connect({ config: parseConfig(JSON.parse(config), { path: null }), address: temporalAddress() });
  worker = startCommand(["worker"], { cwd: folder.path, environment: environment() });
  await worker.says("Running workflows and delivering to desk-pay, desk-other");
});

afterAll(async () => {
  worker.signal("SIGTERM");
  await worker.finished;
  await Promise.all([looker.close(), destination.close(), folder.remove()]);
});

describe("people keygen", () => {
  test("writes the private key for its owner alone, prints it nowhere, and replaces none", async () => {
    const path = join(folder.path, KEY_FILE);
    const pem = await readFile(path, "utf8");
    expect(keygen).toMatchObject({ exit: 0, stderr: "" });
    expect(verdictOf(keygen)).toEqual({ person: SIG, publicKey: expect.any(String), privateKeyFile: KEY_FILE });
    expect(((await stat(path)).mode & 0o777).toString(8)).toBe("600");
    const [again, other] = await Promise.all([
      run("people", "keygen", SIG, "--out", KEY_FILE),
      runHere("people", "keygen", "o'neil@example.com"),
    ]);
    expect(again).toMatchObject({ exit: 4, stdout: "", stderr: expect.stringContaining("[refused]") });
    expect(await readFile(path, "utf8")).toBe(pem);
    expect(other).toMatchObject({ exit: 0 });
    expect(other.stdout).toMatch(/^'o\\'neil@example\.com': \{ groups: \[\], publicKey: '[\w+/]{43}=' \},\n$/u);
    const secrets = [pem, await readFile(join(folder.path, "o_neil@example.com.countersign-key.pem"), "utf8")];
    const said = [keygen, again, other].flatMap(({ stdout, stderr }) => [stdout, stderr]).join("\n");
    for (const secret of secrets) expect(said).not.toContain(secret.split("\n")[1]);
    expect(said).not.toContain("PRIVATE");
  });
});

describe("doctor", () => {
  test("says how many routes ask, and how many people could sign", async () => {
    const { exit, stdout } = await run("doctor");
    expect(exit).toBe(0);
    expect(stdout).toMatch(/^ok +approval +3 routes ask for approval; 3 people, 1 with a key$/m);
    expect(stdout).toMatch(/^warn +endpoint desk-pay +headers\.authorization: a secret stands/m);
  });
});

describe("what waits", () => {
  test("is shown whole, with the commands to type; the one for Temporal alone decides as it stands", async () => {
    const { key, proposal } = await asked("note");
    const { exit, stdout } = await run("show", key);
    expect(exit).toBe(0);
    for (const part of [
      `digest     ${proposal.digest}`,
      `POST ${destination.url}/pay`,
      "headers    authorization",
      `application/json, ${Buffer.byteLength(BODY)} bytes`,
      "1 of group:finance; one rejection ends it",
      "(in 72 h)",
      "requester  unknown",
      '  | { "amount": 900.10,',
      '  |   "to": "DE00 größe" }',
      `countersign approve ${key} --digest ${proposal.digest}`,
      `countersign reject ${key} --digest ${proposal.digest} --note "…"`,
    ])
      expect(stdout).toContain(part);
    expect(stdout).not.toContain("top-secret");
    const line = stdout.split("\n").find((text) => text.includes("temporal workflow signal")) ?? "";
    const binary = await findBinary(TEMPORAL_CLI, { environment: process.env });
    const PATH = [dirname(binary), process.env["PATH"]].join(delimiter);
    const command = line.trim().replace("you@example.com", BEN);
    await promisify(execFile)("/bin/sh", ["-c", command], { env: { ...environment(), PATH } });
    await reaches(key, "delivered");
    expect(bodiesOf(key)).toEqual([BODY]);
  });

  test("is listed by age with the time left, the oldest first where that is asked for", async () => {
    const first = await asked("refund");
    const second = await asked("refund");
    const list = ["list", "--state", "awaiting-approval", "--source", "desk", "--type", "refund.made"];
    const keys = [first.key, second.key];
    const items = await until("both are listed", async () => {
      const { stdout } = await runHere(...list, "--oldest", "--json");
      const rows = (JSON.parse(stdout) as { readonly items: readonly { readonly key: string }[] }).items; // our own output
      return rows.length === keys.length && rows;
    });
    const { digest, createdAt: since, expiresAt: until_ } = first.proposal;
    expect(items.map(({ key }) => key)).toEqual(keys);
    expect(items[0]).toMatchObject({
      state: "awaiting-approval",
      approval: { endpoint: "desk-pay", digest, since, until: until_ },
    });
    const [newest, oldest] = await Promise.all([runHere(...list), run(...list, "--oldest")]);
    expect(newest.stdout).toMatch(/^AGE +LEFT +STATE +KEY +TYPE +ENDPOINT +DIGEST$/mu);
    expect(newest.stdout).toMatch(
      /^\d+ s +23 h +awaiting-approval +desk\/refund-.+ +refund\.made +desk-pay +[0-9a-f]{12}$/mu,
    );
    const order = ({ stdout }: Finished) =>
      keys.toSorted((left, right) => stdout.indexOf(left) - stdout.indexOf(right));
    expect([order(newest), order(oldest)]).toEqual([keys.toReversed(), keys]);
    for (const { key } of [first, second]) await runHere("discard", key, "--reason", "only looked at");
  });
});

describe("approve, withdraw", () => {
  test("count for a person of the configuration on what they looked at, and say so by exit code and JSON", async () => {
    const { key, proposal } = await asked("refund");
    const { digest } = proposal;
    const prefix = digest.slice("sha256:".length, "sha256:".length + 12);
    const approve = ["approve", key, "--digest"];
    const [stranger, nobody, short, other, missing] = await Promise.all([
      run(...approve, prefix, "--as", "eve@example.com"),
      runHere(...approve, prefix),
      runHere(...approve, prefix.slice(0, 11), "--as", ANA),
      run(...approve, "0".repeat(12), "--as", ANA, "--json"),
      run("approve", "desk/nothing", "--digest", digest, "--as", ANA),
    ]);
    expect(stranger).toMatchObject({
      exit: 2,
      stderr: expect.stringMatching(/"eve@example\.com" is not a person.*ana@example\.com/u),
    });
    expect(nobody).toMatchObject({ exit: 2, stderr: expect.stringContaining("--as or COUNTERSIGN_ACTOR") });
    expect(short).toMatchObject({ exit: 2, stderr: expect.stringContaining("12 hex digits") });
    expect(missing).toMatchObject({ exit: 3, stderr: expect.stringContaining("[not_found]") });
    expect([other.exit, verdictOf(other)]).toEqual([4, refused("wrong-digest")]);
    expect(JSON.parse(other.stderr)).toMatchObject({ code: "refused", refusedBecause: "wrong-digest" });
    expect((await looker.get(key)).deliveries[0]?.decisions).toEqual([]);

    const counted = await run(...approve, prefix, "--as", ANA, "--note", "checked", "--json");
    expect([counted.exit, verdictOf(counted), counted.stderr]).toEqual([0, COUNTED, ""]);
    const [twice, notHers] = await Promise.all([
      runHere(...approve, digest, "--as", ANA, "--json"),
      runHere("withdraw", key, "--digest", digest, "--as", BEN, "--json"),
    ]);
    expect([twice.exit, verdictOf(twice)]).toEqual([4, refused("second-vote")]);
    expect([notHers.exit, verdictOf(notHers)]).toEqual([4, refused("not-eligible")]);
    const withdrawn = await run("withdraw", key, "--digest", prefix, "--as", ANA);
    expect(withdrawn).toMatchObject({
      exit: 0,
      stdout: expect.stringContaining(
        "Your withdrawal counts: none of 2; it waits for 2 more of group:finance, until 20",
      ),
    });
    expect(bodiesOf(key)).toEqual([]);

    const [first, second] = [
      await runHere(...approve, prefix, "--as", ANA),
      await runHere(...approve, prefix, "--as", BEN),
    ];
    expect([first.exit, second.exit]).toEqual([0, 0]);
    expect(first.stdout).toContain("Your approval counts: 1 of 2; it waits for one more of group:finance, until 20");
    expect(second.stdout).toMatch(/^2 of 2 have approved: it is (?:being sent|delivered)\.$/mu);
    await reaches(key, "delivered");
    const late = await runHere("withdraw", key, "--digest", digest, "--as", ANA, "--json");
    expect([late.exit, verdictOf(late)]).toEqual([4, refused("executed")]);
    expect(bodiesOf(key)).toEqual([BODY]);
  });

  const COUNTED = { counted: true, refusedBecause: null, at: expect.any(String) };
  const refused = (refusedBecause: string) => ({ counted: false, refusedBecause, at: expect.any(String) });
});

describe("reject", () => {
  test("needs a note, ends the event with it, and leaves nothing to approve", async () => {
    const { key, proposal } = await asked("note");
    const target = [key, "--digest", proposal.digest, "--as", ANA];
    const [wordless, blank] = await Promise.all([
      run("reject", ...target),
      runHere("reject", ...target, "--note", "  "),
    ]);
    expect([wordless.exit, blank.exit]).toEqual([2, 2]);
    const no = await run("reject", ...target, "--note", "wrong figure");
    expect(no).toMatchObject({ exit: 0, stdout: expect.stringContaining("Your rejection counts: it is rejected.") });
    const [delivery] = (await reaches(key, "rejected")).deliveries;
    expect(delivery?.decisions).toMatchObject([{ action: "reject", actor: ANA, note: "wrong figure", counted: true }]);
    const late = await runHere("approve", ...target, "--json");
    expect([late.exit, verdictOf(late)]).toEqual([4, expect.objectContaining({ refusedBecause: "already-decided" })]);
    expect(bodiesOf(key)).toEqual([]);
  });
});

describe("amend", () => {
  test("replaces body and endpoint; what was approved before does not count, and the new one is named", async () => {
    const { key, proposal } = await asked("note");
    const amend = (...more: readonly string[]) => ["amend", key, "--reason", "the sum was wrong", ...more] as const;
    const wrong = await Promise.all(
      [[], ["--data", "broken.json"], ["--data", "nowhere.json"], ["--endpoint", "nowhere"]].map((more) =>
        runHere(...amend(...more)),
      ),
    );
    expect(wrong.map(({ exit }) => exit)).toEqual([2, 2, 2, 3]);
    const amended = await run(...amend("--data", "new.json", "--endpoint", "desk-other", "--as", "ops"));
    expect(amended).toMatchObject({
      exit: 0,
      stdout: expect.stringContaining("what was approved before no longer counts"),
      stderr: expect.stringContaining("warning: ops is no person of `people`"),
    });
    const next = await until("it is proposed anew", async () => {
      const found = (await looker.get(key)).deliveries[0]?.proposal ?? null;
      return found?.revision === 2 && found;
    });
    expect(next.action).toMatchObject({ endpoint: "desk-other", body: '{"amount":1}' });
    const stale = await run("approve", key, "--digest", proposal.digest, "--as", ANA);
    expect(stale.exit).toBe(4);
    expect(stale.stderr).toContain("(stale-revision): it changed since you looked");
    expect(stale.stderr).toContain(`What waits now begins with ${next.digest.slice(7, 19)} (desk-other).`);
    expect(stale.stderr).not.toContain(next.digest);
    expect((await runHere("approve", key, "--digest", next.digest, "--as", ANA)).exit).toBe(0);
    await reaches(key, "delivered");
    expect(bodiesOf(key)).toEqual(['{"amount":1}']);
    expect(destination.requests.at(-1)?.path).toBe("/other");
  });
});

describe("where decisions must be signed, and what can be proved of them", () => {
  test("only the key of that person counts, and the audit says so, unchanged", async () => {
    const { key, proposal } = await asked("sealed");
    const approve = ["approve", key, "--digest", proposal.digest, "--as", SIG];
    const commands = (await runHere("show", key)).stdout;
    expect(commands).toContain(`${approve.slice(0, 4).join(" ")} --key-file you.countersign-key.pem`);
    expect(commands).not.toContain("temporal workflow signal");
    const unsigned = await runHere(...approve);
    expect(unsigned).toMatchObject({ exit: 4, stderr: expect.stringContaining("(bad-signature)") });
    const [other, noKey] = await Promise.all([
      runHere(...approve, "--key-file", "o_neil@example.com.countersign-key.pem", "--json"),
      runHere(...approve, "--key-file", "body.json"),
    ]);
    expect([other.exit, verdictOf(other)]).toEqual([4, expect.objectContaining({ refusedBecause: "bad-signature" })]);
    expect(noKey).toMatchObject({ exit: 2, stderr: expect.stringContaining("no Ed25519 private key") });
    const signed = await run(...approve, "--key-file", KEY_FILE);
    expect(signed).toMatchObject({ exit: 0, stderr: "" });
    await reaches(key, "delivered");

    const [audit, records] = await Promise.all([run("audit", key), runHere("audit", key, "--json")]);
    expect(audit.stdout).toMatch(/sig@example\.com +approved .*desk-pay +1 +[0-9a-f]{12}/u);
    expect(JSON.parse(records.stdout)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ action: "approve", actor: SIG, counted: false, signed: false }),
        expect.objectContaining({
          action: "approve",
          actor: SIG,
          counted: true,
          signed: true,
          digest: proposal.digest,
        }),
        expect.objectContaining({ action: "executed" }),
      ]),
    );
    expect(`${audit.stdout}${records.stdout}`).not.toContain("900.10");
  });

  test("an export is whole, and its first changed or missing line is named", async () => {
    const { key, proposal } = await asked("note");
    await runHere("reject", key, "--digest", proposal.digest, "--as", BEN, "--note", "no");
    await reaches(key, "rejected");
    const exported = await run("audit", "export", key, "--out", "audit.jsonl");
    expect(exported.exit).toBe(0);
    const head = /sha256:[0-9a-f]{64}/u.exec(exported.stderr)?.[0] ?? "";
    const path = join(folder.path, "audit.jsonl");
    const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
    const at = lines.findIndex((line) => line.includes('"reject"'));
    const edited = lines.map((line, index) => (index === at ? line.replace(BEN, ANA) : line));
    await Promise.all([
      writeFile(join(folder.path, "edited.jsonl"), `${edited.join("\n")}\n`),
      writeFile(join(folder.path, "short.jsonl"), `${lines.slice(0, -1).join("\n")}\n`),
    ]);
    const verify = (file: string, ...more: readonly string[]) => ["audit", "verify", file, "--json", ...more];
    const [whole, changed, cut, otherHead, none] = await Promise.all([
      run(...verify("audit.jsonl", "--head", head)),
      run(...verify("edited.jsonl")),
      run(...verify("short.jsonl")),
      runHere(...verify("audit.jsonl", "--head", `sha256:${"0".repeat(64)}`)),
      runHere(...verify("nowhere.jsonl")),
    ]);
    expect([whole.exit, verdictOf(whole)]).toEqual([0, expect.objectContaining({ ok: true, head, firstBad: null })]);
    expect([changed.exit, verdictOf(changed)]).toEqual([1, problemAt(at + 1, "edited")]);
    expect([cut.exit, verdictOf(cut)]).toEqual([1, problemAt(lines.length, "truncated")]);
    expect(otherHead.exit).toBe(1);
    expect(none.exit).toBe(3);
    expect(((await stat(path)).mode & 0o777).toString(8)).toBe("600");
  });

  const problemAt = (line: number, problem: string) =>
    expect.objectContaining({ ok: false, firstBad: expect.objectContaining({ line, problem }) });
});
