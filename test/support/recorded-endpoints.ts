/** Paths of the workflows that hold endpoints, for the recorded histories. */
import { putLaneInUse } from "../../src/client/gate-registry.ts";
import type { RawEndpoint } from "../../src/config/raw-config.ts";
import { endpointWorkflowId, GATES_WORKFLOW_ID } from "../../src/delivery/names.ts";
import { GATES_MEMO } from "../../src/workflows/messages.ts";
import { aSession } from "./a-session.ts";
import type { Script } from "./destination.ts";
import type { RecordedPath, RecordingStage } from "./recorded-paths.ts";
import { until } from "./until.ts";

export const HELD_ENDPOINTS: Readonly<Record<string, RawEndpoint>> = {
  stopped: {},
  falling: { circuit: { failures: 3, open: "2s" }, retry: { schedule: ["1s", "1s", "1s", "1s"], jitter: 0 } },
  refusing: { circuit: { failures: 3, open: "2s" } },
  crowded: { retryAfterScope: "endpoint" },
  deserted: {},
};

export const HELD_SCRIPTS: Readonly<Record<string, Script>> = {
  "/falling": [{ status: 503 }, { status: 503 }, {}],
  "/refusing": [{ status: 401 }, {}],
  "/crowded": [{ status: 429, headers: { "retry-after": "3" } }, {}],
};

const WORD = { actor: "ana@example.com", reason: "looked into it" };

async function submitted(
  { far }: RecordingStage,
  endpoint: string,
  ids: readonly string[],
): Promise<readonly string[]> {
  const receipts = ids.map(async (id) => await far.submit({ source: "shop", id, type: endpoint, data: { total: 42 } }));
  return (await Promise.all(receipts)).map(({ key }) => key);
}

async function settled({ far }: RecordingStage, keys: readonly string[]): Promise<void> {
  await Promise.all(keys.map(async (key) => await far.settled(key, { timeout: "60s" })));
}

async function ended({ client }: RecordingStage, endpoint: string): Promise<string> {
  const workflowId = endpointWorkflowId(endpoint);
  await client.workflow.getHandle(workflowId).result();
  return workflowId;
}

/** By file name. */
export const RECORDED_ENDPOINTS: Readonly<Record<string, RecordedPath>> = {
  "endpoint-paused-then-resumed": async (stage, id) => {
    await stage.far.pause("stopped", WORD);
    const keys = await submitted(stage, "stopped", [`${id}-1`, `${id}-2`]);
    await stage.far.resume("stopped", { ...WORD, ramp: "5s" });
    await settled(stage, keys);
    return await ended(stage, "stopped");
  },
  "endpoint-tripped-then-closed": async (stage, id) => {
    const keys = await submitted(stage, "falling", [`${id}-1`, `${id}-2`, `${id}-3`]);
    await settled(stage, keys);
    return await ended(stage, "falling");
  },
  "endpoint-refused-then-resumed": async (stage, id) => {
    const keys = await submitted(stage, "refusing", [id]);
    await settled(stage, keys);
    await until("it is tripped", async () => (await stage.far.endpoint("refusing")).gate.state === "tripped");
    await stage.far.resume("refusing", WORD);
    await stage.far.replay(keys[0] ?? "", WORD);
    await settled(stage, keys);
    return await ended(stage, "refusing");
  },
  "endpoint-throttled": async (stage, id) => {
    const keys = await submitted(stage, "crowded", [id]);
    await settled(stage, keys);
    return await ended(stage, "crowded");
  },
  /** Signals of two names come in one task: the order in which they were said is a matter of a patch. */
  "endpoint-told-without-worker": async (stage) => {
    const { client, taskQueue } = stage;
    const workflowId = endpointWorkflowId("deserted");
    await stage.withoutWorker(async () => {
      const [signal, signalArgs] = ["pause", [WORD] as [unknown]];
      const run = await client.workflow.signalWithStart("endpoint", { workflowId, taskQueue, signal, signalArgs });
      await run.signal("resume", WORD);
      await run.signal("pause", WORD);
    });
    await until("it is paused", async () => (await stage.far.endpoint("deserted")).gate.state === "paused");
    await stage.far.resume("deserted", WORD);
    return await ended(stage, "deserted");
  },
  "gates-of-held-endpoints": async () => await Promise.resolve(GATES_WORKFLOW_ID),
  "gates-told-together": async ({ client, config }) => {
    const session = aSession(client, config);
    const names = ["stopped", "falling", "refusing", "crowded"];
    await Promise.all(names.map(async (name) => await putLaneInUse(session, name)));
    await until("they are all taken in", async () => {
      const { memo, raw } = await client.workflow.getHandle(GATES_WORKFLOW_ID).describe();
      const shown = Object.keys(memo?.[GATES_MEMO] ?? {});
      return raw.pendingWorkflowTask === null && names.every((name) => shown.includes(name));
    });
    return GATES_WORKFLOW_ID;
  },
};
