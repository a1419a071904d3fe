/** Endpoints under control by the command line and over HTTP: the same words, the same answers. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { endpointWorkflowId } from "../../src/delivery/names.ts";
import {
  endpointDetailSchema,
  endpointPageSchema,
  pauseReportSchema,
  resumeReportSchema,
} from "../../src/server/gate-schemas.ts";
import { GRPC_STATUS } from "../../src/temporal/grpc-status.ts";
import { aKey, anApp, type AnApp, read } from "../support/an-app.ts";
import { aFolder, type Finished, type Folder } from "../support/command-line.ts";
import {
  allSettled,
  isOpen,
  ownEndpoint,
  requestsOf,
  requestsTo,
  standing,
  submitTo,
} from "../support/endpoint-stage.ts";
import { runHere } from "../support/run-cli.ts";
import { openStage, type Stage } from "../support/stage.ts";
import { startTemporalProxy, type TemporalProxy } from "../support/temporal-proxy.ts";
import { temporalEnvironment, uniqueName } from "../support/temporal.ts";
import { until } from "../support/until.ts";

const [ANA, BO] = ["ana@example.com", "bo@example.com"];
const KEYS = {
  operator: aKey({ role: "operator", person: ANA }),
  nobody: aKey({ role: "operator" }),
  viewer: aKey({ role: "viewer" }),
  approver: aKey({ role: "approver" }),
};
const typed = ownEndpoint("typed");
const posted = ownEndpoint("posted");
const late = ownEndpoint("late");
const deserted = ownEndpoint("deserted");
const talked = ownEndpoint("talked");

/** Both the same moment, tomorrow. */
const TOMORROW = new Date(Date.now() + 86_400_000).toISOString();
const TOMORROW_THERE = new Date(Date.parse(TOMORROW) + 3_600_000).toISOString().replace("Z", "+01:00");

let stage: Stage;
let app: AnApp["app"];
let folder: Folder;
/** The same endpoints on a task queue that nobody polls. */
let abandoned: Folder;

function configuration(taskQueue: string): string {
  const names = [typed, posted, late, deserted, talked];
  return JSON.stringify({
    temporal: { taskQueue },
    sources: { shop: {} },
    endpoints: Object.fromEntries(names.map((name) => [name, { url: `${stage.destination.url}/${name}` }])),
    routes: names.map((name) => ({ match: { type: name }, to: [name] })),
  });
}

beforeAll(async () => {
  stage = await openStage({
    endpoints: { [typed]: {}, [posted]: {}, [late]: {}, [deserted]: {}, [talked]: {} },
    rest: { people: { [ANA]: {} }, keys: Object.values(KEYS).map(({ entry }) => entry) },
  });
  ({ app } = anApp({ countersign: stage.far, config: stage.config }));
  folder = await aFolder({ "countersign.config.json": configuration(stage.config.temporal.taskQueue) });
  abandoned = await aFolder({ "countersign.config.json": configuration(uniqueName("abandoned")) });
});

afterAll(async () => {
  await stage.close();
  await Promise.all([folder.remove(), abandoned.remove()]);
});

async function run(
  argv: readonly string[],
  more: { readonly cwd?: string; readonly address?: string } = {},
): Promise<Finished> {
  const environment = { ...temporalEnvironment(), COUNTERSIGN_ACTOR: BO };
  const { cwd = folder.path, address } = more;
  return await runHere(argv, {
    cwd,
    environment: address === undefined ? environment : { ...environment, TEMPORAL_ADDRESS: address },
  });
}

async function aProxy(): Promise<TemporalProxy> {
  const proxy = await startTemporalProxy(stage.address);
  onTestFinished(async () => await proxy.close());
  return proxy;
}

