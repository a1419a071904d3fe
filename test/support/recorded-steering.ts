/** The recorded paths on which a delivery is steered, and those on which an uncertain outcome is looked up. */
import type { RawEndpoint, RawRoute } from "../../src/config/raw-config.ts";
import type { EventState } from "../../src/delivery/event-state.ts";
import type { Script } from "./destination.ts";
import type { RecordedPath, RecordingStage } from "./recorded-paths.ts";
import { until } from "./until.ts";

const HOURLY = { schedule: ["1h"], jitter: 0 } as const;

function lookedUp(name: string): RawEndpoint {
  const rules = { delivered: { status: 200, json: { "$.status": "done" } }, absent: { status: 404 } };
  const retry = { schedule: ["1s"], jitter: 0 } as const;
  return { idempotent: false, retry, reconcile: { url: `/${name}-books?key={idempotencyKey}`, ...rules } };
}

export const STEERING_ENDPOINTS: Readonly<Record<string, RawEndpoint>> = {
  patient: { retry: HOURLY },
  "patient-two": { retry: HOURLY },
  "asks-patience": { retry: HOURLY },
  unserved: { isolated: true },
  "looked-up": lookedUp("looked-up"),
  absent: lookedUp("absent"),
  unclear: lookedUp("unclear"),
  "asked-again": lookedUp("asked-again"),
};

export const STEERING_ROUTES: readonly RawRoute[] = [
  { match: { type: "patient-pair" }, to: ["patient", "patient-two"] },
];

export const STEERING_SCRIPTS: Readonly<Record<string, Script>> = {
  "/patient": [{ status: 503 }, {}],
  "/patient-two": [{ status: 503 }, {}],
  "/asks-patience": [{ status: 429, headers: { "retry-after": "2" } }, {}],
  "/looked-up": [{ how: "cut" }, {}],
  "/looked-up-books": [{ body: '{"status":"done"}' }],
  "/absent": [{ how: "cut" }, {}],
  "/absent-books": [{ status: 404 }],
  "/unclear": [{ how: "cut" }, {}],
  "/unclear-books": [{ status: 403 }],
  "/asked-again": [{ status: 502 }, {}],
  "/asked-again-books": [{ status: 503 }],
};

const WORD = { actor: "ana@example.com", reason: "looked into it" };

/** Submits an event of that type, waits until it is in the state, does what is asked, and sees it to its end. */
function once(
  type: string,
  state: EventState["state"],
  then: (stage: RecordingStage, key: string) => Promise<unknown>,
): RecordedPath {
  return async (stage, id) => {
    const { key } = await stage.far.submit({ source: "shop", id, type, data: { total: 42 } });
    await until(`it is ${state}`, async () => (await stage.far.get(key)).state === state);
    await then(stage, key);
    await stage.client.workflow.getHandle(key).result();
    return key;
  };
}

const signals =
  (...names: readonly string[]) =>
  async (stage: RecordingStage, key: string): Promise<void> => {
    for (const name of names) await stage.client.workflow.getHandle(key).signal(name, WORD);
  };

export const RECORDED_STEERING: Readonly<Record<string, RecordedPath>> = {
  "hurried-by-update": once("patient", "waiting-retry", async ({ far }, key) => await far.hurry(key, WORD)),
  "hurried-by-signal": once("patient", "waiting-retry", signals("hurry")),
  "hurried-to-its-retry-after": once("asks-patience", "waiting-retry", async ({ far }, key) => {
    await far.hurry(key, WORD);
    await far.hurry(key, WORD);
  }),
  "held-and-released-by-update": once("patient", "waiting-retry", async ({ far }, key) => {
    await far.hold(key, WORD);
    await far.hold(key, WORD);
    await far.release(key, WORD);
    await far.hurry(key, WORD);
  }),
  "held-and-released-by-signal": once("patient", "waiting-retry", signals("hold", "release", "hurry")),
  "held-one-of-two": once("patient-pair", "waiting-retry", async ({ far }, key) => {
    await far.hold(key, { ...WORD, delivery: "patient" });
    await far.hurry(key, { ...WORD, delivery: "patient-two" });
    await far.release(key, WORD);
    await far.discard(key, { ...WORD, delivery: "patient" });
  }),
  "held-on-its-lane": once("unserved", "delivering", async ({ far }, key) => {
    await far.hold(key, WORD);
    await far.release(key, WORD);
    await far.discard(key, WORD);
  }),
  "looked-up-and-found": once("looked-up", "delivered", async () => undefined),
  "looked-up-and-absent": once("absent", "delivered", async () => undefined),
  "looked-up-and-unclear": once(
    "unclear",
    "needs-attention",
    async ({ far }, key) => await far.markDelivered(key, WORD),
  ),
  "discarded-while-looked-up": once("asked-again", "reconciling", async ({ far }, key) => await far.discard(key, WORD)),
};
