/** Bodies as large as they may be: shown whole where people decide, delivered byte for byte, and no run outgrows what the server takes. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { EventState } from "../../src/delivery/event-state.ts";
import { openStage, type Stage } from "../support/stage.ts";
import { uniqueName } from "../support/temporal.ts";
import { until } from "../support/until.ts";
import { inState, proposalOf, proposed, requestsOf } from "../support/waiting-events.ts";

const KIB = 1024;
const ANA = "ana@example.com";

let stage: Stage;

beforeAll(async () => {
  stage = await openStage({
    endpoints: { archive: { maxBodyBytes: "1MiB" }, flaky: { maxBodyBytes: "1MiB" } },
    scripts: { flaky: [{ status: 503 }, {}] },
    routes: ["archive", "flaky"].map((name) => ({
      match: { type: `ask-${name}` },
      to: [name],
      approval: { approvers: [ANA] },
    })),
    rest: { people: { [ANA]: {} } },
  });
});

afterAll(async () => await stage.close());

const handleOf = (key: string) => stage.temporal.workflow.getHandle(key);

/** No text in any encoding: every byte there is, again and again. */
const someBytes = (length: number, first = 0): Buffer =>
  Buffer.from(Uint8Array.from({ length }, (_, index) => (first + index) % 256));

async function approve(key: string, digest: string): Promise<void> {
  expect(await stage.far.approve(key, { actor: ANA, digest })).toMatchObject({ counted: true });
  await inState(stage, key, { state: "delivered" });
}

/** What the run itself says at its end. */
async function resultOf(key: string): Promise<{ readonly state: EventState; readonly bytes: number }> {
  const state = (await handleOf(key).result()) as EventState; // the contract of the workflow
  return { state, bytes: Buffer.byteLength(JSON.stringify(state)) };
}

const bodiesOf = (key: string) => requestsOf(stage, key).map(({ body }) => body);

describe("a body of 900 KiB", () => {
  test("of JSON waits, is shown whole, and is delivered byte for byte", async () => {
    const data = { amount: 900, text: `"größe" \\ ${"x".repeat(900 * KIB)}` };
    const { key, proposal } = await proposed(stage, "ask-archive", { data });
    expect(proposal.action.bodyBytes).toBeGreaterThan(900 * KIB);
    expect("body" in proposal.action && proposal.action.body === JSON.stringify(data)).toBe(true);
    expect(bodiesOf(key)).toEqual([]);
    await approve(key, proposal.digest);
    expect(bodiesOf(key).map((body) => body.toString() === JSON.stringify(data))).toEqual([true]);
  });

  test("of bytes waits, is shown whole, and is delivered byte for byte, retries included", async () => {
    const bytes = someBytes(900 * KIB);
    const body = { data: undefined, data_base64: bytes.toString("base64"), datacontenttype: "application/pdf" };
    const { key, proposal } = await proposed(stage, "ask-flaky", body);
    const { action } = proposal;
    expect([action.bodyBytes, action.contentType]).toEqual([bytes.length, "application/pdf"]);
    expect("body_base64" in action && Buffer.from(action.body_base64, "base64").equals(bytes)).toBe(true);
    await approve(key, proposal.digest);
    expect(bodiesOf(key).map((sent) => sent.equals(bytes))).toEqual([true, true]);
    expect((await stage.far.get(key)).deliveries[0]?.attemptCount).toBe(2);
  });

  test("is left out where the run itself speaks, and said to be", async () => {
    const { key, proposal } = await proposed(stage, "ask-archive", { data: "x".repeat(900 * KIB) });
    const asked = await handleOf(key).query<EventState>("state");
    expect(asked.deliveries[0]?.proposal).toMatchObject({ digest: proposal.digest, action: { bodyOmitted: true } });
    const metadata = await handleOf(key).query<{ readonly currentDetails: string }>("__temporal_workflow_metadata");
    expect(metadata.currentDetails).toContain(proposal.digest);
    expect(metadata.currentDetails).toContain("too large for this place: `countersign show` has it whole");
    await approve(key, proposal.digest);
    const { state, bytes } = await resultOf(key);
    expect(state.deliveries[0]?.proposal?.action).toEqual({
      ...proposal.action,
      body: undefined,
      bodyOmitted: true,
    });
    expect(bytes).toBeLessThan(4 * KIB);
  });
});

