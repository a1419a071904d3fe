/** Every verb that talks to Temporal, as a real process, beside one worker process and one destination. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { EventState } from "../../src/delivery/event-state.ts";
import { type Destination, startDestination } from "../support/destination.ts";
import {
  aFolder,
  countersign,
  type Finished,
  type Folder,
  type RunningCommand,
  startCommand,
} from "../support/command-line.ts";
import { runHere } from "../support/run-cli.ts";
import { connectTestClient, temporalEnvironment, uniqueName } from "../support/temporal.ts";
import { until } from "../support/until.ts";

/** The names of source and endpoints are this file's own: the server is shared. */
const TASK_QUEUE = uniqueName("cli");
/** Not JSON as JavaScript would write it: spaces, a large number, a final line feed. */
const BODY = '{ "total": 12345678901234567890,\n  "note": "größe" }\n';

let destination: Destination;
let folder: Folder;
let worker: RunningCommand;

function configuration(baseUrl: string): string {
  const at = (path: string) => ({ url: `${baseUrl}${path}`, allowPrivate: ["127.0.0.0/8"] });
  const retry = { schedule: ["1s"], jitter: 0 };
  return JSON.stringify({
    temporal: { taskQueue: TASK_QUEUE },
    sources: { till: {} },
    endpoints: {
      "till-good": at("/good"),
      "till-flaky": { ...at("/flaky"), retry },
      "till-bad": { ...at("/bad"), retry },
      "till-slow": at("/slow"),
    },
    routes: ["good", "flaky", "bad", "slow"].map((name) => ({ match: { type: `${name}.*` }, to: [`till-${name}`] })),
  });
}

function run(
  argv: readonly string[],
  more: { readonly input?: string; readonly environment?: Record<string, string> } = {},
): Promise<Finished> {
  const { environment, ...rest } = more;
  return countersign(argv, { cwd: folder.path, environment: { ...temporalEnvironment(), ...environment }, ...rest });
}

function send(type: string, id: string, data = "{}"): Promise<Finished> {
  return here(["send", "--source", "till", "--type", `${type}.sent`, "--id", id, "--data", data, "--json"]);
}

async function shown(key: string): Promise<EventState> {
  return JSON.parse((await here(["show", key, "--json"])).stdout) as EventState; // the contract's shape; tests look at what they need
}

/** In this process; with an answer both ends are a terminal. */
async function here(argv: readonly string[], answer?: string): Promise<Finished> {
  return await runHere(argv, { cwd: folder.path, environment: temporalEnvironment(), answer });
}

/** Until the server has recorded that much. */
async function reaches(key: string, state: EventState["state"]): Promise<void> {
  await until(`${key} is ${state}`, async () => (await shown(key)).state === state);
}

beforeAll(async () => {
  destination = await startDestination({
    "/flaky": [{ status: 503, headers: { "retry-after": "2" } }, {}],
    "/bad": [{ status: 400 }, {}],
    "/slow": [{ delayMs: 3000 }],
  });
  folder = await aFolder({ "countersign.config.json": configuration(destination.url), "body.json": BODY });
});

afterAll(async () => {
  worker.signal("SIGTERM");
  await worker.finished;
  await destination.close();
  await folder.remove();
});

describe("with no worker running", () => {
  test("an event is accepted, and what is known of it can be read", async () => {
    const sent = await run(["send", "body.json", "--source", "till", "--type", "good.sent", "--id", "early", "--json"]);
    expect(sent.exit).toBe(0);
    expect(JSON.parse(sent.stdout)).toEqual({
      key: "till/early",
      duplicate: false,
      state: "in-progress",
      workflowId: "till/early",
      runId: expect.any(String),
    });
    const [show, doctor] = await Promise.all([run(["show", "till/early"]), run(["doctor"])]);
    expect(show.stdout).toContain("waiting for a worker to take it up");
    expect(doctor.stdout).toMatch(/^warn +worker +none polls/m);
    expect(doctor.exit).toBe(0);
  });
});

