/** `dev`: a newcomer's first minute, with the data kept over a restart; and `listen` beside it. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { claimPort } from "../../src/temporal/free-port.ts";
import { aFolder, countersign, type Folder, type RunningCommand, startCommand } from "../support/command-line.ts";
import { temporalEnvironment } from "../support/temporal.ts";
import { until } from "../support/until.ts";

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

let folder: Folder;
let listening: RunningCommand;
const started: RunningCommand[] = [];

async function freePort(): Promise<number> {
  const claimed = await claimPort("127.0.0.1", 0);
  if (claimed.kind === "free") return claimed.port;
  throw new Error(claimed.reason);
}

/** No allowPrivate: `dev` lets every endpoint live on this machine. */
function configuration(url: string): string {
  return JSON.stringify({
    temporal: { taskQueue: "dev" },
    sources: { shop: {} },
    endpoints: {
      crm: {
        url: { env: "CRM_URL" },
        signing: { scheme: "standard-webhooks", secrets: [{ env: "CRM_SECRET" }] },
        retry: "quick",
      },
      vault: { url: `${url}vault`, isolated: true, ports: [Number(new URL(url).port)] },
    },
    routes: [
      { match: { type: "order.*" }, to: ["crm"] },
      { match: { type: "secret" }, to: ["vault"] },
    ],
  });
}

beforeAll(async () => {
  const cwd = process.cwd();
  listening = startCommand(["listen", "--port", "0", "--answer", "503:1,200", "--secret", SECRET], {
    cwd,
    environment: {},
  });
  await listening.says("Listening on http://127.0.0.1:");
  const url = /http:\/\/127\.0\.0\.1:\d+\//.exec(listening.stdout())?.[0] ?? "";
  folder = await aFolder({ "countersign.config.json": configuration(url) });
});

afterAll(async () => {
  for (const command of [...started, listening]) command.signal("SIGKILL");
  await folder.remove();
});

test("dev starts everything, keeps its data, and leaves nothing behind", async () => {
  const [port, uiPort] = [await freePort(), await freePort()];
  const url = /http:\/\/127\.0\.0\.1:\d+\//.exec(listening.stdout())?.[0] ?? "";
  const options = {
    cwd: folder.path,
    environment: {
      ...temporalEnvironment(),
      CRM_URL: `${url}crm`,
      CRM_SECRET: SECRET,
      TEMPORAL_ADDRESS: `127.0.0.1:${port}`,
    },
  };
  const argv = ["dev", "--port", String(port), "--ui-port", String(uiPort), "--data", "data"];

  const first = startCommand(argv, options);
  started.push(first);
  await first.says("Stop with Ctrl-C.");
  expect(first.stdout()).toContain(`UI         http://127.0.0.1:${uiPort}`);
  const example = /countersign (send --source shop --type order\.created --id evt_1 --data) '(.*)'/.exec(
    first.stdout(),
  );
  const sent = await countersign([...(example?.[1] ?? "").split(" "), example?.[2] ?? ""], options);
  // The first request is the one that is answered 503.
  await until("the first request has come in", () => listening.stdout().includes("#1 POST"));
  const [secret, again] = await Promise.all([
    countersign(["send", "--source", "shop", "--type", "secret", "--id", "s_1", "--data", "1"], options),
    countersign(argv, options),
  ]);
  expect([sent.exit, secret.exit]).toEqual([0, 0]);
  expect(again).toMatchObject({
    exit: 1,
    stderr: expect.stringMatching(
      new RegExp(`Port ${port} .*choose another port with --port.*\\[server_unavailable\\]`),
    ),
  });
  await until("three requests have come in", () => listening.stdout().includes("#3 POST"));
  expect(listening.stdout()).toContain("signature  valid");
  expect(listening.stdout()).toContain("seen before, once");

  first.signal("SIGINT");
  expect((await first.finished).exit).toBe(0);
  expect(await claimPort("127.0.0.1", port)).toEqual({ kind: "free", port });

  const second = startCommand(argv, options);
  started.push(second);
  await second.says("Stop with Ctrl-C.");
  const show = await countersign(["show", "shop/evt_1"], options);
  expect(show.stdout).toMatch(/#2 {2}delivered +crm answered 200/);
  second.signal("SIGTERM");
  expect((await second.finished).exit).toBe(0);
});
