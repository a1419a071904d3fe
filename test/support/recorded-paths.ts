/** The paths whose histories are recorded: each starts runs, sees them through and names them. */
import type { Client } from "@temporalio/client";
import type { Config } from "../../src/config/config.ts";
import type { Countersign } from "../../src/client/countersign.ts";
import type { RawEndpoint } from "../../src/config/raw-config.ts";
import { conflictWorkflowId, GATES_WORKFLOW_ID } from "../../src/delivery/names.ts";
import { isCountersignError } from "../../src/errors.ts";
import type { Destination, Script } from "./destination.ts";
import { until } from "./until.ts";

export interface RecordingStage {
  readonly client: Client;
  readonly far: Countersign;
  readonly near: Countersign;
  readonly destination: Destination;
  readonly taskQueue: string;
  readonly config: Config;
  /** Kills the process of a second worker that has the attempt in hand, and starts ours. */
  loseAttempt(key: string): Promise<void>;
  /** What is said meanwhile waits, and the worker that comes then gets it in one task. */
  withoutWorker(say: () => Promise<void>): Promise<void>;
}

export type RecordedPath = (stage: RecordingStage, id: string) => Promise<string>;

export const ENDPOINTS: Readonly<Record<string, RawEndpoint>> = {
  quick: {},
  second: {},
  "once-503": {},
  "asks-for-time": {},
  "cut-once": {},
  careful: { idempotent: false },
  "first-400": {},
  later: { retry: { schedule: ["1h"], jitter: 0 } },
  slow: {},
  narrow: { limits: { concurrency: 2 } },
};

export const ROUTES = [{ match: { type: "both" }, to: ["quick", "once-503"] }];

export const SCRIPTS: Readonly<Record<string, Script>> = {
  "/once-503": [{ status: 503 }, {}],
  "/asks-for-time": [{ status: 429, headers: { "retry-after": "2" } }, {}],
  "/cut-once": [{ how: "cut" }, {}],
  "/careful": [{ how: "cut" }, {}],
  "/first-400": [{ status: 400 }, {}],
  "/later": [{ status: 503 }, {}],
  "/slow": [{ delayMs: 1500 }],
  "/narrow": [{ status: 503 }, {}],
};

const WORD = { actor: "ana@example.com", reason: "looked into it" };

/** Submits an event of that type, waits until nothing moves, and then does what is asked. */
function submitted(
  type: string,
  then: (stage: RecordingStage, key: string) => Promise<unknown> = async () => undefined,
): RecordedPath {
  return async (stage, id) => {
    const { key } = await stage.far.submit({ source: "shop", id, type, data: { total: 42 } });
    await stage.far.settled(key);
    await then(stage, key);
    return key;
  };
}

/** As `submitted`, but acts while the endpoint has the first attempt in hand or the retry is waited for. */
function meanwhile(type: string, act: (stage: RecordingStage, key: string) => Promise<unknown>): RecordedPath {
  return async (stage, id) => {
    const { key } = await stage.far.submit({ source: "shop", id, type, data: { total: 42 } });
    await until("it was sent", () => stage.destination.requests.some(({ headers }) => headers["ce-id"] === id));
    if (type === "later") await until("it waits", async () => (await stage.far.get(key)).state === "waiting-retry");
    await act(stage, key);
    await stage.client.workflow.getHandle(key).result();
    return key;
  };
}

const signal = (name: string) => async (stage: RecordingStage, key: string) => {
  const handle = stage.client.workflow.getHandle(key);
  await handle.signal(name, WORD);
  await handle.result();
};

/** Started as any Temporal SDK may start it. */
function plain(type: string, input: (id: string) => unknown): RecordedPath {
  return async ({ client, taskQueue }, id) => {
    const handle = await client.workflow.start(type, { workflowId: `shop/${id}`, taskQueue, args: [input(id)] });
    await handle.result().catch(() => undefined);
    return handle.workflowId;
  };
}

