/** The producers of `examples/producers`, each with what this machine has: against the real server, and against bad ones. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aKey } from "../support/an-app.ts";
import type { Folder } from "../support/command-line.ts";
import { type Destination, type Script, startDestination } from "../support/destination.ts";
import { type Finished, run } from "../support/run-npm.ts";
import { serveFolder, type ServeProcess, startServe } from "../support/serve-process.ts";
import { openStage, type Stage } from "../support/stage.ts";
import { temporalEnvironment, uniqueName } from "../support/temporal.ts";

const KEY = aKey({ role: "ingest", sources: ["shop"] });

let stage: Stage;
let folder: Folder;
let serve: ServeProcess;
let bad: Destination;

beforeAll(async () => {
  stage = await openStage({ endpoints: { crm: {} }, routes: [{ match: { type: "order.*" }, to: ["crm"] }] });
  folder = await serveFolder({
    temporal: { taskQueue: stage.config.temporal.taskQueue },
    sources: { shop: {} },
    endpoints: { crm: { url: `${stage.destination.url}/crm` } },
    routes: [{ match: { type: "order.*" }, to: ["crm"] }],
    keys: [KEY.entry],
  });
  serve = await startServe({ folder, environment: temporalEnvironment() });
  bad = await startDestination();
});

afterAll(async () => {
  serve.command.signal("SIGKILL");
  await Promise.all([bad.close(), stage.close()]);
  await folder.remove();
});

interface Producer {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  /** Commands that succeed where this producer can run. */
  readonly needs: readonly (readonly [string, ...string[]])[];
}

const PRODUCERS: readonly Producer[] = [
  { name: "curl", command: ["sh", "examples/producers/send.sh"], needs: [["curl", "--version"]] },
  { name: "node", command: [process.execPath, "examples/producers/send.mjs"], needs: [] },
  {
    name: "python",
    command: ["python3", "examples/producers/send.py"],
    needs: [
      ["python3", "--version"],
      ["python3", "-c", "import requests"],
    ],
  },
];

/** Why it cannot run here; empty when it can. */
async function hindrance({ needs }: Producer): Promise<string> {
  for (const [file, ...args] of needs) {
    const works = await run(file, args).then(
      ({ exitCode }) => exitCode === 0,
      () => false,
    );
    if (!works) return `, skipped: "${[file, ...args].join(" ")}" fails here`;
  }
  return "";
}

/** With the reason in the name, so that a skipped test shows it. Most of their time is waiting, which they do together. */
const NAMED = await Promise.all(
  PRODUCERS.map(async (producer) => {
    const why = await hindrance(producer);
    return [`${producer.name}${why}`, why === "" ? test : test.skip, producer] as const;
  }),
);

interface Place {
  readonly url: string;
  readonly key?: string;
}

async function send({ command: [file, ...args] }: Producer, id: string, { url, key }: Place): Promise<Finished> {
  const environment = {
    ...process.env,
    COUNTERSIGN_URL: url,
    COUNTERSIGN_KEY: key ?? KEY.bearer.replace("Bearer ", ""),
  };
  return await run(file, [...args, id], { environment });
}

/** A place whose answers are the script's alone. */
function aBadServer(script: Script): Place & { requests(): Destination["requests"] } {
  const name = `/${uniqueName("bad")}`;
  bad.script(`${name}/v1/events`, script);
  return { url: `${bad.url}${name}`, requests: () => bad.requests.filter(({ path }) => path.startsWith(name)) };
}

const RECEIPT = { status: 202, body: '{"duplicate":false}' };

describe.concurrent.each(NAMED)("the producer with %s", (_, works, producer) => {
  works("sends an event that is delivered once, byte for byte, however often it is sent", async () => {
    const id = uniqueName(producer.name);
    const [first, again] = [await send(producer, id, serve), await send(producer, id, serve)];
    expect([first.exitCode, again.exitCode]).toEqual([0, 0]);
    expect(JSON.parse(first.stdout)).toMatchObject({ key: `shop/${id}`, duplicate: false });
    expect(JSON.parse(again.stdout)).toMatchObject({ key: `shop/${id}`, duplicate: true });
    await stage.far.settled(`shop/${id}`);
    const requests = stage.destination.requests.filter(({ headers }) => headers["ce-id"] === id);
    expect(requests.map(({ body }) => body.toString())).toEqual([expect.stringMatching(/^\{"total": ?42\.1\}$/u)]);
  });

  works("says why the server refuses an event, and ends with 1", async () => {
    const refused = await send(producer, uniqueName("id"), { url: serve.url, key: `csk_x_${"a".repeat(43)}` });
    expect(refused).toMatchObject({ exitCode: 1, stdout: "", stderr: expect.stringContaining("unauthorized") });
  });

  works("comes again after a lost connection, 503 and 429, and never before Retry-After", async () => {
    const cut = { how: "cut" } as const;
    const busy = { status: 503, headers: { "retry-after": "3" } };
    const server = aBadServer([cut, busy, { status: 429 }, RECEIPT]);
    expect(await send(producer, "o-1", server)).toMatchObject({ exitCode: 0, stdout: `${RECEIPT.body}\n` });
    const requests = server.requests();
    expect(requests).toHaveLength(4);
    expect(new Set(requests.map(({ body }) => body.toString())).size).toBe(1);
    expect((requests[2]?.atMs ?? 0) - (requests[1]?.atMs ?? 0)).toBeGreaterThanOrEqual(3000);
  });

  works("never sends again what no other try would mend, and says why", async () => {
    const tries = [302, 400, 401, 403, 409, 413, 415, 422].map(async (status) => {
      const server = aBadServer([{ status, headers: { location: "/elsewhere" }, body: "the reason" }]);
      const { exitCode, stdout, stderr } = await send(producer, "o-1", server);
      expect(stderr).toContain(`${status}: the reason`);
      return [exitCode, stdout, server.requests().length];
    });
    expect(await Promise.all(tries)).toEqual(tries.map(() => [1, "", 1]));
  });
});

describe.concurrent.each(NAMED.filter(([name]) => !name.startsWith("curl")))(
  "the producer with %s",
  (_, works, producer) => {
    works("takes a date as Retry-After too, and nonsense as nothing", async () => {
      const at = (): string => new Date(Date.now() + 4000).toUTCString();
      const server = aBadServer(({ nth }) => {
        const retryAfter = nth === 1 ? "soon" : at();
        return nth < 3 ? { status: 503, headers: { "retry-after": retryAfter } } : RECEIPT;
      });
      expect(await send(producer, "o-1", server)).toMatchObject({ exitCode: 0 });
      const [, second, third] = server.requests();
      expect((third?.atMs ?? 0) - (second?.atMs ?? 0)).toBeGreaterThanOrEqual(2900);
    });
  },
);
