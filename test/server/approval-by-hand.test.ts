/** Approval with Temporal alone: nothing of ours on the side of whoever reads and decides. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { WorkflowHandle } from "@temporalio/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { planDelivery } from "../../src/config/plan-delivery.ts";
import type { BusinessEvent } from "../../src/delivery/event.ts";
import { findBinary } from "../../src/temporal/binary.ts";
import { TEMPORAL_CLI } from "../../src/temporal/binary-spec.ts";
import { exactState, openStage, type Stage } from "../support/stage.ts";
import { temporalEnvironment, uniqueName } from "../support/temporal.ts";
import { until } from "../support/until.ts";
import { inState, proposed, requestsOf } from "../support/waiting-events.ts";

const [ANA, BEN] = ["ana@example.com", "ben@example.com"];

let stage: Stage;
/** Lets the requests to `slow` be answered. */
const slow = { release(): void {} };

beforeAll(async () => {
  const released = new Promise<object>((resolve) => Object.assign(slow, { release: () => resolve({}) }));
  stage = await openStage({
    endpoints: { payments: { headers: { "x-mark": "1" } }, slow: {}, "ops-chat": {} },
    scripts: { slow: async () => await released },
    routes: [
      {
        match: { type: "refund" },
        to: ["payments"],
        approval: { approvers: ["group:finance"], notify: "ops-chat", remind: ["1h"], fourEyes: true },
      },
      { match: { type: "wait" }, to: ["slow"], approval: { approvers: ["group:finance"] } },
    ],
    rest: { people: { [ANA]: { groups: ["finance"] }, [BEN]: { groups: ["finance"] } } },
  });
});

afterAll(async () => await stage.close());

const handleOf = (key: string): WorkflowHandle => stage.temporal.workflow.getHandle(key);

async function detailsOf(key: string): Promise<string> {
  const metadata = await handleOf(key).query<{ readonly currentDetails: string }>("__temporal_workflow_metadata");
  return metadata.currentDetails;
}

/** In the order of the history; of each event that has one, with the place it has in the story. */
async function summariesOf(key: string): Promise<readonly string[]> {
  const { events } = await handleOf(key).fetchHistory();
  return (events ?? []).flatMap(({ userMetadata, timerCanceledEventAttributes }) => {
    const data = userMetadata?.summary?.data ?? null;
    // A canceled timer repeats the words it was started with.
    if (data === null || (timerCanceledEventAttributes ?? null) !== null) return [];
    return [JSON.parse(Buffer.from(data).toString("utf8")) as string]; // summaries are texts
  });
}

/** The first JSON object in a text, as a person would copy it, under their own name. */
function pasted(text: string, actor: string): object {
  const quoted = /\{"actor":"you@example\.com".*?\}/u.exec(text)?.[0] ?? "null";
  return { ...(JSON.parse(quoted) as object), actor }; // the words of the run quote an object
}

/** What a producer can work out before anybody is asked. */
function digestOf(event: BusinessEvent, endpoint: string): string {
  const order = { event, endpoint, amendment: null, revision: 1, resolvedUrl: null };
  const planned = planDelivery(stage.config, order);
  if (planned.kind === "withheld" || planned.draft === null) throw new TypeError("No approval is due");
  return planned.draft.digest;
}

const anEvent = (type: string): BusinessEvent => ({
  source: "shop",
  id: uniqueName(type),
  type,
  data: { amount: 900 },
});

const fiveTimes = async (key: string, word: object) =>
  await Promise.all(Array.from({ length: 5 }, async () => await handleOf(key).signal("approve", word)));

async function soleRequest(key: string) {
  const { deliveries } = await inState(stage, key, { state: "delivered" });
  await until("the run has ended", async () => (await handleOf(key).describe()).status.name === "COMPLETED");
  await exactState(stage, key);
  expect(requestsOf(stage, key)).toHaveLength(1);
  return deliveries[0]?.decisions ?? [];
}

