/** Mass replay by the command line and over HTTP: the same words, the same answers. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aKey, anApp, type AnApp, read } from "../support/an-app.ts";
import { untilEnded } from "../support/bulk-replays.ts";
import { aFolder, type Finished, type Folder } from "../support/command-line.ts";
import { parkMany, REFUSES_FIRST } from "../support/parked-events.ts";
import { runHere } from "../support/run-cli.ts";
import { openStage, type Stage } from "../support/stage.ts";
import { temporalEnvironment, uniqueName } from "../support/temporal.ts";
import { requestsOf } from "../support/waiting-events.ts";

const ANA = "ana@example.com";
const KEYS = {
  operator: aKey({ role: "operator", person: ANA }),
  nobody: aKey({ role: "operator" }),
  viewer: aKey({ role: "viewer" }),
  approver: aKey({ role: "approver" }),
};
const NAMES = ["faces-typed", "faces-asked", "faces-posted", "faces-steered", "faces-slow", "faces-held"];

let stage: Stage;
let folder: Folder;
let app: AnApp["app"];

beforeAll(async () => {
  stage = await openStage({
    endpoints: Object.fromEntries(NAMES.map((name) => [name, {}])),
    scripts: Object.fromEntries(NAMES.map((name) => [name, REFUSES_FIRST])),
    rest: { people: { [ANA]: {} }, keys: Object.values(KEYS).map(({ entry }) => entry) },
  });
  ({ app } = anApp({ countersign: stage.far, config: stage.config }));
  const url = (name: string) => ({ url: `${stage.destination.url}/${name}` });
  const configuration = {
    temporal: { taskQueue: stage.config.temporal.taskQueue },
    sources: { shop: {} },
    endpoints: Object.fromEntries(NAMES.map((name) => [name, url(name)])),
    routes: NAMES.map((name) => ({ match: { type: name }, to: [name] })),
  };
  folder = await aFolder({ "countersign.config.json": JSON.stringify(configuration) });
});

afterAll(async () => {
  await stage.close();
  await folder.remove();
});

/** With an answer both ends are a terminal. */
async function run(argv: readonly string[], answer?: string): Promise<Finished> {
  const environment = { ...temporalEnvironment(), COUNTERSIGN_ACTOR: "bo@example.com" };
  return await runHere(["bulk-replay", ...argv], { cwd: folder.path, environment, answer });
}

const of = (endpoint: string) => ["start", "--state", "needs-attention", "--endpoint", endpoint];

