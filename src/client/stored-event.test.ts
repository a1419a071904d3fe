import { defaultPayloadConverter, type Payload, type PayloadCodec } from "@temporalio/common";
import { describe, expect, test } from "vitest";
import type { Session } from "./session.ts";
import { storedEvent } from "./stored-event.ts";

const RUN = { workflowId: "shop/evt_1", runId: "run-1" };

/** As much of a session as reading an input needs. */
function aSession(input: Payload, payloadCodecs: readonly PayloadCodec[] = []): Session {
  const started = { input: { payloads: [input] } };
  const history = { events: [{ workflowExecutionStartedEventAttributes: started }] };
  const withDeadline = async <Result>(_deadlineMs: number, call: () => Promise<Result>) => await call();
  const workflowService = { getWorkflowExecutionHistory: () => Promise.resolve({ history }) };
  const options = { namespace: "default", loadedDataConverter: { payloadCodecs } };
  return { client: { options, withDeadline, workflowService } } as unknown as Session;
}

describe("storedEvent", () => {
  const event = { source: "shop", id: "evt_1", type: "order.created", data: { total: 1 } };

  test("is the event as its producer sent it", async () => {
    expect(await storedEvent(aSession(defaultPayloadConverter.toPayload(event)), RUN)).toEqual(event);
  });

  const refusing: PayloadCodec = {
    encode: (payloads) => Promise.resolve(payloads),
    decode: () => Promise.reject(new TypeError("The seal is broken")),
  };

  test.each<[string, Session]>([
    ["bytes", aSession(defaultPayloadConverter.toPayload(Uint8Array.of(1)))],
    ["what a codec refuses", aSession(defaultPayloadConverter.toPayload(event), [refusing])],
  ])("is a bad event when the input is %s", async (_what, session) => {
    await expect(storedEvent(session, RUN)).rejects.toMatchObject({
      code: "bad_event",
      message: expect.stringContaining('The first argument of run "shop/evt_1"'),
    });
  });
});
