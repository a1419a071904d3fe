/** Recorded histories of every path run through today's workflow code: runs that wait for months must go on. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { DeterminismViolationError } from "@temporalio/workflow";
import { bundleWorkflowCode, DefaultLogger, Worker, type WorkflowBundleWithSourceMap } from "@temporalio/worker";
import { beforeAll, describe, expect, test } from "vitest";
import { createLogger } from "../../src/telemetry/logger.ts";
import { installRuntime } from "../../src/worker/runtime.ts";
import { RECORDED_APPROVALS } from "../support/recorded-approvals.ts";
import { RECORDED_BULK_REPLAYS } from "../support/recorded-bulk-replays.ts";
import { RECORDED_ENDPOINTS } from "../support/recorded-endpoints.ts";
import { RECORDED_PATHS } from "../support/recorded-paths.ts";
import { RECORDED_STEERING } from "../support/recorded-steering.ts";

const FOLDER = new URL("../vectors/histories/", import.meta.url);
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith(".json"));
const BUNDLING_MS = 60_000;

interface Recorded {
  readonly workflowId: string;
  readonly events: readonly { readonly eventType: string }[];
}

function recorded(file: string): Recorded {
  return JSON.parse(readFileSync(new URL(file, FOLDER), "utf8")) as Recorded; // written by `record-histories.ts`
}

async function bundleOf(entry: URL): Promise<WorkflowBundleWithSourceMap> {
  return await bundleWorkflowCode({ workflowsPath: fileURLToPath(entry), logger: new DefaultLogger("ERROR") });
}

async function replay(
  workflowBundle: WorkflowBundleWithSourceMap,
  file: string,
  changed = (text: string): string => text,
): Promise<void> {
  const { workflowId, ...history } = JSON.parse(changed(JSON.stringify(recorded(file)))) as Recorded; // as it was read
  await Worker.runReplayHistory({ workflowBundle }, history, workflowId);
}

const base64 = (members: object): string => Buffer.from(JSON.stringify(members)).toString("base64");

let today: WorkflowBundleWithSourceMap;

beforeAll(async () => {
  // A violation is logged loudly, and one is wanted here.
  installRuntime(createLogger("silent"));
  today = await bundleOf(new URL("../../src/workflows/index.ts", import.meta.url));
}, BUNDLING_MS);

describe("a recorded history", () => {
  test("is there for every path", () => {
    expect(FILES.map((file) => file.replace(/\.json$/u, ""))).toEqual(
      expect.arrayContaining([
        ...Object.keys(RECORDED_PATHS),
        ...Object.keys(RECORDED_APPROVALS),
        ...Object.keys(RECORDED_STEERING),
        ...Object.keys(RECORDED_ENDPOINTS),
        ...Object.keys(RECORDED_BULK_REPLAYS),
      ]),
    );
  });

  test.each(FILES)("of path %s is followed to its end", async (file) => {
    await replay(today, file);
  });

  test.each(FILES)("of path %s says nothing about the machine it was recorded on", (file) => {
    const text = readFileSync(new URL(file, FOLDER), "utf8");
    expect(text).not.toMatch(/"identity"|"stackTrace"|file:\/\/|node_modules/u);
  });

  test("of before the patch `versions-read` counts a word whatever its v", async () => {
    const word = { actor: "ana@example.com", reason: "looked into it" };
    const file = "parked-replayed-by-signal.json";
    expect(JSON.stringify(recorded(file))).toContain(base64(word));
    await replay(today, file, (text) => text.replace(base64(word), base64({ ...word, v: "1" })));
  });

  test("of a lost attempt holds one", () => {
    const types = recorded("lost-attempt.json").events.map(({ eventType }) => eventType);
    expect(types).toContain("EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT");
  });
});

describe("workflow code that decides otherwise", () => {
  test(
    "is caught by a recorded history",
    async () => {
      const changed = await bundleOf(new URL("../support/changed-workflows.ts", import.meta.url));
      await expect(replay(changed, "delivered-at-once.json")).rejects.toBeInstanceOf(DeterminismViolationError);
      await expect(replay(changed, "parked-replayed-by-update.json")).rejects.toBeInstanceOf(DeterminismViolationError);
    },
    BUNDLING_MS,
  );
});
