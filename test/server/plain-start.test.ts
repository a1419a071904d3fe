/** Runs started without our client: by any Temporal SDK or by the Temporal CLI, with the event alone as input. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { WorkflowFailedError } from "@temporalio/client";
import { ApplicationFailure } from "@temporalio/common";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { planEvent } from "../../src/config/plan-event.ts";
import { TEMPORAL_CLI } from "../../src/temporal/binary-spec.ts";
import { findBinary } from "../../src/temporal/binary.ts";
import { exactState, openStage, type Stage } from "../support/stage.ts";
import { temporalAddress, temporalEnvironment, uniqueName } from "../support/temporal.ts";
import { until } from "../support/until.ts";

let stage: Stage;

beforeAll(async () => {
  stage = await openStage({
    endpoints: { crm: {}, mail: {}, ledger: {}, small: { maxBodyBytes: "64B" } },
    routes: [{ match: { type: "both" }, to: ["crm", "mail"] }],
  });
});

afterAll(async () => await stage.close());

interface Start {
  readonly id: string;
  readonly input: unknown;
  readonly type?: string;
}

async function start({ id, input, type = "event" }: Start): Promise<string> {
  const taskQueue = stage.config.temporal.taskQueue;
  const { workflowId } = await stage.temporal.workflow.start(type, {
    workflowId: `shop/${id}`,
    taskQueue,
    args: [input],
  });
  return workflowId;
}

/** The failure a run ended with. */
async function failureOf(workflowId: string): Promise<ApplicationFailure> {
  const error: unknown = await stage.temporal.workflow
    .getHandle(workflowId)
    .result()
    .catch((reason: unknown) => reason);
  if (error instanceof WorkflowFailedError && error.cause instanceof ApplicationFailure) return error.cause;
  throw new Error(`${workflowId} did not fail with an application failure`, { cause: error });
}

function bodiesOf(path: string, eventId: string): readonly string[] {
  const { requests } = stage.destination;
  return requests
    .filter(({ path: at, headers }) => at === path && headers["ce-id"] === eventId)
    .map(({ body }) => body.toString("utf8"));
}

describe("an event alone", () => {
  test("is routed, delivered and found in lists", async () => {
    const id = uniqueName("plain");
    const key = await start({ id, input: { source: "shop", id, type: "both", data: { total: 42 } } });
    await stage.far.settled(key);
    const { state, deliveries } = await exactState(stage, key);
    expect([state, deliveries.map(({ endpoint }) => endpoint)]).toEqual(["delivered", ["crm", "mail"]]);
    expect([bodiesOf("/crm", id), bodiesOf("/mail", id)]).toEqual([['{"total":42}'], ['{"total":42}']]);
    const { typedSearchAttributes } = await stage.temporal.workflow.getHandle(key).describe();
    const written = Object.fromEntries(typedSearchAttributes.getAll().map((pair) => [pair.key.name, pair.value]));
    expect(written).toMatchObject({ CountersignType: "both", CountersignEndpoints: ["crm", "mail"] });
    await until("the list shows it", async () => {
      for await (const row of stage.far.list({ type: "both", state: "delivered" })) if (row.key === key) return row;
      return null;
    });
  });

  test("may name its source by an alias", async () => {
    const id = uniqueName("alias");
    const key = await start({ id, input: { source: "https://shop.example/orders", id, type: "crm", data: 1 } });
    await stage.far.settled(key);
    const { source, state } = await exactState(stage, key);
    expect([source, state]).toEqual(["shop", "delivered"]);
    expect(stage.destination.requests.find(({ headers }) => headers["ce-id"] === id)?.headers["ce-source"]).toBe(
      "shop",
    );
  });

  test("may carry bytes or text", async () => {
    const [bytes, text] = [uniqueName("bytes"), uniqueName("text")];
    const shape = { source: "shop", type: "crm" };
    const keys = [
      await start({
        id: bytes,
        input: { ...shape, id: bytes, datacontenttype: "application/pdf", data_base64: "AAH/" },
      }),
      await start({
        id: text,
        input: { ...shape, id: text, datacontenttype: "text/plain; charset=utf-8", data: "naïve ☕" },
      }),
    ];
    await Promise.all(keys.map(async (key) => await stage.far.settled(key)));
    const of = (id: string) => stage.destination.requests.find(({ headers }) => headers["ce-id"] === id);
    expect([of(bytes)?.body.toString("hex"), of(bytes)?.headers["content-type"]]).toEqual([
      "0001ff",
      "application/pdf",
    ]);
    expect([of(text)?.body.toString("utf8"), of(text)?.headers["content-type"]]).toEqual([
      "naïve ☕",
      "text/plain; charset=utf-8",
    ]);
  });
});

