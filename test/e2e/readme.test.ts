/** Every command of the README, run as it stands there but for the ports. */
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { TEMPORAL_CLI } from "../../src/temporal/binary-spec.ts";
import { findBinary } from "../../src/temporal/binary.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { planDelivery } from "../../src/config/plan-delivery.ts";
import { claimPort } from "../../src/temporal/free-port.ts";
import { aFolder, countersign, type Folder, type RunningCommand, startCommand } from "../support/command-line.ts";
import { run } from "../support/run-npm.ts";
import { until } from "../support/until.ts";

const DOCUMENTED_PORT = "9000";
const CONFIG = "examples/first-event/countersign.config.ts";
/** Of the refund on the documented port; with another port it is another request. */
const DOCUMENTED_DIGEST = "871f1c1a7ede";

/** What the README says, in its order; a change there must be made here, where it is run. */
const COMMANDS = [
  "npm ci && npm run demo",
  "npm ci && npm test",
  "npm run build",
  `export COUNTERSIGN_CONFIG=${CONFIG}   # in each terminal`,
  "npx countersign listen --port 9000 --answer 503:2,200",
  "npx countersign dev",
  `npx countersign send --source shop --type order.created --id evt_1 --data '{"total":42}'`,
  "npx countersign show shop/evt_1",
  "npx countersign list",
  `npx countersign replay shop/evt_2 --reason "the crm is back" --yes`,
  `npx countersign send --source shop --type refund.requested --id refund_1 --data '{"amount":900}'`,
  "npx countersign show shop/refund_1",
  `npx countersign approve shop/refund_1 --as ana@example.com --digest ${DOCUMENTED_DIGEST}`,
  `temporal workflow start --type event --task-queue countersign --workflow-id shop/evt_4 --id-reuse-policy AllowDuplicateFailedOnly --fail-existing --input '{"source":"shop","id":"evt_4","type":"order.created","data":{"total":42}}'`,
  "npx countersign keys create --role ingest --source shop --type 'order.*'",
  "export COUNTERSIGN_KEY=csk_…",
  `curl -i http://127.0.0.1:8787/v1/events -H "Authorization: Bearer $COUNTERSIGN_KEY" -H 'Content-Type: application/json' -d '{"source":"shop","id":"evt_5","type":"order.created","data":{"total":42}}'`,
] as const;

let readme: string;
let folder: Folder;
let ports: { readonly listen: string; readonly temporal: string; readonly ui: string; readonly http: string };
let dev: RunningCommand;
const started: RunningCommand[] = [];

async function freePort(): Promise<string> {
  const claimed = await claimPort("127.0.0.1", 0);
  if (claimed.kind === "free") return String(claimed.port);
  throw new Error(claimed.reason);
}

beforeAll(async () => {
  readme = await readFile("README.md", "utf8");
  ports = { listen: await freePort(), temporal: await freePort(), ui: await freePort(), http: await freePort() };
  const config = (await readFile(CONFIG, "utf8")).replaceAll(DOCUMENTED_PORT, ports.listen);
  folder = await aFolder({ "countersign.config.ts": config });
});

afterAll(async () => {
  for (const command of started) command.signal("SIGTERM");
  await Promise.all(started.map(async ({ finished }) => await finished));
  await folder.remove();
});

