/** The whole command line in this process, as far as it goes without a Temporal server. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { describe, expect, onTestFinished, test } from "vitest";
import { VERSION } from "../version.ts";
import type { Invocation } from "./context.ts";
import { runCli } from "./main.ts";

interface Finished {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

function collecting(): { readonly stream: Writable; text(): string } {
  let written = "";
  const stream = new Writable({
    write(chunk, _encoding, done) {
      written += String(chunk);
      done();
    },
  });
  return { stream, text: () => written };
}

async function run(argv: readonly string[], changes: Partial<Invocation> = {}): Promise<Finished> {
  const [stdout, stderr] = [collecting(), collecting()];
  const standard = {
    environment: {},
    cwd: "/",
    stdin: Readable.from([]),
    stdout: stdout.stream,
    stderr: stderr.stream,
  };
  const exit = await runCli({ ...standard, ...changes, argv });
  return { exit, stdout: stdout.text(), stderr: stderr.text() };
}

async function aFolder(config: unknown): Promise<string> {
  const cwd = await mkdtemp(join(tmpdir(), "cli-main-"));
  onTestFinished(() => rm(cwd, { recursive: true }));
  await writeFile(join(cwd, "countersign.config.json"), JSON.stringify(config));
  return cwd;
}

const CONFIG = {
  sources: { shop: {} },
  endpoints: { crm: { url: "https://crm.example/", maxBodyBytes: "1KiB" } },
  routes: [{ match: { type: "order.*" }, to: ["crm"] }],
};

describe("usage", () => {
  test("help and version are answers on standard output", async () => {
    const help = await run(["--help"]);
    expect([help.exit, help.stderr]).toEqual([0, ""]);
    for (const verb of [
      "dev",
      "worker",
      "listen",
      "send",
      "show",
      "list",
      "replay",
      "discard",
      "mark-delivered",
      "hurry",
      "hold",
      "release",
      "approve",
      "reject",
      "withdraw",
      "amend",
      "people",
      "endpoints",
      "pause",
      "resume",
      "bulk-replay",
      "test",
      "doctor",
    ]) {
      expect(help.stdout).toMatch(new RegExp(`^  ${verb} `, "m"));
    }
    expect(await run(["--version"])).toEqual({ exit: 0, stdout: `${VERSION}\n`, stderr: "" });
    expect((await run(["help", "send"])).stdout).toContain("--content-type");
    expect((await run(["people", "--help"])).stdout).toContain("keygen");
  });

  test("no arguments show the help as a complaint", async () => {
    const { exit, stdout, stderr } = await run([]);
    expect([exit, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("Usage: countersign");
  });

  test.each([
    [["lst"], "Did you mean list?"],
    [["list", "--stat", "x"], "'--stat'"],
    [["list", "--limit", "0"], "from 1 to 1000"],
    [["list", "--state", "lost"], "in-progress, awaiting-approval"],
    [["show"], "'key'"],
    [["show", "a/b", "c"], "too many arguments"],
    [["show", ""], "must be source/id"],
    [["show", "countersign:gates"], "must be source/id"],
    [["replay", "shop", "--reason", "x"], "must be source/id"],
    [["discard", "/x", "--reason", "x"], "must be source/id"],
    [["mark-delivered", "a/b\u001b", "--reason", "x"], "must be source/id"],
    [["replay", "shop/x"], "--reason"],
    [["hurry", "shop/x"], "--reason"],
    [["hold", "shop/x", "--reason", " "], "must say why"],
    [["release", "shop", "--reason", "x"], "must be source/id"],
    [["discard", "shop/x", "--reason", " "], "must say why"],
    [["show", "shop/x", "--page", "0"], "from 1 to 1000"],
    [["approve", "shop/x"], "--digest"],
    [["approve", "shop/x", "--digest", "latest"], "first 12 hex digits"],
    [["approve", "shop", "--digest", "0123456789ab"], "must be source/id"],
    [["reject", "shop/x", "--digest", "0123456789ab"], "--note"],
    [["reject", "shop/x", "--digest", "0123456789ab", "--note", " "], "must say why"],
    [["withdraw", "shop/x"], "--digest"],
    [["amend", "shop/x", "--reason", "typo"], "--data FILE, --endpoint NAME"],
    [["amend", "shop/x", "--data", "x.json"], "--reason"],
    [["amend", "shop/x", "--endpoint", "crm", "--reason", ""], "must say why"],
    [["people"], "a command is missing"],
    [["people", "keygen"], "'name'"],
    [["people", "keygen", "group:leads"], "groups have no keys"],
    [["pause", "crm"], "--reason"],
    [["pause", "--reason", "r"], "'endpoint'"],
    [["resume"], "'endpoint'"],
    [["audit", "endpoint"], "'name'"],
    [["worker", "--only", "a,"], "separated by commas"],
    [["listen", "--answer", "abc", "--port", "0"], "--answer takes"],
    [["listen", "--secret", "nonsense", "--port", "0"], "whsec_"],
    [["send", "--type", "x", "--data", "1"], "--source and --id"],
    [["send", "--source", "shop", "--data", "{}"], "add --type"],
  ])("%j is exit 2 with one line that says why", async (argv, words) => {
    const { exit, stdout, stderr } = await run(argv);
    expect([exit, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^error: .*\n$/);
    expect(stderr.toLowerCase()).toContain(words.toLowerCase());
  });

  test("with --json a complaint is problem JSON on standard error", async () => {
    const { exit, stdout, stderr } = await run(["list", "--limit", "x", "--json"]);
    expect([exit, stdout]).toEqual([2, ""]);
    expect(JSON.parse(stderr)).toMatchObject({
      type: "urn:countersign:problem:bad_argument",
      title: expect.any(String),
      detail: expect.any(String),
      code: "bad_argument",
    });
  });
});

describe("configuration", () => {
  test("that is not there is exit 2, whoever looked for it", async () => {
    expect(await run(["list"], { cwd: tmpdir() })).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("[config_not_found]"),
    });
    expect(await run(["list", "--config", "nope.json"], { cwd: tmpdir() })).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("nope.json"),
    });
    const environment = { COUNTERSIGN_CONFIG: "/nowhere.json" };
    expect(await run(["worker"], { environment })).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("COUNTERSIGN_CONFIG"),
    });
  });

  test("with an unknown key is exit 2 and names it", async () => {
    const cwd = await aFolder({ ...CONFIG, endpoints: { crm: { url: "https://crm.example/", retires: "quick" } } });
    const { exit, stderr } = await run(["list"], { cwd });
    expect(exit).toBe(2);
    expect(stderr).toContain("retires");
    expect(stderr).toContain("[config_invalid]");
  });

  test("with a name that is none is exit 2 and says what a name is", async () => {
    const cwd = await aFolder({ ...CONFIG, sources: { "My Shop": {} } });
    const { exit, stderr } = await run(["list"], { cwd });
    expect(exit).toBe(2);
    expect(stderr).toMatch(/My Shop.*lower-case letter.*\[config_invalid\]/);
  });

  test("can be named before and after the verb", async () => {
    const cwd = await aFolder(CONFIG);
    const send = ["send", "--source", "shop", "--type", "nope", "--id", "1", "--data", "1"];
    const place = ["--config", join(cwd, "countersign.config.json")];
    expect((await run([...place, ...send])).stderr).toContain("[no_route]");
    expect((await run([...send, ...place])).stderr).toContain("[no_route]");
  });
});

describe("send", () => {
  const ORDER = ["send", "--source", "shop", "--type", "order.created", "--id", "evt_1"];

  test.each([
    ["a body that is not JSON", [...ORDER, "--data", "{total"], 2, "invalid_json"],
    ["a member that is there twice", [...ORDER, "--data", '{"a":1,"a":2}'], 2, "duplicate_member"],
    [
      "a body larger than the endpoint takes",
      [...ORDER, "--data", JSON.stringify("x".repeat(2000))],
      2,
      "body_too_large",
    ],
    ["an id that is none", [...ORDER.slice(0, -1), "", "--data", "1"], 2, "bad_id"],
    ["an id with a line feed", [...ORDER.slice(0, -1), "a\nb", "--data", "1"], 2, "bad_id"],
    ["a time that is none", [...ORDER, "--time", "yesterday", "--data", "1"], 2, "bad_event"],
    ["an event without a type", ["send", "--data", '{"source":"shop","id":"1"}'], 2, "bad_event"],
    ["an event that is a list", ["send", "--data", "[]"], 2, "bad_event"],
    [
      "an unknown source",
      ["send", "--source", "nope", "--type", "order.created", "--id", "1", "--data", "1"],
      4,
      "unknown_source",
    ],
    [
      "a type no route matches",
      ["send", "--source", "shop", "--type", "nope", "--id", "1", "--data", "1"],
      4,
      "no_route",
    ],
    ["a file that is not there", [...ORDER, "nope.json"], 2, "bad_argument"],
  ] as const)("refuses %s before a server is asked", async (_what, argv, exit, code) => {
    const cwd = await aFolder(CONFIG);
    const answer = await run([...argv, "--json"], { cwd });
    expect([answer.exit, answer.stdout]).toEqual([exit, ""]);
    expect(JSON.parse(answer.stderr)).toMatchObject({ code });
  });
});

describe("decisions", () => {
  const DECIDE = ["--digest", "0123456789ab", "--note", "x"];
  const people = { "ana@example.com": {} };

  test.each(["approve", "reject", "withdraw"])(
    "%s is for people of the configuration, named before a server is asked",
    async (verb) => {
      const cwd = await aFolder({ ...CONFIG, people });
      const nobody = await run([verb, "shop/x", ...DECIDE], { cwd });
      expect(nobody).toMatchObject({ exit: 2, stderr: expect.stringContaining("known are ana@example.com") });
      const other = await run([verb, "shop/x", ...DECIDE, "--as", "eve"], { cwd, environment: { USER: "eve" } });
      expect(other).toMatchObject({ exit: 2, stderr: expect.stringContaining('"eve" is not a person') });
      const named = { COUNTERSIGN_ACTOR: "ana@example.com", COUNTERSIGN_KEY_FILE: "nope.pem" };
      const keyless = await run([verb, "shop/x", ...DECIDE], { cwd, environment: named });
      expect(keyless).toMatchObject({ exit: 2, stderr: expect.stringContaining("nope.pem cannot be read (ENOENT)") });
    },
  );

  test("an amendment is refused for an endpoint or a file that is not there", async () => {
    const cwd = await aFolder(CONFIG);
    const amend = ["amend", "shop/x", "--reason", "typo"];
    const endpoint = await run([...amend, "--endpoint", "nope"], { cwd });
    expect(endpoint).toMatchObject({ exit: 3, stderr: expect.stringContaining("the configured ones are: crm") });
    const file = await run([...amend, "--data", "nope.json"], { cwd });
    expect(file).toMatchObject({ exit: 2, stderr: expect.stringContaining("nope.json") });
  });
});

test.each([
  ["pause", ["pause", "crm", "--reason", "x"]],
  ["resume", ["resume", "crm"]],
  ["replay", ["replay", "shop/x", "--reason", "x"]],
  ["amend", ["amend", "shop/x", "--endpoint", "crm", "--reason", "x"]],
  ["bulk-replay pause", ["bulk-replay", "pause", "x"]],
])("%s by nobody (--as '') is exit 2 before a server is asked", async (_verb, argv) => {
  const cwd = await aFolder(CONFIG);
  const { exit, stderr } = await run([...argv, "--as", ""], { cwd, environment: { COUNTERSIGN_ACTOR: "ana" } });
  expect([exit, stderr]).toEqual([2, expect.stringContaining("--as is empty")]);
});

describe("people keygen", () => {
  test("needs no configuration and never overwrites a key", async () => {
    const cwd = await mkdtemp(join(tmpdir(), "cli-main-"));
    onTestFinished(() => rm(cwd, { recursive: true }));
    const made = await run(["people", "keygen", "ana@example.com", "--json"], { cwd });
    expect([made.exit, made.stderr]).toEqual([0, ""]);
    expect(JSON.parse(made.stdout)).toMatchObject({ person: "ana@example.com" });
    const again = await run(["people", "keygen", "ana@example.com", "--json"], { cwd });
    expect([again.exit, again.stdout]).toEqual([4, ""]);
    expect(JSON.parse(again.stderr)).toMatchObject({ code: "refused" });
  });
});

describe("doctor", () => {
  test("turns what is wrong into lines and an exit code instead of stopping at it", async () => {
    const { exit, stdout, stderr } = await run(["doctor"], { cwd: tmpdir() });
    expect([exit, stderr]).toEqual([2, ""]);
    expect(stdout).toMatch(/^fail  configuration  No configuration found/);
  });
});

describe("worker", () => {
  test("refuses to start without a variable it needs, before a server is asked", async () => {
    const cwd = await aFolder({ ...CONFIG, endpoints: { crm: { url: { env: "CRM_URL" } } } });
    expect(await run(["worker"], { cwd })).toMatchObject({
      exit: 2,
      stderr: expect.stringMatching(/CRM_URL.*\[missing_env\]/),
    });
  });

  test("refuses to start without a handler version it has to serve", async () => {
    const cwd = await aFolder({ ...CONFIG, endpoints: { crm: { handler: "refund@2" } } });
    expect(await run(["worker"], { cwd })).toMatchObject({
      exit: 2,
      stderr: expect.stringMatching(/refund@2.*\[handler_missing\]/),
    });
  });

  test("takes an endpoint it does not know for bad usage", async () => {
    const cwd = await aFolder(CONFIG);
    expect(await run(["worker", "--only", "nope"], { cwd })).toMatchObject({
      exit: 2,
      stderr: expect.stringMatching(/nope.*\[unknown_endpoint\]/),
    });
  });

  test("refuses a log level that is none", async () => {
    const cwd = await aFolder(CONFIG);
    expect((await run(["worker"], { cwd, environment: { COUNTERSIGN_LOG: "loud" } })).exit).toBe(2);
  });
});

describe("listen", () => {
  async function listening(argv: readonly string[], requests: (url: string) => Promise<void>): Promise<Finished> {
    const stop = new AbortController();
    const [stdout, stderr] = [collecting(), collecting()];
    const parts = { environment: {}, cwd: "/", stdin: Readable.from([]), stdout: stdout.stream, stderr: stderr.stream };
    const takeSignals = () => ({ signal: stop.signal, release: () => undefined });
    const ended = runCli({ ...parts, argv: ["listen", "--port", "0", ...argv], takeSignals });
    await expect.poll(() => stdout.text()).toContain("http://127.0.0.1:");
    await requests(/http:\/\/127\.0\.0\.1:\d+\//.exec(stdout.text())?.[0] ?? "");
    stop.abort();
    return { exit: await ended, stdout: stdout.text(), stderr: stderr.text() };
  }

  const post = async (url: string): Promise<number> => {
    const headers = { "idempotency-key": "cs1_x", "content-type": "application/json" };
    return (await fetch(url, { method: "POST", body: '{"a":1}', headers })).status;
  };

  test("shows requests as blocks, answers as told and ends well when it is stopped", async () => {
    const answers: number[] = [];
    const { exit, stdout } = await listening(["--answer", "503:2,200"], async (url) => {
      answers.push(await post(url), await post(url));
    });
    expect([exit, answers]).toEqual([0, [503, 200]]);
    expect(stdout).toContain("answering 503 with Retry-After 2, then 200");
    expect(stdout).toContain("allowPrivate: ['127.0.0.0/8']");
    expect(stdout).toContain("seen before, once");
  });

  test("prints a line of JSON per request, after one that says where it is", async () => {
    const { stdout } = await listening(["--json"], async (url) => void (await post(url)));
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>); // our own output
    expect(lines[0]).toMatchObject({ port: expect.any(Number) });
    expect(lines[1]).toMatchObject({ number: 1, idempotencyKey: "cs1_x", body: '{"a":1}', signature: "not-checked" });
  });
});
