/** The night of docs/runbooks/other-side-is-down.md, played with its own commands: down, paused, back, credentials refused, tidied up. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TEMPORAL_CLI } from "../../src/temporal/binary-spec.ts";
import { findBinary } from "../../src/temporal/binary.ts";
import { claimPort } from "../../src/temporal/free-port.ts";
import { aFolder, type Finished, type Folder, type RunningCommand, startCommand } from "../support/command-line.ts";
import { type Destination, startDestination } from "../support/destination.ts";
import { runHere } from "../support/run-cli.ts";
import { until } from "../support/until.ts";

/** What the page says, in its order; a change there must be made here, where it is run. */
const COMMANDS = [
  "countersign endpoints",
  "countersign endpoints crm",
  "countersign list --endpoint crm --limit 5",
  "countersign show shop/evt_1",
  `countersign pause crm --reason "vendor outage, ticket 4711" --for 8h`,
  `countersign resume crm --reason "they have our key again" --probe`,
  `countersign resume crm --reason "vendor says it is back" --probe --ramp 10m`,
  "countersign endpoints crm",
  "countersign list --state needs-attention --endpoint crm",
  "countersign bulk-replay start --state needs-attention --endpoint crm --reason attempts-exhausted --since 12h --rate 20 --dry-run",
  `countersign bulk-replay start --state needs-attention --endpoint crm --reason attempts-exhausted --since 12h --rate 20 --note "crm is back" --yes`,
  `countersign bulk-replay start --state needs-attention --endpoint crm --reason credentials-refused --since 12h --rate 20 --note "crm has our key again" --yes`,
  "countersign bulk-replay list",
  "countersign audit endpoint crm",
] as const;
const [ALL, ONE, LIST, SHOW, PAUSE, KEY_IS_BACK, IS_BACK, , PARKED, COUNT, REPLAY, REPLAY_REFUSED, REPLAYS, AUDIT] =
  COMMANDS;

let folder: Folder;
let destination: Destination;
let dev: RunningCommand;
let environment: Readonly<Record<string, string | undefined>>;

beforeAll(async () => {
  destination = await startDestination({ "/crm": [{ status: 503 }] });
  // It is paused before it is tried again, however slow the machine: a probe would use up the last attempt of evt_3.
  const circuit = { open: "10m" };
  const crm = { url: `${destination.url}/crm`, retry: { schedule: ["1s"], jitter: 0 }, circuit };
  const config = { sources: { shop: {} }, endpoints: { crm }, routes: [{ match: {}, to: ["crm"] }] };
  folder = await aFolder({ "countersign.config.json": JSON.stringify(config) });
  const [temporal, ui] = [await freePort(), await freePort()];
  environment = { ...process.env, TEMPORAL_ADDRESS: `127.0.0.1:${temporal}`, COUNTERSIGN_ACTOR: "ana@example.com" };
  const ports = ["--port", temporal, "--ui-port", ui, "--http-port", "0"];
  dev = startCommand(["dev", ...ports], { cwd: folder.path, environment });
  await dev.says("Stop with Ctrl-C.");
});

afterAll(async () => {
  dev.signal("SIGTERM");
  await dev.finished;
  await destination.close();
  await folder.remove();
});

async function freePort(): Promise<string> {
  const claimed = await claimPort("127.0.0.1", 0);
  if (claimed.kind === "free") return String(claimed.port);
  throw new Error(claimed.reason);
}

/** The page's line as arguments, as a shell would split it. */
function argumentsOf(command: string): readonly string[] {
  return (command.match(/'[^']*'|"[^"]*"|\S+/g) ?? []).slice(1).map((word) => word.replaceAll(/^['"]|['"]$/g, ""));
}

async function run(command: string): Promise<Finished> {
  return await runHere(argumentsOf(command), { cwd: folder.path, environment });
}

/** What the command prints once it says so: lists are eventually consistent, and gates take their time. */
async function says(command: string, words: RegExp): Promise<string> {
  return await until(`${command} says ${words}`, async () => {
    const { stdout } = await run(command);
    return words.test(stdout) && stdout;
  });
}

async function send(id: string): Promise<void> {
  const sent = await run(`countersign send --source shop --type order.created --id ${id} --data '{"total":42}'`);
  expect(sent.exit).toBe(0);
}