describe("the Temporal CLI", () => {
  const data = '{"id": 1152921504606846977,  "n":1e400, "s":"\\u2028 ☕", "10":1, "2":2}';

  async function cli(id: string, input: string): Promise<void> {
    const binary = await findBinary(TEMPORAL_CLI, { environment: process.env });
    const { taskQueue } = stage.config.temporal;
    const args = ["workflow", "start", "--type", "event", "--task-queue", taskQueue, "--workflow-id", `shop/${id}`];
    const policies = ["--id-reuse-policy", "AllowDuplicateFailedOnly", "--fail-existing"];
    const env = { ...temporalEnvironment(), TEMPORAL_ADDRESS: temporalAddress() };
    await promisify(execFile)(binary, [...args, ...policies, "--input", input], { env });
  }

  test("starts an event whose body arrives byte for byte", async () => {
    const id = uniqueName("cli");
    await cli(id, `{"source":"shop","id":"${id}","type":"crm","data":${data}}`);
    expect((await stage.far.settled(`shop/${id}`)).state).toBe("delivered");
    await exactState(stage, `shop/${id}`);
    expect(bodiesOf("/crm", id)).toEqual([data]);
  });

  test.each([
    ["a member twice", '{"a":1,"a":2}', "duplicate_member"],
    ["nesting without end", `${"[".repeat(5000)}${"]".repeat(5000)}`, "bad_event"],
  ])("cannot start an event that no parser reads alike: %s", async (_, body, type) => {
    const id = uniqueName("cli");
    await cli(id, `{"source":"shop","id":"${id}","type":"crm","data":${body}}`);
    expect((await failureOf(`shop/${id}`)).type).toBe(type);
    expect(bodiesOf("/crm", id)).toEqual([]);
  });

  test("gives an event the fingerprint it would have by our client", async () => {
    const id = uniqueName("cli");
    await cli(id, `{"source":"shop","id":"${id}","type":"crm","data":{ "total" : 42 }}`);
    const { fingerprint } = await stage.far.settled(`shop/${id}`);
    const receipt = await stage.far.submit({ source: "shop", id, type: "crm", data: { total: 42 } });
    expect(receipt).toMatchObject({ duplicate: true, state: "delivered" });
    expect(planEvent(stage.config, { source: "shop", id, type: "crm", data: { total: 42 } }).fingerprint).toBe(
      fingerprint,
    );
  });
});

describe("input that is no event", () => {
  const wrong: readonly (readonly [string, unknown, string])[] = [
    ["text", "hello", "bad_event"],
    ["a number", 7, "bad_event"],
    ["null", null, "bad_event"],
    ["nothing at all", undefined, "bad_event"],
    ["a list", [{}], "bad_event"],
    ["an object without members", {}, "bad_event"],
    ["an event without an id", { source: "shop", type: "crm" }, "bad_id"],
    ["an event with an empty id", { source: "shop", id: "", type: "crm" }, "bad_id"],
    ["bytes", new Uint8Array([1, 2, 3]), "bad_event"],
    ["two bodies", { source: "shop", id: "x", type: "crm", data: 1, data_base64: "AA==" }, "bad_event"],
  ];

  test.each(wrong)("fails the run with a sentence: %s", async (_, input, type) => {
    const failure = await failureOf(await start({ id: uniqueName("wrong"), input }));
    expect([failure.type, failure.nonRetryable]).toEqual([type, true]);
    expect(failure.message).toMatch(/^[A-Z].{20,}\.?$/u);
  });

  test.each([2, "1"])("fails the run of an event of another version: %o", async (v) => {
    const id = uniqueName("later");
    const failure = await failureOf(await start({ id, input: { v, source: "shop", id, type: "crm" } }));
    expect([failure.type, failure.message]).toEqual([
      "bad_event",
      expect.stringContaining('"v" is of another version'),
    ]);
  });

  test.each([
    ["no route", { source: "shop", type: "unheard.of" }, "no_route", /unheard\.of/],
    ["an unknown source", { source: "nobody", type: "crm" }, "unknown_source", /nobody/],
    ["a body too large", { source: "shop", type: "small", data: "x".repeat(100) }, "body_too_large", /small.*64/],
  ] as const)("fails the run with what is configured: %s", async (_, members, type, sentence) => {
    const id = uniqueName("wrong");
    const { taskQueue } = stage.config.temporal;
    const workflowId = `${members.source}/${id}`;
    await stage.temporal.workflow.start("event", { workflowId, taskQueue, args: [{ ...members, id }] });
    const failure = await failureOf(workflowId);
    expect(failure.type).toBe(type);
    expect(failure.message).toMatch(sentence);
    expect(stage.destination.requests.filter(({ headers }) => headers["ce-id"] === id)).toEqual([]);
  });

  test("fails the run also when it cannot even be decoded", async () => {
    const id = uniqueName("sealed");
    const { taskQueue } = stage.config.temporal;
    await stage.temporal.workflowService.startWorkflowExecution({
      namespace: stage.temporal.options.namespace,
      workflowId: `shop/${id}`,
      workflowType: { name: "event" },
      taskQueue: { name: taskQueue },
      requestId: id,
      input: { payloads: [{ metadata: { encoding: Buffer.from("binary/encrypted") }, data: Buffer.from([1, 2]) }] },
    });
    const failure = await failureOf(`shop/${id}`);
    expect(failure.type).toMatch(/^bad_/u);
  });

  test("is told by get, and leaves its key to the corrected event", async () => {
    const id = uniqueName("mended");
    const key = await start({ id, input: { source: "shop", id, type: "unheard.of" } });
    await failureOf(key);
    await expect(stage.far.get(key)).rejects.toMatchObject({
      code: "bad_event",
      message: expect.stringContaining("unheard.of"),
    });
    const receipt = await stage.far.submit({ source: "shop", id, type: "crm", data: 1 });
    expect(receipt).toMatchObject({ key, duplicate: false });
    expect((await stage.far.settled(key)).state).toBe("delivered");
  });

  test("is also a workflow ID that is not the event's key", async () => {
    const failure = await failureOf(
      await start({ id: uniqueName("mine"), input: { source: "shop", id: "another", type: "crm" } }),
    );
    expect(failure.type).toBe("bad_event");
    expect(failure.message).toContain("shop/another");
  });

  test("is also an unknown workflow type", async () => {
    const failure = await failureOf(await start({ id: uniqueName("odd"), input: {}, type: "delivery" }));
    expect(failure.type).toBe("unknown_workflow_type");
    expect(failure.message).toContain("delivery");
  });
});