describe("in the Temporal UI", () => {
  test("the details of the run hold the whole proposal, and the signal they quote approves it", async () => {
    const evidence = [{ title: "ticket 7", url: "https://tickets.example/7", text: "a refund\nwas asked for" }];
    const data = { amount: 900, note: "``` and `ticks`", long: "x".repeat(20_000) };
    const { key, proposal } = await proposed(stage, "refund", { data, evidence, requestedBy: "carl@example.com" });
    const details = await detailsOf(key);
    for (const part of [
      proposal.digest,
      "revision 1",
      "1 of `group:finance`",
      "never the requester",
      "`carl@example.com`",
      `\`POST\` \`${stage.destination.url}/payments\``,
      "`x-mark`",
      "`application/json`",
      `${proposal.action.bodyBytes} bytes`,
      proposal.expiresAt,
      "`ticket 7` `https://tickets.example/7` `a refund was asked for`",
      `\n${JSON.stringify(data)}\n`,
    ])
      expect(details).toContain(part);
    await handleOf(key).signal("approve", pasted(details, ANA));
    expect(await soleRequest(key)).toMatchObject([{ actor: ANA, counted: true }]);
  });

  test("the summaries of the history tell the story of an approval", async () => {
    const { key, proposal } = await proposed(stage, "refund");
    await handleOf(key).signal("approve", { actor: "eve\nben@example.com", digest: proposal.digest });
    await until("the stranger's word is on record", async () => {
      return (await stage.far.get(key)).deliveries[0]?.decisions.length === 1;
    });
    await handleOf(key).signal("approve", { actor: ANA, digest: proposal.digest });
    await soleRequest(key);
    const signal = JSON.stringify({ actor: "you@example.com", digest: proposal.digest });
    expect(await summariesOf(key)).toEqual([
      "refund to payments",
      "prepare the request to payments",
      "tell ops-chat: payments waits for approval",
      expect.stringMatching(/^payments: waits for approval, revision 1; signal approve with /u),
      "payments: reminder 1, if nobody has decided by then",
      String.raw`payments: does it count? approve by "eve\nben@example.com"`,
      `payments: does it count? approve by "${ANA}"`,
      "attempt 1 to payments",
      "tell ops-chat: payments is approved",
    ]);
    expect((await summariesOf(key))[3]).toContain(signal);
  });

  test("a signal that quotes the clock in the history approves, said by the Temporal CLI while no worker runs", async () => {
    const { key } = await proposed(stage, "refund");
    await stage.stopWorker();
    const { events } = await handleOf(key).fetchHistory();
    const clocks = (events ?? []).filter(
      ({ timerStartedEventAttributes }) => (timerStartedEventAttributes ?? null) !== null,
    );
    const [expiry = ""] = clocks.map(({ userMetadata }) => Buffer.from(userMetadata?.summary?.data ?? []).toString());
    const word = pasted(JSON.parse(expiry) as string, ANA); // summaries are texts
    const binary = await findBinary(TEMPORAL_CLI, { environment: process.env });
    const args = ["workflow", "signal", "--workflow-id", key, "--name", "approve", "--input", JSON.stringify(word)];
    await promisify(execFile)(binary, args, { env: temporalEnvironment() });
    expect(await stage.far.get(key)).toMatchObject({ state: "awaiting-approval" });
    await stage.startWorker();
    expect(await soleRequest(key)).toMatchObject([{ action: "approve", actor: ANA, counted: true }]);
  });
});

describe("an approval by signal", () => {
  test("counts when it comes with the start, before anybody was asked", async () => {
    const event = anEvent("refund");
    const [key, digest] = [`shop/${event.id}`, digestOf(event, "payments")];
    const { taskQueue } = stage.config.temporal;
    const signal = { signal: "approve", signalArgs: [{ actor: ANA, digest }] };
    await stage.temporal.workflow.signalWithStart("event", { workflowId: key, taskQueue, args: [event], ...signal });
    expect(await soleRequest(key)).toMatchObject([{ actor: ANA, digest, revision: 1, counted: true }]);
  });

  test("does not count when it guesses, and people are asked all the same", async () => {
    const event = anEvent("refund");
    const key = `shop/${event.id}`;
    const { taskQueue } = stage.config.temporal;
    const guess = { actor: ANA, digest: digestOf({ ...event, data: { amount: 90 } }, "payments") };
    const signal = { signal: "approve", signalArgs: [guess] };
    await stage.temporal.workflow.signalWithStart("event", { workflowId: key, taskQueue, args: [event], ...signal });
    expect(await inState(stage, key, { state: "awaiting-approval" })).toMatchObject({
      deliveries: [{ decisions: [{ counted: false, refusedBecause: "wrong-digest" }] }],
    });
    await exactState(stage, key);
    expect(requestsOf(stage, key)).toEqual([]);
  });

  test("said five times before a worker comes leads to one request", async () => {
    await stage.stopWorker();
    const event = anEvent("refund");
    const { key } = await stage.far.submit(event);
    await fiveTimes(key, { actor: BEN, digest: digestOf(event, "payments") });
    await stage.startWorker();
    const decisions = await soleRequest(key);
    expect(decisions).toHaveLength(5);
    expect(decisions.filter(({ counted }) => counted)).toHaveLength(1);
  });

  test("said five times by two people while it waits leads to one request", async () => {
    const { key, proposal } = await proposed(stage, "refund");
    await Promise.all([ANA, BEN].map(async (actor) => await fiveTimes(key, { actor, digest: proposal.digest })));
    const decisions = await soleRequest(key);
    expect(decisions.filter(({ counted }) => counted)).toHaveLength(1);
  });

  test("said again and again while the request is on its way leads to no second one", async () => {
    const { key, proposal } = await proposed(stage, "wait");
    const { digest } = proposal;
    await handleOf(key).signal("approve", { actor: ANA, digest });
    await until("the request is on its way", () => requestsOf(stage, key).length === 1);
    await fiveTimes(key, { actor: BEN, digest });
    await until("all of it is on record", async () => {
      return (await stage.far.get(key)).deliveries[0]?.decisions.length === 6;
    });
    slow.release();
    expect(await soleRequest(key)).toMatchObject([
      { actor: ANA, counted: true },
      ...Array.from({ length: 5 }, () => ({ actor: BEN, counted: false, refusedBecause: "already-decided" })),
    ]);
  });
});