describe("on the command line", () => {
  test("an endpoint is paused, looked at and resumed, and its ledger tells of it", async () => {
    const paused = await run(["pause", typed, "--reason", "vendor maintenance", "--for", "2h"]);
    expect(paused).toMatchObject({ exit: 0, stderr: "" });
    expect(paused.stdout).toMatch(new RegExp(`^${typed} is paused until .* UTC \\(in .*\\): it holds everywhere`, "u"));
    const key = await submitTo(stage, typed);
    const looked = await until("the server counts what waits", async () => {
      const { stdout } = await run(["endpoints", typed]);
      return stdout.includes("1 attempt waiting") && stdout;
    });
    expect(looked).toMatch(/^gate +paused since .* UTC by bo@example\.com: vendor maintenance; until .* UTC \(in /mu);
    expect(looked).toMatch(/^lane +1 attempt waiting, the oldest for .* \(approximate, .*\); held on the server$/mu);
    expect(looked).toMatch(/^workers +1 run event workflows/mu);
    expect((await run(["endpoints"])).stdout).toMatch(new RegExp(`^${typed} +paused until \\S+ \\S+ UTC +\\d`, "mu"));
    expect((await run(["show", key])).stdout).toContain("held");
    const tested = await run(["test", typed]);
    expect(tested).toMatchObject({ exit: 1, stdout: "", stderr: expect.stringContaining("[endpoint_held]") });
    expect(tested.stderr).toMatch(/is paused by bo@example\.com: vendor maintenance; until .*Z\. Nothing was sent\./u);
    expect(requestsTo(stage, typed)).toEqual([]);

    const resumed = await run(["resume", typed, "--reason", "they are back", "--as", "cy@example.com"]);
    expect(resumed).toMatchObject({ exit: 0, stderr: "", stdout: expect.stringContaining(`${typed} goes on: `) });
    await allSettled(stage, [key]);
    await standing(stage, typed, isOpen);
    const { stdout: ledger } = await run(["audit", "endpoint", typed]);
    expect(ledger).toMatch(
      /paused +bo@example\.com +\d.*vendor maintenance\n.*resumed +cy@example\.com +- +they are back\n.*opened +workers/u,
    );
  });

  test("with --json each prints what the client answers", async () => {
    await standing(stage, typed, isOpen);
    const paused = await run(["pause", typed, "--reason", "r", "--until", TOMORROW_THERE, "--json"]);
    expect(JSON.parse(paused.stdout)).toEqual({
      endpoint: typed,
      at: expect.stringMatching(/Z$/u),
      until: TOMORROW,
      workers: 1,
      confirmed: true,
      heldOnServer: true,
      inFlight: 0,
      replaces: null,
    });
    const shorter = await run(["pause", typed, "--reason", "r", "--for", "1h", "--as", "cy@example.com"]);
    expect(shorter.stdout).toMatch(
      new RegExp(`^This pause replaces the one by ${BO} until .* UTC \\(r\\)\\. The new one ends earlier\\.$`, "mu"),
    );
    await run(["pause", typed, "--reason", "r", "--until", TOMORROW_THERE]);
    const { stdout } = await run(["endpoints", typed, "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      name: typed,
      gate: { state: "paused", who: BO, why: "r", until: TOMORROW },
      lane: { approximate: true, ratePerSecond: 0 },
      workers: 1,
    });
    const tested = await run(["test", typed, "--json"]);
    expect([tested.exit, tested.stdout]).toEqual([1, ""]);
    expect(JSON.parse(tested.stderr)).toMatchObject({
      code: "endpoint_held",
      endpoint: typed,
      gate: "paused",
      who: BO,
      why: "r",
      until: TOMORROW,
      key: null,
    });
    const list = JSON.parse((await run(["endpoints", "--json"])).stdout) as unknown;
    expect(list).toMatchObject({
      items: expect.arrayContaining([
        expect.objectContaining({ name: typed, gate: expect.objectContaining({ state: "paused" }) }),
      ]),
    });
    const resumed = await run(["resume", typed, "--ramp", "5s", "--json"]);
    expect(JSON.parse(resumed.stdout)).toMatchObject({ endpoint: typed, counted: true, refusedBecause: null });
    const entries = JSON.parse((await run(["audit", "endpoint", typed, "--json"])).stdout) as readonly {
      readonly what: string;
    }[];
    // Also what an earlier run of the endpoint's workflow did, which has ended.
    expect(entries.map(({ what }) => what).slice(0, 7)).toEqual(
      "paused resumed opened paused paused paused resumed".split(" "),
    );
  });

  test("a test needs no list and no lane: a server that refuses those is no reason not to make it", async () => {
    const proxy = await aProxy();
    for (const method of ["CountWorkflowExecutions", "ListWorkflowExecutions", "DescribeTaskQueue"])
      proxy.answer(method, GRPC_STATUS.permissionDenied);
    const { address } = proxy;
    expect(await run(["test", late], { address })).toMatchObject({ exit: 0, stdout: expect.stringContaining("works") });
    expect((await run(["pause", late, "--reason", "r"])).exit).toBe(0);
    const held = await run(["test", late, "--json"], { address });
    expect(JSON.parse(held.stderr)).toMatchObject({ code: "endpoint_held", who: BO, why: "r" });
    const key = await submitTo(stage, late);
    expect((await run(["resume", late])).exit).toBe(0);
    await allSettled(stage, [key]);
    await standing(stage, late, isOpen);
  });

  test("the ledger is whole: more than a memo shows, and over runs that have ended", async () => {
    const workflowId = endpointWorkflowId(talked);
    const { taskQueue } = stage.config.temporal;
    const say = async (reason: string) =>
      await stage.temporal.workflow.signalWithStart("endpoint", {
        workflowId,
        taskQueue,
        args: [],
        signal: "pause",
        signalArgs: [{ actor: BO, reason }],
      });
    const first = Array.from({ length: 25 }, (_, index) => `reason ${index + 1}`);
    for (const reason of first) await say(reason);
    const reasons = async () => {
      const { entries, complete } = await stage.far.ledger(talked);
      return { whys: entries.map(({ why }) => why), complete };
    };
    await until("all of them are taken in", async () => (await reasons()).whys.at(-1) === "reason 25");
    expect((await stage.far.endpoint(talked)).ledger).toHaveLength(20);
    expect(await reasons()).toEqual({ whys: first, complete: true });
    await stage.temporal.workflow.getHandle(workflowId).terminate("by hand");
    await say("anew");
    // What has ended comes from a list, which is eventually consistent.
    const both = await until("both runs are known", async () => {
      const found = await reasons();
      return found.whys.length === 26 && found;
    });
    expect(both).toEqual({ whys: [...first, "anew"], complete: true });
    const { stdout, stderr } = await run(["audit", "endpoint", talked]);
    expect([stdout.match(/ paused /gu)?.length, stderr]).toEqual([26, ""]);
  });

  test("a resume that does not count is exit 4 and says why", async () => {
    const refused = await run(["resume", late, "--json"]);
    expect(refused.exit).toBe(4);
    expect(JSON.parse(refused.stdout)).toMatchObject({ counted: false, refusedBecause: "not-held" });
    expect(JSON.parse(refused.stderr)).toMatchObject({ code: "refused", refusedBecause: "not-held", endpoint: late });
    const said = await run(["resume", late]);
    expect(said).toMatchObject({
      exit: 4,
      stdout: "",
      stderr: expect.stringContaining("(not-held): nothing holds it"),
    });
  });

  test.each([
    [["pause", "nope", "--reason", "r"], 3],
    [["pause", typed, "--reason", " "], 2],
    [["pause", typed, "--reason", "r", "--for", "soon"], 2],
    [["pause", typed, "--reason", "r", "--for", "1h", "--until", TOMORROW], 2],
    [["pause", typed, "--reason", "r", "--until", "2001-01-01T00:00:00Z"], 2],
    [["resume", "nope"], 3],
    [["resume", typed, "--ramp", "fast"], 2],
    [["endpoints", "nope"], 3],
    [["audit", "endpoint", "nope"], 3],
  ])("%j is exit %i", async (argv, exit) => {
    expect(await run(argv)).toMatchObject({ exit, stdout: "" });
  });

  test("where no worker runs, both words are kept and say so", async () => {
    const cwd = abandoned.path;
    onTestFinished(
      async () => void (await stage.temporal.workflow.getHandle(endpointWorkflowId(deserted)).terminate()),
    );
    const paused = await run(["pause", deserted, "--reason", "at night"], { cwd });
    expect(paused).toMatchObject({ exit: 0, stderr: "" });
    expect(paused.stdout).toContain("no worker runs; the Temporal server holds its lane");
    const { stdout } = await run(["endpoints", deserted], { cwd });
    expect(stdout).toMatch(/^gate +paused: .*at night/mu);
    expect(stdout).toMatch(/^workers +none runs event workflows/mu);
    const proxy = await aProxy();
    proxy.answer("UpdateTaskQueueConfig", GRPC_STATUS.permissionDenied);
    const startedMs = performance.now();
    const again = await run(["pause", deserted, "--reason", "r"], { cwd, address: proxy.address });
    expect(again.stdout).toContain("no worker runs; workers that start will hold it");
    // Workers that poll lanes alone are seen by nobody: the copy they trust is waited out.
    expect(performance.now() - startedMs).toBeGreaterThan(2000);
    const resumed = await run(["resume", deserted], { cwd });
    expect(resumed).toMatchObject({ exit: 0, stdout: expect.stringContaining("No worker has answered. ") });
    expect((await run(["audit", "endpoint", deserted], { cwd })).stdout).toContain("Nothing has ever held");
  });

  test("a server that refuses rates is warned of by doctor, and a pause says who holds", async () => {
    expect((await run(["doctor"])).stdout).toMatch(/^ok +task queue rates +accepted/mu);
    const proxy = await aProxy();
    for (const status of [GRPC_STATUS.unimplemented, GRPC_STATUS.permissionDenied]) {
      proxy.answer("UpdateTaskQueueConfig", status);
      const { exit, stdout } = await run(["doctor"], { address: proxy.address });
      expect(exit).toBe(0);
      expect(stdout).toMatch(/^warn +task queue rates +.*gates hold in the workers.*Allow UpdateTaskQueueConfig/mu);
    }
    const { address } = proxy;
    const paused = await run(["pause", late, "--reason", "r"], { address });
    expect(paused).toMatchObject({
      exit: 0,
      stdout: expect.stringContaining("so the workers hold it; `countersign doctor`"),
    });
    const key = await submitTo(stage, late);
    expect((await run(["resume", late])).exit).toBe(0);
    await allSettled(stage, [key]);
    await standing(stage, late, isOpen);
  });
});

describe("over HTTP", () => {
  const send = async (path: string, who: keyof typeof KEYS, body?: unknown) =>
    await read(
      app.request(path, {
        method: "POST",
        headers: { authorization: KEYS[who].bearer, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
  const get = async (path: string, who: keyof typeof KEYS = "viewer") =>
    await read(app.request(path, { headers: { authorization: KEYS[who].bearer } }));
  const path = `/v1/endpoints/${posted}`;

  test("one is paused in the name of the key's person, looked at and resumed", async () => {
    const paused = await send(`${path}/pause`, "operator", { reason: "vendor maintenance", for: "2h", actor: "eve" });
    expect(paused).toMatchObject({ status: 200, body: { endpoint: posted, confirmed: true, heldOnServer: true } });
    expect(pauseReportSchema.strict().parse(paused.body)).toEqual(paused.body);
    expect(await send(`${path}/test`, "operator")).toMatchObject({
      status: 409,
      body: { code: "endpoint_held", endpoint: posted, gate: "paused", who: ANA, why: "vendor maintenance", key: null },
    });
    const key = await submitTo(stage, posted);
    const looked = await get(path);
    expect(looked).toMatchObject({
      status: 200,
      body: { name: posted, exact: false, gate: { state: "paused", who: ANA, why: "vendor maintenance" }, workers: 1 },
    });
    expect(endpointDetailSchema.parse(looked.body)).toEqual(looked.body);
    const list = await get("/v1/endpoints");
    expect(endpointPageSchema.parse(list.body)).toEqual(list.body);

    const resumed = await send(`${path}/resume`, "operator");
    expect(resumed).toMatchObject({ status: 200, body: { endpoint: posted, counted: true } });
    expect(resumeReportSchema.strict().parse(resumed.body)).toEqual(resumed.body);
    await allSettled(stage, [key]);
    // Nothing of the test that was refused.
    expect(requestsTo(stage, posted)).toHaveLength(1);
    await standing(stage, posted, isOpen);
    expect(
      await send(`${path}/resume`, "nobody", { actor: "bo", reason: "again", probe: true, ramp: "5s" }),
    ).toMatchObject({
      status: 409,
      body: { code: "refused", counted: false, refusedBecause: "not-held" },
    });
    const { entries } = await stage.far.ledger(posted);
    expect(entries.map(({ what, who }) => `${what} ${who}`).slice(0, 2)).toEqual([`paused ${ANA}`, `resumed ${ANA}`]);
  });

  test.each([
    ["a viewer", "viewer", { reason: "r" }, 403],
    ["an approver", "approver", { reason: "r" }, 403],
    ["nobody by name", "nobody", { reason: "r" }, 400],
    ["whoever gives no reason", "operator", {}, 400],
    ["whoever gives an empty one", "operator", { reason: " " }, 400],
    ["whoever misspells a member", "operator", { reason: "r", unitl: TOMORROW }, 400],
    ["whoever says both ends", "operator", { reason: "r", for: "1h", until: TOMORROW }, 400],
    ["whoever names a time that is over", "operator", { reason: "r", until: "2001-01-01T00:00:00Z" }, 400],
    ["whoever sends a list", "operator", [], 400],
  ] as const)("%s pauses nothing", async (_what, who, body, status) => {
    const answer = await send(`${path}/pause`, who, body);
    expect([answer.status, answer.body["code"]]).toEqual([status, status === 403 ? "forbidden" : "bad_argument"]);
    expect((await stage.far.endpoint(posted)).gate.state).toBe("open");
  });

  test.each([
    ["viewer", {}, 403],
    ["nobody", {}, 400],
    ["operator", { probe: "yes" }, 400],
    ["operator", { ramp: "fast" }, 400],
    ["operator", { until: TOMORROW }, 400],
  ] as const)("a resume by %s with %j is refused", async (who, body, status) => {
    expect((await send(`${path}/resume`, who, body)).status).toBe(status);
  });

  test("what is not there is 404, what is no JSON 415, and looking changes nothing", async () => {
    for (const word of ["pause", "resume"]) {
      const answer = await send(`/v1/endpoints/nope/${word}`, "operator", { reason: "r" });
      expect(answer).toMatchObject({ status: 404, body: { code: "unknown_endpoint" } });
      expect((await get(`${path}/${word}`, "operator")).status).toBe(405);
      const headers = { authorization: KEYS.operator.bearer, "content-type": "text/plain" };
      expect((await app.request(`${path}/${word}`, { method: "POST", body: "{}", headers })).status).toBe(415);
    }
  });

  test("every route of it is described", async () => {
    const { body } = await read(app.request("/openapi.json"));
    const paths = Object.keys(body["paths"] as object).filter((name) => name.startsWith("/v1/endpoints"));
    expect(paths).toEqual(
      ["", "/{name}", "/{name}/pause", "/{name}/resume", "/{name}/test"].map((end) => `/v1/endpoints${end}`),
    );
  });
});

describe("when the worker has just stopped", () => {
  test("a pause says that nobody has confirmed it, and holds all the same", async () => {
    await standing(stage, late, isOpen);
    await stage.stopWorker();
    const paused = await run(["pause", late, "--reason", "at night", "--json"]);
    expect(JSON.parse(paused.stdout)).toMatchObject({ confirmed: false, workers: 1, heldOnServer: true });
    expect(paused).toMatchObject({ exit: 0, stderr: expect.stringMatching(/^Not confirmed: 1 worker was seen/u) });
    const key = await submitTo(stage, late);
    await stage.startWorker();
    await until("it is held", async () => (await stage.far.get(key)).state === "held");
    expect(requestsOf(stage, key)).toEqual([]);
    expect((await run(["resume", late])).exit).toBe(0);
    await allSettled(stage, [key]);
  });
});