describe("a plan in the input", () => {
  async function withPlan(plan: (id: string) => unknown): Promise<{ readonly id: string; readonly key: string }> {
    const id = uniqueName("plan");
    return { id, key: await start({ id, input: { source: "shop", id, type: "crm", data: 1, plan: plan(id) } }) };
  }

  function planTo(id: string, endpoint: string) {
    const plan = planEvent(stage.config, { source: "shop", id, type: "crm", data: 1 });
    return { ...plan, deliveries: plan.deliveries.map((delivery) => ({ ...delivery, endpoint })) };
  }

  test.each(["ledger", "no-such-endpoint"])(
    "that names %s, where the event is not routed, sends nothing and parks",
    async (endpoint) => {
      const { id, key } = await withPlan((of) => planTo(of, endpoint));
      await stage.far.settled(key);
      const { state, deliveries } = await exactState(stage, key);
      expect(state).toBe("needs-attention");
      expect(deliveries[0]).toMatchObject({ endpoint, attemptCount: 0, attention: { reason: "misconfigured" } });
      expect(stage.destination.requests.filter(({ headers }) => headers["ce-id"] === id)).toEqual([]);
      expect(await stage.far.discard(key, { actor: "ana", reason: "forged" })).toMatchObject({ counted: true });
      expect((await exactState(stage, key)).state).toBe("discarded");
    },
  );

  test("that adds an endpoint sends only to the routed one", async () => {
    const { id, key } = await withPlan((of) => ({
      ...planTo(of, "crm"),
      deliveries: [...planTo(of, "crm").deliveries, ...planTo(of, "ledger").deliveries],
    }));
    await stage.far.settled(key);
    const { deliveries } = await exactState(stage, key);
    expect(deliveries.map((delivery) => delivery.state)).toEqual(["delivered", "needs-attention"]);
    expect([bodiesOf("/crm", id).length, bodiesOf("/ledger", id).length]).toEqual([1, 0]);
  });

  test.each([
    ["text", "crm"],
    ["a list", []],
    ["no deliveries", { fingerprint: "sha256:0", deliveries: [] }],
    ["settings missing", { fingerprint: "sha256:0", deliveries: [{ endpoint: "ledger" }] }],
    ["deliveries of junk", { fingerprint: 1, deliveries: [null, 3] }],
  ])("that is junk is not looked at: %s", async (_, plan) => {
    const { id, key } = await withPlan(() => plan);
    await stage.far.settled(key);
    const { state, deliveries } = await exactState(stage, key);
    expect([state, deliveries.map(({ endpoint }) => endpoint)]).toEqual(["delivered", ["crm"]]);
    expect(bodiesOf("/crm", id)).toHaveLength(1);
  });

  test("does not choose the idempotency key or the retry policy", async () => {
    const { id, key } = await withPlan((of) => {
      const plan = planTo(of, "crm");
      const forged = {
        idempotencyKey: "cs1_forged",
        retry: { scheduleMs: [], jitter: 0, windowMs: null, retryAfterMaxMs: 0 },
      };
      return {
        ...plan,
        deliveries: plan.deliveries.map((one) => ({ ...one, settings: { ...one.settings, ...forged } })),
      };
    });
    const { deliveries } = await stage.far.settled(key);
    const [own] = planEvent(stage.config, { source: "shop", id, type: "crm", data: 1 }).deliveries;
    expect(stage.destination.requests.find(({ headers }) => headers["ce-id"] === id)?.key).toBe(
      own?.settings.idempotencyKey,
    );
    expect(deliveries[0]?.idempotencyKey).toBe(own?.settings.idempotencyKey);
  });
});