describe("beside a worker", () => {
  beforeAll(async () => {
    worker = startCommand(["worker"], { cwd: folder.path, environment: temporalEnvironment() });
    await worker.says("Running workflows and delivering to till-good, till-flaky, till-bad, till-slow");
  });

  test("a body arrives byte for byte, and the same event is accepted once", async () => {
    await reaches("till/early", "delivered");
    expect(destination.requests[0]?.body.toString()).toBe(BODY);
    const [again, other, doctor] = await Promise.all([
      run(["send", "-", "--source", "till", "--type", "good.sent", "--id", "early"], { input: BODY }),
      send("good", "early", '{"total":1}'),
      run(["doctor"]),
    ]);
    expect(again).toMatchObject({ exit: 0, stderr: "" });
    expect(again.stdout).toContain("Accepted before: till/early is delivered. Nothing was started again.");
    expect([other.exit, other.stdout]).toEqual([4, ""]);
    expect(JSON.parse(other.stderr)).toMatchObject({ code: "conflict", key: "till/early" });
    expect(doctor.stdout).toMatch(/^ok +worker +1 polling/m);
    await until("the conflict is listed", async () =>
      (await here(["show", "till/early"])).stdout.includes("other content by cli, refused"),
    );
    expect(destination.requests.filter(({ path }) => path === "/good")).toHaveLength(1);
  });

  test("a whole event comes from standard input; its retry is told with the reason and the times", async () => {
    const event = { source: "till", id: "flaky_1", type: "flaky.sent", data: { total: 42 } };
    const sent = await run(["send"], { input: JSON.stringify(event) });
    expect(sent.stdout).toContain("Accepted till/flaky_1, to be delivered to till-flaky.");
    expect(sent.stdout).toContain("countersign show till/flaky_1");
    await reaches("till/flaky_1", "delivered");
    const show = await run(["show", "till/flaky_1"]);
    expect(show.exit).toBe(0);
    expect(show.stdout).toMatch(/#1 {2}retry +till-flaky answered 503/);
    expect(show.stdout).toContain("asked to wait 2 s (Retry-After: 2)");
    expect(show.stdout).toMatch(/#2 {2}delivered +till-flaky answered 200 +\(after /);
  });

  test("a parked event is listed, replayed with a reason, and cannot be discarded once it has ended", async () => {
    await send("bad", "bad_1");
    await reaches("till/bad_1", "needs-attention");
    const showing = run(["show", "till/bad_1"]);
    const row = await until("the parked event is listed", async () => {
      const { stdout } = await here([
        "list",
        "--state",
        "needs-attention",
        "--endpoint",
        "till-bad",
        "--source",
        "till",
        "--json",
      ]);
      return (JSON.parse(stdout) as { readonly items: readonly unknown[] }).items[0]; // our own output
    });
    const parked = await showing;
    expect(parked.stdout).toContain("needs attention: refused");
    expect(parked.stdout).toContain("countersign replay till/bad_1 --reason");
    expect(row).toMatchObject({
      key: "till/bad_1",
      state: "needs-attention",
      reason: "refused",
      type: "bad.sent",
      endpoints: ["till-bad"],
    });
    const replay = await run(["replay", "till/bad_1", "--reason", "mended", "--as", "ana@example.com"]);
    expect(replay.exit).toBe(0);
    expect(replay.stderr).toMatch(
      /till-bad answered 400[^]*certainty: answered\nrefused: till-bad answered 400: it does not take this event/,
    );
    expect(replay.stdout).toContain("till/bad_1 is tried again");
    await reaches("till/bad_1", "delivered");
    const discard = await run(["discard", "till/bad_1", "--reason", "too late", "--json"], {
      environment: { COUNTERSIGN_ACTOR: "bo@example.com" },
    });
    expect(discard.exit).toBe(4);
    expect(JSON.parse(discard.stdout)).toEqual({
      counted: false,
      refusedBecause: "already-ended",
      at: expect.any(String),
    });
    expect(JSON.parse(discard.stderr)).toMatchObject({ code: "refused", refusedBecause: "already-ended" });
    const { deliveries, state } = await shown("till/bad_1");
    expect(state).toBe("delivered");
    expect(deliveries[0]?.attempts.map(({ code }) => code)).toEqual(["http_400", "http_200"]);
    expect(deliveries[0]?.resolutions[0]).toMatchObject({
      action: "replay",
      actor: "ana@example.com",
      reason: "mended",
      counted: true,
    });
  });

  test("a person's word ends a parked delivery, with the evidence kept", async () => {
    await Promise.all([send("bad", "bad_2"), send("bad", "bad_3")]);
    await Promise.all([reaches("till/bad_2", "needs-attention"), reaches("till/bad_3", "needs-attention")]);
    const [marked, discarded] = await Promise.all([
      run(["mark-delivered", "till/bad_2", "--reason", "seen in their log", "--json"], {
        environment: { USER: "ana" },
      }),
      run(["discard", "till/bad_3", "--reason", "no longer wanted"]),
    ]);
    expect([marked.exit, JSON.parse(marked.stdout)]).toEqual([
      0,
      { counted: true, refusedBecause: null, at: expect.any(String) },
    ]);
    expect(discarded.stdout).toContain("till/bad_3 is discarded");
    const [two, three] = await Promise.all([shown("till/bad_2"), shown("till/bad_3")]);
    expect([two.state, three.state]).toEqual(["delivered", "discarded"]);
    expect(two.deliveries[0]?.resolutions[0]).toMatchObject({ actor: "cli:ana", reason: "seen in their log" });
  });

  test("a replay asks on a terminal, and does nothing unless the answer is yes", async () => {
    await send("bad", "bad_4");
    await reaches("till/bad_4", "needs-attention");
    const replay = ["replay", "till/bad_4", "--reason", "mended"];
    const declined = await here(replay, "no\n");
    expect(declined.exit).toBe(1);
    expect(declined.stderr).toContain("Replay till/bad_4 to till-bad? [y/N]");
    expect(declined.stderr).toContain("Nothing was changed.");
    expect((await shown("till/bad_4")).deliveries[0]?.resolutions).toEqual([]);
    expect((await here([...replay, "--yes"], "")).stderr).not.toContain("[y/N]");
    await reaches("till/bad_4", "delivered");
  });

  test("an endpoint is tested with one synthetic event, and the exit code says whether it took it", async () => {
    const [good, bad, nope] = await Promise.all([
      run(["test", "till-good"]),
      run(["test", "till-bad", "--json"]),
      run(["test", "nope"]),
    ]);
    expect(good).toMatchObject({
      exit: 0,
      stdout: expect.stringMatching(/^till-good \(http:\/\/127\.0\.0\.1:\d+\/good\) works\./),
    });
    expect(bad.exit).toBe(1);
    expect(JSON.parse(bad.stdout)).toMatchObject({
      state: "discarded",
      deliveries: [{ lastCode: "http_400", attemptCount: 1 }],
    });
    expect(nope).toMatchObject({ exit: 3, stdout: "", stderr: expect.stringContaining("[unknown_endpoint]") });
    expect(destination.requests.at(-1)?.headers["countersign-synthetic"]).toBe("1");
  });

  test("endpoints are counted, lists say how fresh they are, and what is not there is exit 3", async () => {
    const [all, one, unknown, list, oldest, nothing] = await Promise.all([
      run(["endpoints"]),
      run(["endpoints", "till-flaky", "--json"]),
      run(["endpoints", "nope"]),
      run(["list", "--limit", "1"]),
      run(["list", "--source", "till", "--oldest", "--json"]),
      run(["show", "till/nope", "--json"]),
    ]);
    expect(all.stdout).toMatch(/^till-flaky +open +0 +0 +0 +1 +http:/m);
    expect(JSON.parse(one.stdout)).toMatchObject({
      name: "till-flaky",
      idempotent: true,
      isolated: false,
      awaitingApproval: 0,
      delivered: 1,
    });
    expect(unknown).toMatchObject({ exit: 3, stderr: expect.stringContaining("[unknown_endpoint]") });
    expect(list.stdout).toContain(
      "1 event, newest first, those that have not ended before the others; there are more than --limit 1 shows.",
    );
    expect(list.stdout).toContain("eventually consistent");
    const { items, ...facts } = JSON.parse(oldest.stdout) as {
      readonly items: readonly { readonly startedAt: string }[];
    }; // our own output
    expect(facts).toEqual({
      partial: false,
      lookedAt: expect.any(Number),
      asOf: expect.any(String),
      exact: false,
    });
    expect(items.map(({ startedAt }) => startedAt)).toEqual(items.map(({ startedAt }) => startedAt).toSorted());
    expect(nothing).toMatchObject({ exit: 3, stdout: "" });
    expect(JSON.parse(nothing.stderr)).toMatchObject({ code: "not_found" });
  });

  test("a run whose input is no event shows why it failed", async () => {
    const { client, close } = await connectTestClient();
    await client.workflow.start("event", {
      workflowId: "till/not-an-event",
      taskQueue: TASK_QUEUE,
      args: [{ hello: "world" }],
    });
    await until(
      "the run has failed",
      async () => (await client.workflow.getHandle("till/not-an-event").describe()).status.name === "FAILED",
    );
    await close();
    const { exit, stderr } = await run(["show", "till/not-an-event"]);
    expect([exit, stderr]).toEqual([1, expect.stringMatching(/its input was refused.*\[bad_event\]/)]);
  });

  test("a worker that is told to stop lets the request in flight finish", async () => {
    await send("slow", "slow_1");
    await until("the request is in flight", () => destination.requests.some(({ path }) => path === "/slow"));
    worker.signal("SIGTERM");
    const { exit, stderr } = await worker.finished;
    expect(exit).toBe(0);
    expect(stderr).toContain("Stopping: requests in flight may finish.");
    const { state, deliveries } = await shown("till/slow_1");
    expect([state, deliveries[0]?.attemptCount]).toEqual(["delivered", 1]);
  });
});