describe("a body that the run still shows", () => {
  test("stays within what the server takes, however many bytes its characters have", async () => {
    // Three bytes each, as many as an endpoint may take.
    const data = "漢".repeat(Math.floor((1024 * KIB - 2) / 3));
    const { key, proposal } = await proposed(stage, "ask-archive", { data });
    const asked = await handleOf(key).query<EventState>("state");
    const shown = asked.deliveries[0]?.proposal?.action ?? {};
    expect("body" in shown && shown.body === JSON.stringify(data)).toBe(true);
    await approve(key, proposal.digest);
    expect((await resultOf(key)).bytes).toBeGreaterThan(1000 * KIB);
    expect(bodiesOf(key).map((body) => body.toString() === JSON.stringify(data))).toEqual([true]);
  });
});

describe("a history of several MiB", () => {
  test("is read all the same: notes of any length do not hide what waits", async () => {
    const { key, proposal } = await proposed(stage, "ask-archive");
    const note = "n".repeat(1024 * KIB);
    for (const actor of ["eve", "eva", "evi", "evo", "evu"])
      await handleOf(key).signal("reject", { actor, digest: proposal.digest, note });
    const { deliveries } = await until("all of it is on record", async () => {
      const report = await stage.far.get(key);
      return report.deliveries[0]?.decisions.length === 5 && report;
    });
    expect(deliveries[0]?.decisions.map(({ refusedBecause, note: kept }) => [refusedBecause, kept.length])).toEqual(
      Array.from({ length: 5 }, () => ["unknown-person", 200]),
    );
    await approve(key, proposal.digest);
    expect((await resultOf(key)).bytes).toBeLessThan(8 * KIB);
  });
});

describe("an amendment", () => {
  const amended = async (key: string, content: object) => {
    const verdict = await stage.far.amend(key, { actor: "ops", reason: "the file was wrong", ...content });
    expect(verdict).toMatchObject({ counted: true });
  };

  test("of 300 KiB is shown whole, approved, and sent in the place of the body", async () => {
    const { key } = await proposed(stage, "ask-archive");
    const data = { text: "y".repeat(300 * KIB) };
    await amended(key, { data });
    const proposal = proposalOf(await inState(stage, key, { state: "awaiting-approval", revision: 2 }));
    expect("body" in proposal.action && proposal.action.body === JSON.stringify(data)).toBe(true);
    await approve(key, proposal.digest);
    expect(bodiesOf(key).map((body) => body.toString() === JSON.stringify(data))).toEqual([true]);
    expect((await resultOf(key)).bytes).toBeGreaterThan(300 * KIB);
  });

  test("of 900 KiB, twice, of a body as large, is the last one's bytes, and the run can end", async () => {
    const event = { source: "shop", id: uniqueName("large"), type: "ask-flaky", datacontenttype: "image/png" };
    const { key } = await stage.far.submit({ ...event, data_base64: someBytes(900 * KIB).toString("base64") });
    await inState(stage, key, { state: "awaiting-approval" });
    for (const first of [1, 2]) await amended(key, { data_base64: someBytes(900 * KIB, first).toString("base64") });
    const proposal = proposalOf(await inState(stage, key, { state: "awaiting-approval", revision: 3 }));
    expect("body_base64" in proposal.action).toBe(true);
    await approve(key, proposal.digest);
    expect(bodiesOf(key).map((body) => body.equals(someBytes(900 * KIB, 2)))).toEqual([true, true]);
    const { state, bytes } = await resultOf(key);
    expect(state.deliveries[0]?.proposal?.action).toMatchObject({ bodyOmitted: true, bodyBytes: 900 * KIB });
    expect(bytes).toBeLessThan(8 * KIB);
  });

  test("of more than the endpoint takes parks the delivery, and nothing is sent", async () => {
    const { key } = await proposed(stage, "ask-archive");
    await amended(key, { data_base64: someBytes(1024 * KIB + 1).toString("base64") });
    const { deliveries } = await inState(stage, key, { state: "needs-attention" });
    expect(deliveries[0]?.attention).toMatchObject({ reason: "misconfigured" });
    await stage.far.discard(key, { actor: "ops", reason: "too large" });
    expect((await resultOf(key)).state.state).toBe("discarded");
    expect(bodiesOf(key)).toEqual([]);
  });
});
