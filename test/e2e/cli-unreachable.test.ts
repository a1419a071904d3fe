/** A Temporal server that is not there, or says nothing: exit 5 within 30 s, whatever the verb. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { aFolder, countersign, type Folder } from "../support/command-line.ts";
import { type BadServer, startSilentServer } from "../support/silent-servers.ts";
import { temporalEnvironment } from "../support/temporal.ts";

const CONFIG = {
  sources: { shop: {} },
  endpoints: { crm: { url: "https://crm.example/" } },
  routes: [{ to: ["crm"] }],
};

let folder: Folder;
let silent: BadServer;

beforeAll(async () => {
  folder = await aFolder({ "countersign.config.json": JSON.stringify(CONFIG) });
  silent = await startSilentServer();
});

afterAll(async () => {
  await silent.close();
  await folder.remove();
});

async function measured(argv: readonly string[], address: string) {
  const startedMs = Date.now();
  const finished = await countersign(argv, {
    cwd: folder.path,
    environment: { ...temporalEnvironment(), TEMPORAL_ADDRESS: address },
  });
  return { ...finished, withinMs: Date.now() - startedMs };
}

test("every verb says that nothing answers and how to go on", async () => {
  const nobody = "127.0.0.1:1";
  const finished = await Promise.all([
    measured(["send", "--source", "shop", "--type", "x", "--id", "1", "--data", "1", "--json"], nobody),
    measured(["worker"], nobody),
    measured(["doctor"], nobody),
    measured(["list"], silent.address),
  ]);
  expect(finished.map(({ exit }) => exit)).toEqual([5, 5, 5, 5]);
  for (const { withinMs } of finished) expect(withinMs).toBeLessThan(30_000);
  const [send, worker, doctor, list] = finished;
  expect(JSON.parse(send?.stderr ?? "")).toMatchObject({
    code: "temporal_unreachable",
    detail: expect.stringContaining("countersign dev"),
  });
  expect(worker?.stderr).toContain("[temporal_unreachable]");
  expect(doctor?.stdout).toMatch(/^fail +temporal +No Temporal server answers at 127\.0\.0\.1:1/m);
  expect(list?.stderr).toContain(silent.address);
});