/** The README's line as arguments, as a shell would split it. */
function argumentsOf(command: string): readonly string[] {
  const words = command.replace(DOCUMENTED_PORT, ports.listen).match(/'[^']*'|"[^"]*"|\S+/g) ?? [];
  return words.slice(2).map((word) => word.replaceAll(/^['"]|['"]$/g, ""));
}

function options() {
  const environment = { ...process.env, TEMPORAL_ADDRESS: `127.0.0.1:${ports.temporal}`, NO_COLOR: "1" };
  return { cwd: folder.path, environment };
}

async function start(command: string, ...more: readonly string[]): Promise<RunningCommand> {
  const running = startCommand([...argumentsOf(command), ...more], options());
  started.push(running);
  return await Promise.resolve(running);
}

async function startDev(): Promise<void> {
  dev = await start(COMMANDS[5], "--port", ports.temporal, "--ui-port", ports.ui, "--http-port", ports.http);
  await dev.says("Stop with Ctrl-C.");
}

test("the README holds exactly the commands that are run here", () => {
  const blocks = [...readme.matchAll(/```sh\n(.*?)```/gs)].flatMap(([, block = ""]) => block.trim().split("\n"));
  expect(blocks).toEqual(COMMANDS);
  for (const name of ["demo", "test", "build"]) expect(manifest.scripts).toHaveProperty(name);
});

test("the digest in the README is that of the refund in its example", async () => {
  const config = await loadConfig({ cwd: process.cwd(), environment: {}, path: CONFIG });
  const event = { source: "shop", id: "refund_1", type: "refund.requested", data: { amount: 900 } };
  const resolvedUrl = `http://127.0.0.1:${DOCUMENTED_PORT}/refunds`;
  const delivery = { event, endpoint: "payments", amendment: null, resolvedUrl, revision: 1 };
  const digest = expect.stringContaining(`sha256:${DOCUMENTED_DIGEST}`);
  expect(planDelivery(config, delivery)).toMatchObject({ draft: { digest } });
});

test("the first event, step by step", async () => {
  const [, , , , listen, , send, show, list, replay, refund, showRefund, approve, plain] = COMMANDS;
  const listening = await start(listen);
  await listening.says("Listening on http://127.0.0.1:");
  await startDev();

  expect((await countersign(argumentsOf(send), options())).exit).toBe(0);
  await until("evt_1 is delivered", async () => {
    const { stdout } = await countersign(argumentsOf(show), options());
    return /#1 +retry .*503/.test(stdout) && /#2 +delivered .*200/.test(stdout);
  });
  await until("evt_1 is listed", async () =>
    (await countersign(argumentsOf(list), options())).stdout.includes("shop/evt_1"),
  );
  expect((await countersign(argumentsOf(send), options())).exit).toBe(0);
  expect((await countersign(argumentsOf(send.replace("42", "43")), options())).exit).toBe(4);

  listening.signal("SIGTERM");
  await listening.finished;
  expect((await countersign(argumentsOf(send.replace("evt_1", "evt_2")), options())).exit).toBe(0);
  await until("evt_2 is parked", async () =>
    (await countersign(["show", "shop/evt_2"], options())).stdout.includes("needs-attention"),
  );
  const [healthy = ""] = listen.split(" --answer");
  await (await start(healthy)).says("Listening on http://127.0.0.1:");
  expect((await countersign(argumentsOf(replay), options())).exit).toBe(0);
  await until("evt_2 is delivered", async () =>
    (await countersign(["show", "shop/evt_2"], options())).stdout.includes("crm answered 200"),
  );

  expect((await countersign(argumentsOf(refund), options())).exit).toBe(0);
  const digest = await until("the refund waits", async () => {
    const { stdout } = await countersign(argumentsOf(showRefund), options());
    return stdout.includes("waits for approval") && (/sha256:([0-9a-f]{12})/.exec(stdout)?.[1] ?? null);
  });
  expect((await countersign(argumentsOf(approve), options())).exit).toBe(4);
  const ours = argumentsOf(approve.replace(DOCUMENTED_DIGEST, digest));
  expect((await countersign(ours, options())).exit).toBe(0);
  await until("the refund is delivered", async () =>
    (await countersign(argumentsOf(showRefund), options())).stdout.includes("payments answered 200"),
  );

  const temporal = await findBinary(TEMPORAL_CLI, { environment: process.env });
  const words = (plain.match(/'[^']*'|\S+/g) ?? []).slice(1).map((word) => word.replaceAll(/^'|'$/g, ""));
  await promisify(execFile)(temporal, [...words, "--address", `127.0.0.1:${ports.temporal}`]);
  await until("evt_4 is delivered", async () =>
    (await countersign(["show", "shop/evt_4"], options())).stdout.includes("crm answered 200"),
  );
});

test("an event over HTTP, with a key whose entry is pasted as it was printed", async ({ skip }) => {
  const [create, , curl] = COMMANDS.slice(-3);
  const made = await countersign(argumentsOf(create ?? ""), options());
  const [key = "", entry = ""] = made.stdout.split("\n");
  expect(made).toMatchObject({ exit: 0, stderr: expect.not.stringContaining("warning") });
  const file = `${folder.path}/countersign.config.ts`;
  await writeFile(
    file,
    (await readFile(file, "utf8")).replace("  people:", `  keys: [\n    ${entry}\n  ],\n  people:`),
  );
  dev.signal("SIGTERM");
  expect((await dev.finished).exit).toBe(0);
  await startDev();

  const environment = { ...options().environment, COUNTERSIGN_KEY: key };
  const post = await run("sh", ["-c", (curl ?? "").replace("8787", ports.http)], { environment });
  if (post.exitCode === NOT_FOUND) skip("curl is not installed here");
  expect(post.stdout).toMatch(/^HTTP\/1\.1 202 /);
  await until("evt_5 is delivered", async () =>
    (await countersign(["show", "shop/evt_5"], options())).stdout.includes("crm answered 200"),
  );
});

/** What a shell says of a program that is not there. */
const NOT_FOUND = 127;

test("the code in the README is the example file", async () => {
  const [, code = ""] = /```ts\n(.*?)```/s.exec(readme) ?? [];
  // `package.test.ts` runs it.
  expect(code).toBe(await readFile("examples/first-event/send.ts", "utf8"));
});
