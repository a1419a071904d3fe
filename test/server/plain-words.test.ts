/** What a person reads in the Temporal UI, where nothing of ours is installed: summaries, details, the signals to send. */
import type { WorkflowHandle } from "@temporalio/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStage, type Stage } from "../support/stage.ts";
import { uniqueName } from "../support/temporal.ts";
import { until } from "../support/until.ts";

let stage: Stage;

beforeAll(async () => {
  stage = await openStage({
    endpoints: {
      crm: {},
      busy: {},
      bad: {},
      later: { retry: { schedule: ["1h"], jitter: 0 } },
      narrow: { limits: { concurrency: 1 } },
    },
    routes: [{ match: { type: "both" }, to: ["crm", "bad"] }],
    scripts: {
      busy: [{ status: 429, headers: { "retry-after": "2" } }, { status: 503 }, {}],
      bad: [{ status: 400 }],
      later: [{ status: 503 }],
    },
  });
});

afterAll(async () => await stage.close());

async function submitted(type: string): Promise<WorkflowHandle> {
  const { key } = await stage.far.submit({ source: "shop", id: uniqueName(type), type, data: { total: 42 } });
  return stage.temporal.workflow.getHandle(key);
}

/** The summaries of a history, in its order. */
async function summaries(handle: WorkflowHandle): Promise<readonly string[]> {
  const { events } = await handle.fetchHistory();
  return (events ?? []).flatMap(({ userMetadata }) => {
    const data = userMetadata?.summary?.data;
    return data === undefined || data === null ? [] : [JSON.parse(Buffer.from(data).toString("utf8")) as string];
  });
}

interface Metadata {
  readonly currentDetails: string;
  readonly definition: {
    readonly signalDefinitions: readonly { readonly name: string; readonly description: string }[];
  };
}

async function metadata(handle: WorkflowHandle): Promise<Metadata> {
  return await handle.query<Metadata>("__temporal_workflow_metadata");
}

describe("the history of a retried delivery", () => {
  test("says at each attempt and each wait what it is", async () => {
    const handle = await submitted("busy");
    await handle.result();
    const [start, first, wait, second, again, third] = await summaries(handle);
    expect([start, first, second, third]).toEqual([
      "busy to busy",
      "attempt 1 to busy",
      "attempt 2 to busy",
      "attempt 3 to busy",
    ]);
    expect(wait).toMatch(/^busy: wait [23](\.\d)? s as its Retry-After asks, then attempt 2$/);
    expect(again).toBe("busy: wait 1 s by the retry policy, then attempt 3");
  });

  test("says so too where attempts are regular activities and go by a lane", async () => {
    const [both, narrow] = [await submitted("both"), await submitted("narrow")];
    await until(
      "all was tried",
      async () => (await summaries(both)).length === 3 && (await summaries(narrow)).length === 3,
    );
    expect(await summaries(both)).toEqual(["both to crm, bad", "attempt 1 to crm", "attempt 1 to bad"]);
    expect(await summaries(narrow)).toEqual([
      "narrow to narrow",
      "open the lane of narrow",
      "attempt 1 to narrow (by its lane)",
    ]);
  });
});

describe("the details of a run", () => {
  test("tell where a parked event stands, why, and which signal to send with what", async () => {
    const handle = await submitted("bad");
    await stage.far.settled(handle.workflowId);
    const { currentDetails, definition } = await metadata(handle);
    expect(currentDetails).toContain(`\`${handle.workflowId}\`: needs-attention`);
    expect(currentDetails).toContain("1 attempt(s), last http_400");
    expect(currentDetails).toContain("refused: bad answered 400");
    expect(currentDetails).toMatch(
      /Send signal `replay`, `discard` or `mark-delivered` with `(\{.*"delivery":"bad"\})`/,
    );
    expect(definition.signalDefinitions.map(({ name, description }) => [name, description.length > 20])).toEqual(
      expect.arrayContaining([
        ["replay", true],
        ["discard", true],
        ["mark-delivered", true],
      ]),
    );
  });

  test("quote an argument that a person may send as it stands", async () => {
    const handle = await submitted("bad");
    await stage.far.settled(handle.workflowId);
    const { currentDetails } = await metadata(handle);
    const quoted = /with `(\{.*?\})`/u.exec(currentDetails)?.[1] ?? "";
    await handle.signal("discard", JSON.parse(quoted));
    expect(await handle.result()).toMatchObject({ state: "discarded" });
  });

  test("tell of a wait until when it lasts", async () => {
    const handle = await submitted("later");
    const state = await until("it waits", async () => {
      const report = await stage.far.get(handle.workflowId);
      return report.state === "waiting-retry" && report;
    });
    const { currentDetails } = await metadata(handle);
    expect(currentDetails).toContain(
      `waiting-retry (1 attempt(s), last http_503, next at ${state.deliveries[0]?.nextAt})`,
    );
    await handle.cancel();
    await handle.result();
  });
});