/** Where one event stands, by the command line. */
async function stands(id: string, words: RegExp): Promise<void> {
  await says(`countersign show shop/${id}`, words);
}

test("the page holds exactly the commands that are run here", async () => {
  const page = await readFile("docs/runbooks/other-side-is-down.md", "utf8");
  const blocks = [...page.matchAll(/^ *```sh\n(.*?)^ *```/gms)].flatMap(([, block = ""]) => block.trim().split(/\n */));
  expect(blocks).toEqual(COMMANDS);
});

test("1 and 2: it is down, trips by itself, and what comes in waits", async () => {
  for (const id of ["evt_1", "evt_2"]) {
    await send(id);
    await stands(id, /needs-attention/u);
  }
  await send("evt_3");
  expect(await says(ALL, /^crm +tripped until /mu)).not.toContain("open");
  expect((await run(ONE)).stdout).toMatch(
    /^gate +tripped since .* by workers: 5 failures in a row, the last one http_503; until .* then a few attempts try it$/mu,
  );
  await send("evt_4");
  await stands("evt_4", /held/u);
  await says(LIST, /shop\/evt_4/u);
  expect((await run(SHOW)).stdout).toMatch(/#2 .*503/u);
  expect(destination.requests.some(({ headers }) => headers["ce-id"] === "evt_4")).toBe(false);
});

test("3 and 5: it is paused and resumed, and each event that waited goes out once", async () => {
  expect(await run(PAUSE)).toMatchObject({ exit: 0, stdout: expect.stringContaining("it holds everywhere") });
  destination.script("/crm", []);
  expect(await run(IS_BACK)).toMatchObject({ exit: 0, stdout: expect.stringContaining("drains faster and faster") });
  for (const id of ["evt_3", "evt_4"]) await stands(id, /crm answered 200/u);
  await says(ONE, /^gate +open; what waits drains at a rising rate$/mu);
  const sent = destination.requests.filter(({ headers }) => headers["ce-id"] === "evt_4");
  expect(sent).toHaveLength(1);
});

test("4: refused credentials trip it without a timer, until somebody says that they are good again", async () => {
  destination.script("/crm", [{ status: 401 }]);
  await send("evt_5");
  await stands("evt_5", /credentials-refused/u);
  await says(
    ONE,
    /^gate +tripped .*does not accept our credentials .*until somebody says `countersign resume crm` or/mu,
  );
  destination.script("/crm", []);
  expect((await run(KEY_IS_BACK)).exit).toBe(0);
  await send("evt_6");
  await stands("evt_6", /crm answered 200/u);
  await says(ONE, /^gate +open$/mu);
});

test("6: what is parked is counted, replayed and delivered, and the ledger has the whole night", async () => {
  expect(await says(PARKED, /shop\/evt_1/u)).toContain("shop/evt_5");
  await says(COUNT, /2 events parked/u);
  expect((await run(REPLAY)).exit).toBe(0);
  await stands("evt_1", /crm answered 200/u);
  await stands("evt_5", /credentials-refused/u);
  expect((await run(REPLAY_REFUSED)).exit).toBe(0);
  for (const id of ["evt_1", "evt_2", "evt_5"]) await stands(id, /crm answered 200/u);
  await says(REPLAYS, /finished +2 of 2/u);
  await says(REPLAYS, /finished +1 of 1/u);
  const { stdout } = await run(AUDIT);
  expect(stdout).toMatch(
    /tripped +workers .*\n.* paused +ana@example\.com .*vendor outage, ticket 4711\n.* resumed +ana@example\.com .*vendor says it is back\n.* opened +workers .*\n.* tripped .*credentials/u,
  );
});

test("docs/endpoints.md pauses it with Temporal's own command line", async () => {
  const page = await readFile("docs/endpoints.md", "utf8");
  const [command = ""] = /^temporal .*$/mu.exec(page) ?? [];
  const temporal = await findBinary(TEMPORAL_CLI, { environment: process.env });
  const address = String(environment["TEMPORAL_ADDRESS"]);
  await promisify(execFile)(temporal, [...argumentsOf(command), "--address", address]);
  await says(ONE, /^gate +paused since .* by ana@example\.com: vendor maintenance; until somebody says/mu);
});
