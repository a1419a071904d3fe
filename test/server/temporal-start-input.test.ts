import type { Client, Connection } from "@temporalio/client";
import { Client as TemporalClient } from "@temporalio/client";
import type { Payload, PayloadCodec } from "@temporalio/common";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Connected } from "../../src/temporal/connect.ts";
import { readStartInput } from "../../src/temporal/start-input.ts";
import { connectTestClient, uniqueName } from "../support/temporal.ts";

let connected: Connected<Connection>;

beforeAll(async () => {
  connected = await connectTestClient();
});

afterAll(() => connected.close());

/** Starts a run nobody works on, with these exact payloads, as any SDK of another language could. */
async function startRaw(payloads: Payload[]): Promise<string> {
  const workflowId = uniqueName("raw");
  await connected.client.workflowService.startWorkflowExecution({
    namespace: "default",
    workflowId,
    workflowType: { name: "event" },
    taskQueue: { name: "nobody" },
    input: { payloads },
    requestId: workflowId,
    identity: "producer",
  });
  return workflowId;
}

function jsonPayload(text: string | Buffer): Payload {
  return { metadata: { encoding: Buffer.from("json/plain") }, data: Buffer.from(text) };
}

/** Reverses the bytes; two of them with a mark show the order in which they are undone. */
function markingCodec(mark: string): PayloadCodec {
  return {
    encode: (payloads) =>
      Promise.resolve(
        payloads.map((payload) => ({
          ...payload,
          data: Buffer.concat([Buffer.from(mark), payload.data ?? Buffer.alloc(0)]),
        })),
      ),
    decode: (payloads) =>
      Promise.resolve(
        payloads.map((payload) => {
          const data = Buffer.from(payload.data ?? []);
          if (!data.toString().startsWith(mark)) throw new Error(`not marked ${mark}`);
          return { ...payload, data: data.subarray(mark.length) };
        }),
      ),
  };
}

describe("the input of a run", () => {
  test.each([
    ["big numbers", '{"id":1152921506151679042,"amount":1.10}'],
    ["repeated members and white space", '{ "a": 1,\n "a": 2 }'],
    ["a byte order mark and text beyond ASCII", '\uFEFF{"city":"Łódź"}'],
  ])("keeps %s as the producer sent them", async (_what, text) => {
    const workflowId = await startRaw([jsonPayload(text)]);
    const input = await readStartInput(connected.client, { workflowId });
    expect(input).toMatchObject({
      text,
      argumentCount: 1,
      workflowType: "event",
      taskQueue: "nobody",
      identity: "producer",
    });
    expect(input?.startedAt.getTime()).toBeGreaterThan(Date.parse("2024-01-01"));
  });

  test.each([
    ["is missing", []],
    ["is bytes", [{ metadata: { encoding: Buffer.from("binary/plain") }, data: Buffer.from("{}") }]],
    ["carries no encoding", [{ data: Buffer.from("{}") }]],
    ["is not UTF-8", [jsonPayload(Buffer.from([0x22, 0xff, 0x22]))]],
  ] satisfies readonly (readonly [string, Payload[]])[])("has no text when it %s", async (_what, payloads) => {
    const workflowId = await startRaw([...payloads]);
    expect(await readStartInput(connected.client, { workflowId })).toMatchObject({
      text: null,
      argumentCount: payloads.length,
    });
  });

  test("is read through the client's payload codecs", async () => {
    const codecs = [markingCodec("<first>"), markingCodec("<second>")];
    const client: Client = new TemporalClient({
      connection: connected.connection,
      dataConverter: { payloadCodecs: codecs },
    });
    const workflowId = uniqueName("coded");
    await client.workflow.start("event", { workflowId, taskQueue: "nobody", args: [{ total: 42 }] });
    expect((await readStartInput(client, { workflowId }))?.text).toBe('{"total":42}');
  });

  test("is that of the run asked for", async () => {
    const workflowId = await startRaw([jsonPayload('"one"')]);
    const { runId } = await connected.client.workflow.getHandle(workflowId).describe();
    await connected.client.workflow.getHandle(workflowId).terminate("next");
    await connected.client.workflow.start("event", { workflowId, taskQueue: "nobody", args: ["two"] });
    expect((await readStartInput(connected.client, { workflowId, runId }))?.text).toBe('"one"');
    expect((await readStartInput(connected.client, { workflowId }))?.text).toBe('"two"');
  });

  test("of a run that does not exist is nothing", async () => {
    expect(await readStartInput(connected.client, { workflowId: uniqueName("nowhere") })).toBeNull();
  });
});
