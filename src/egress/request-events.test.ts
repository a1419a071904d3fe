import { channel, subscribe, unsubscribe } from "node:diagnostics_channel";
import { describe, expect, onTestFinished, test } from "vitest";
import { answerWith } from "../../test/support/loopback-server.ts";
import { aRequest, aSend, aServer } from "../../test/support/outgoing-request.ts";
import { mayHaveLeft, newTrace, watchRequests } from "./request-events.ts";

const sendHeaders = channel("undici:client:sendHeaders");
const bodySent = channel("undici:request:bodySent");

function watched() {
  const events = watchRequests();
  onTestFinished(events.stop);
  return events;
}

describe("watchRequests", () => {
  test("ties what is announced to the request that has just begun, and to it alone", () => {
    const events = watched();
    const [first, second] = [newTrace(), newTrace()];
    const [mine, others] = [{}, {}];
    sendHeaders.publish({ request: others });
    events.begin(first);
    sendHeaders.publish({ request: mine });
    sendHeaders.publish({ request: others });
    events.begin(second);
    bodySent.publish({ request: others });
    expect([first, second]).toMatchObject([
      { started: true, headersSent: true, bodySent: false },
      { started: true, headersSent: false, bodySent: false },
    ]);
    bodySent.publish({ request: mine });
    expect([first.bodySent, second.bodySent]).toEqual([true, false]);
  });

  test("hears nothing once stopped", () => {
    const events = watchRequests();
    const trace = newTrace();
    events.begin(trace);
    events.stop();
    sendHeaders.publish({ request: {} });
    expect(trace.headersSent).toBe(false);
  });

  test("survives messages of another shape", () => {
    const events = watched();
    const trace = newTrace();
    events.begin(trace);
    for (const message of [null, 7, {}, { request: null }, { request: 7 }]) sendHeaders.publish(message);
    expect(trace.headersSent).toBe(false);
  });
});

test("a request that began but was never announced may have left", () => {
  expect(mayHaveLeft(newTrace())).toBe(false);
  expect(mayHaveLeft({ ...newTrace(), started: true })).toBe(true);
  expect(mayHaveLeft({ ...newTrace(), headersSent: true })).toBe(true);
});

test("the installed undici announces headers, body and status of a request, in this order and once", async () => {
  const seen: string[] = [];
  const names = [
    "undici:client:connectError",
    "undici:client:sendHeaders",
    "undici:request:bodySent",
    "undici:request:headers",
  ];
  for (const name of names) {
    const listener = () => void seen.push(name);
    subscribe(name, listener);
    onTestFinished(() => void unsubscribe(name, listener));
  }
  const server = await aServer(answerWith(200));
  const send = aSend();
  await send(aRequest(server.url));
  expect(seen.splice(0)).toEqual(names.slice(1));
  await server.close();
  await send(aRequest(server.url, { freshConnection: true }));
  expect(seen).toEqual(names.slice(0, 1));
});