/** By file name. */
export const RECORDED_PATHS: Readonly<Record<string, RecordedPath>> = {
  "delivered-at-once": submitted("quick"),
  "delivered-eagerly": async ({ near, far }, id) => {
    const { key } = await near.submit({ source: "shop", id, type: "quick", data: { total: 42 } });
    await far.settled(key);
    return key;
  },
  "retried-then-delivered": submitted("once-503"),
  "retry-after": submitted("asks-for-time"),
  "two-endpoints": submitted("both"),
  "uncertain-then-delivered": submitted("cut-once"),
  "uncertain-parked": submitted("careful"),
  "parked-replayed-by-update": submitted("first-400", async ({ far, client }, key) => {
    await far.replay(key, WORD);
    await client.workflow.getHandle(key).result();
  }),
  "parked-replayed-by-signal": submitted("first-400", signal("replay")),
  "parked-discarded-by-update": submitted("first-400", async ({ far }, key) => await far.discard(key, WORD)),
  "parked-discarded-by-signal": submitted("first-400", signal("discard")),
  "parked-marked-delivered": submitted("careful", async ({ far }, key) => await far.markDelivered(key, WORD)),
  "parked-refusals": submitted("first-400", async ({ client, far }, key) => {
    await client.workflow.getHandle(key).signal("hurry", WORD);
    await client.workflow.getHandle(key).signal("approve", WORD);
    await far.replay(key, { ...WORD, delivery: "nowhere" });
  }),
  "canceled-while-parked": submitted("first-400", async ({ client }, key) => {
    await client.workflow.getHandle(key).cancel();
    await client.workflow.getHandle(key).result();
  }),
  "canceled-during-attempt": meanwhile(
    "slow",
    async ({ client }, key) => await client.workflow.getHandle(key).cancel(),
  ),
  "signaled-during-attempt": meanwhile(
    "slow",
    async ({ client }, key) => await client.workflow.getHandle(key).signal("discard", WORD),
  ),
  "discarded-while-waiting": meanwhile("later", async ({ far }, key) => await far.discard(key, WORD)),
  "plain-start": plain("event", (id) => ({ source: "shop", id, type: "quick", data: { total: 42 } })),
  "plain-start-two-endpoints": plain("event", (id) => ({ source: "shop", id, type: "both", data: { total: 42 } })),
  "plain-start-refused": plain("event", (id) => ({ source: "shop", id })),
  "unknown-type": plain("delivery", () => ({})),
  "forged-plan": async ({ client, far, taskQueue }, id) => {
    const settings = {
      idempotencyKey: "cs1_forged",
      configVersion: "sha256:0",
      idempotent: true,
      isolated: false,
      lane: false,
    };
    const retry = { scheduleMs: [1000], jitter: 0, windowMs: null, retryAfterMaxMs: 1000 };
    const plan = {
      fingerprint: "sha256:0",
      deliveries: [{ endpoint: "second", settings: { ...settings, retry, totalMs: 1000 } }],
    };
    const args = [{ source: "shop", id, type: "quick", plan }];
    const { workflowId } = await client.workflow.start("event", { workflowId: `shop/${id}`, taskQueue, args });
    await far.settled(workflowId);
    return workflowId;
  },
  "by-its-lane": submitted("narrow"),
  gates: async ({ client }) => {
    await until(
      "the lane is entered",
      async () => (await client.workflow.getHandle(GATES_WORKFLOW_ID).describe()).historyLength > 4,
    );
    return GATES_WORKFLOW_ID;
  },
  conflict: async (stage, id) => {
    const key = await submitted("quick")(stage, id);
    const refusal: unknown = await stage.far
      .submit({ source: "shop", id, type: "quick", data: { total: 43 } })
      .catch((error: unknown) => error);
    if (!isCountersignError(refusal)) throw new Error("The other content was not refused", { cause: refusal });
    const runId = conflictWorkflowId(key, String(refusal.details["refused"]));
    await stage.client.workflow.getHandle(runId).result();
    return runId;
  },
  "lost-attempt": async (stage, id) => {
    const { key } = await stage.far.submit({ source: "shop", id, type: "slow", data: { total: 42 } });
    await stage.loseAttempt(key);
    await stage.far.settled(key, { timeout: "60s" });
    return key;
  },
};