describe("on the command line", () => {
  test("a dry run shows the count and a few, and starts nothing", async () => {
    const [key = ""] = await parkMany(stage.far, { type: "faces-typed", count: 2 });
    const dry = await run([...of("faces-typed"), "--since", "1h", "--rate", "20", "--dry-run"]);
    expect(dry).toMatchObject({ exit: 0, stderr: "" });
    expect(dry.stdout).toContain("2 events parked; at 20 a second it takes 0.1 s at least.");
    expect(dry.stdout).toContain(key);
    const json = await run([...of("faces-typed"), "--dry-run", "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({ count: 2, uncertain: 0, exact: false, sample: [{}, {}] });
    expect((await run([...of("faces-typed"), "--type", "none", "--dry-run"])).stdout).toContain(
      "finds nothing that is parked",
    );
    expect(requestsOf(stage, key)).toHaveLength(1);
  });

  test("a start that is followed ends with the report, and its items can be read", async () => {
    const started = await run([...of("faces-typed"), "--rate", "20", "--note", "mended", "--follow"]);
    expect(started.exit).toBe(0);
    expect(started.stdout).toMatch(
      /^Bulk replay faces-typed-[0-9a-f]{10}: finished\n2 of 2 events done: 2 replayed, 0 not\n/u,
    );
    expect(started.stdout).toContain("by bo@example.com");
    const id = /faces-typed-[0-9a-f]{10}/u.exec(started.stdout)?.[0] ?? "";
    const shown = await run(["show", id, "--items"]);
    expect(shown.stdout.match(/^replayed +shop\/faces-typed-/gmu)).toHaveLength(2);
    const json = JSON.parse((await run(["show", id, "--items", "--json"])).stdout) as unknown;
    expect(json).toMatchObject({ id, state: "finished", replayed: 2, note: "mended", complete: true, items: [{}, {}] });
    const list = await run(["list"]);
    expect(list.stdout).toMatch(new RegExp(`finished +2 of 2 +${id} +bo@example.com`, "u"));
  });

  test("it asks on a terminal, draws a bar there, and does nothing unless the answer is yes", async () => {
    const [key = ""] = await parkMany(stage.far, { type: "faces-asked", count: 1 });
    const declined = await run(of("faces-asked"), "no\n");
    expect(declined).toMatchObject({ exit: 1, stdout: "" });
    expect(declined.stderr).toContain("Replay 1 event at 10 a second? [y/N]");
    expect(declined.stderr).toContain("Nothing was changed.");
    expect(requestsOf(stage, key)).toHaveLength(1);
    const agreed = await run([...of("faces-asked"), "--follow"], "y\n");
    expect(agreed).toMatchObject({ exit: 0, stdout: expect.stringContaining("1 of 1 events done: 1 replayed") });
    expect(agreed.stderr).toMatch(/\[[#-]{24}\] \d of \d, \d replayed, running/u);
    const again = await run([...of("faces-asked"), "--yes", "--json"], "");
    expect(again.stderr).not.toContain("[y/N]");
    expect(JSON.parse(again.stdout)).toMatchObject({ duplicate: false, id: expect.stringMatching(/-2$/u) });
  });

  test("at an endpoint that is held it warns that what is told to go on waits", async () => {
    await stage.far.pause("faces-held", { actor: ANA, reason: "vendor maintenance" });
    const dry = await run([...of("faces-held"), "--dry-run"]);
    expect([dry.exit, dry.stdout]).toEqual([0, expect.stringContaining("finds nothing that is parked")]);
    expect(dry.stderr).toMatch(/^faces-held is held, so .* waits there: paused since .* by ana@example\.com: vendor/mu);
    expect(await run([...of("faces-held"), "--dry-run", "--json"])).toMatchObject({ exit: 0, stderr: "" });
  });

  test("words steer it, and one that does not count is exit 4", async () => {
    await parkMany(stage.far, { type: "faces-steered", count: 4 });
    const id = uniqueName("faces-steered").slice(0, 40);
    const start = await run([...of("faces-steered"), "--rate", "0.2", "--id", id]);
    expect(start.stdout).toContain(`Bulk replay ${id} is started.`);
    expect((await run([...of("faces-steered"), "--rate", "0.2", "--id", id])).stdout).toContain(
      "had been started before",
    );
    const paused = await run(["pause", id, "--note", "a break"]);
    expect(paused).toMatchObject({ exit: 0, stdout: expect.stringContaining(`${id} is paused`) });
    const twice = await run(["pause", id, "--json"]);
    expect(twice.exit).toBe(4);
    expect(JSON.parse(twice.stdout)).toMatchObject({ counted: false, refusedBecause: "already-paused" });
    expect(JSON.parse(twice.stderr)).toMatchObject({ code: "refused", refusedBecause: "already-paused" });
    expect((await run(["show", id])).stdout).toMatch(/paused by bo@example\.com, .* UTC: a break/u);
    expect((await run(["resume", id])).stdout).toContain("goes on");
    expect((await run(["cancel", id])).stdout).toContain("what it had not reached stays parked");
    const over = await run(["show", id, "--follow"]);
    expect([over.exit, over.stdout]).toEqual([1, expect.stringContaining("canceled by bo@example.com")]);
  });

  test.each([
    [["start"], 2],
    [["start", "--state", "delivered"], 2],
    [[...of("faces-typed"), "--rate", "0"], 2],
    [[...of("faces-typed"), "--since", "yesterday"], 2],
    [[...of("faces-typed"), "--reason", "because"], 2],
    [of("nope"), 3],
    [["show", "nope"], 3],
    [["cancel", "nope"], 3],
  ])("%j is exit %i", async (argv, exit) => {
    expect((await run(argv)).exit).toBe(exit);
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
  const selection = { state: "needs-attention", endpoint: "faces-posted" };

  test("one is looked at, started once, followed and listed", async () => {
    const keys = await parkMany(stage.far, { type: "faces-posted", count: 3 });
    const dry = await send("/v1/bulk-replays", "operator", { ...selection, dryRun: true });
    expect(dry).toMatchObject({ status: 200, body: { count: 3, exact: false } });
    const started = await send("/v1/bulk-replays", "operator", {
      ...selection,
      rate: 20,
      note: "mended",
      actor: "eve",
    });
    expect(started).toMatchObject({ status: 202, body: { duplicate: false } });
    const location = String(started.headers.get("location"));
    await untilEnded(stage.far, String(started.body["id"]));
    expect(await get(location)).toMatchObject({
      status: 200,
      body: {
        state: "finished",
        replayed: 3,
        done: 3,
        actor: ANA,
        selection: { endpoint: "faces-posted", source: null },
      },
    });
    const { body } = await get("/v1/bulk-replays");
    expect(body).toMatchObject({
      exact: false,
      items: expect.arrayContaining([expect.objectContaining({ id: started.body["id"] })]),
    });
    for (const key of keys) expect(await stage.far.settled(key)).toMatchObject({ state: "delivered" });
  });

  test("it is steered, and a word that does not count is 409", async () => {
    await parkMany(stage.far, { type: "faces-slow", count: 3 });
    const id = uniqueName("faces-slow").slice(0, 40);
    const order = { state: "needs-attention", endpoint: "faces-slow", rate: 0.2, id };
    expect((await send("/v1/bulk-replays", "operator", order)).status).toBe(202);
    expect(await send("/v1/bulk-replays", "operator", order)).toMatchObject({ status: 200, body: { duplicate: true } });
    const path = `/v1/bulk-replays/${id}`;
    expect(await send(`${path}/pause`, "operator")).toMatchObject({ status: 200, body: { counted: true } });
    expect(await send(`${path}/pause`, "operator", {})).toMatchObject({
      status: 409,
      body: { code: "refused", refusedBecause: "already-paused" },
    });
    expect(await send(`${path}/resume`, "nobody", { actor: "bo", note: "go on" })).toMatchObject({ status: 200 });
    expect(await send(`${path}/cancel`, "operator", {})).toMatchObject({ status: 200 });
    const status = await untilEnded(stage.far, id);
    expect(status.words.map(({ actor }) => actor)).toEqual([ANA, ANA, "bo", ANA]);
  });

  test.each([
    ["a viewer", "viewer", selection, 403],
    ["an approver", "approver", selection, 403],
    ["nobody by name", "nobody", selection, 400],
    ["whoever names no state", "operator", { endpoint: "faces-posted" }, 400],
    ["whoever misspells a member", "operator", { ...selection, endpiont: "faces-posted" }, 400],
    ["whoever names no endpoint of ours", "operator", { ...selection, endpoint: "nope" }, 404],
    ["whoever asks for too much", "operator", { ...selection, rate: 1000 }, 400],
    ["whoever sends a list", "operator", [], 400],
  ] as const)("%s starts nothing", async (_what, who, body, status) => {
    expect((await send("/v1/bulk-replays", who, body)).status).toBe(status);
  });

  test("what is not there is 404, and nothing is started or steered by looking", async () => {
    expect((await get("/v1/bulk-replays/nope")).status).toBe(404);
    expect((await send("/v1/bulk-replays/nope/cancel", "operator", {})).status).toBe(404);
    expect((await get("/v1/bulk-replays/nope/cancel", "operator")).status).toBe(405);
    const headers = { authorization: KEYS.operator.bearer, "content-type": "text/plain" };
    expect((await app.request("/v1/bulk-replays", { method: "POST", body: "{}", headers })).status).toBe(415);
  });

  test("every route of it is described", async () => {
    const { body } = await read(app.request("/openapi.json"));
    const paths = Object.keys(body["paths"] as object).filter((path) => path.startsWith("/v1/bulk-replays"));
    expect(paths).toEqual([
      "/v1/bulk-replays",
      "/v1/bulk-replays/{id}",
      "/v1/bulk-replays/{id}/pause",
      "/v1/bulk-replays/{id}/resume",
      "/v1/bulk-replays/{id}/cancel",
    ]);
  });
});