describe("a signal pasted with junk", () => {
  test("is recorded, does not count, and breaks nothing", async () => {
    const { key, proposal } = await proposed(stage, "refund");
    const { digest } = proposal;
    const junk: readonly (readonly [words: string, args: readonly unknown[], refusedBecause: string])[] = [
      ["nothing at all", [], "no-digest"],
      ["null", [null], "no-digest"],
      ["a text", [`approve ${digest}`], "no-digest"],
      ["a number", [7], "no-digest"],
      ["bytes", [new Uint8Array([0, 255, 1])], "no-digest"],
      ["an array", [[{ actor: ANA, digest }]], "no-digest"],
      ["an object too far", [{ input: { actor: ANA, digest } }], "no-digest"],
      ["its words beside it", ["approve", { actor: ANA, digest }], "no-digest"],
      ["members that are no text", [{ actor: [ANA], digest: { sha256: digest } }], "no-digest"],
      [
        "members of its prototype",
        [JSON.parse(`{"__proto__":${JSON.stringify({ actor: ANA, digest })}}`)],
        "no-digest",
      ],
      ["nobody's name", [{ digest }], "unknown-person"],
      ["the name of everybody's member", [{ actor: "__proto__", digest }], "unknown-person"],
      ["a name that looks like one", [{ actor: ANA.replaceAll("a", "а"), digest }], "unknown-person"],
      ["a name that is no UTF-8", [{ actor: "ana@example.com\ud800", digest }], "unknown-person"],
      ["a name without end", [{ actor: "漢".repeat(5000), digest }], "unknown-person"],
      ["a digest without end", [{ actor: ANA, digest: digest.repeat(5000) }], "wrong-digest"],
      ["a note of 1 MiB", [{ actor: "eve", digest, note: "n".repeat(1024 * 1024) }], "unknown-person"],
      ["a delivery there is not", [{ actor: ANA, digest, delivery: "__proto__" }], "nothing-waits"],
      ["a signature that is none", [{ actor: ANA, digest, signature: "x".repeat(5000) }], "bad-signature"],
    ];
    for (const [, args] of junk) await handleOf(key).signal("approve", ...args);
    const { deliveries } = await until("all of it is on record", async () => {
      const report = await stage.far.get(key);
      return report.deliveries[0]?.decisions.length === junk.length && report;
    });
    const decisions = deliveries[0]?.decisions ?? [];
    expect(decisions.filter(({ counted }) => counted)).toEqual([]);
    // What is plain at sight is answered before what a worker must look up.
    const reasons = decisions.map(({ refusedBecause }) => `${refusedBecause}`);
    expect(reasons.toSorted()).toEqual(junk.map(([, , refusedBecause]) => refusedBecause).toSorted());
    expect(await exactState(stage, key)).toMatchObject({ state: "awaiting-approval" });
    expect(requestsOf(stage, key)).toEqual([]);
    expect((await stage.near().approve(key, { actor: ANA, digest })).counted).toBe(true);
    expect((await soleRequest(key)).filter(({ counted }) => counted)).toHaveLength(1);
  });
});
