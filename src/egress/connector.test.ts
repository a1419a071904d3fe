import { Socket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { answerWith, eventually } from "../../test/support/loopback-server.ts";
import { aServer } from "../../test/support/outgoing-request.ts";
import type { Permits } from "./address-rule.ts";
import { createConnector, pinnedLookup, sharingLookups } from "./connector.ts";
import type { Resolve } from "./connector.ts";

const toLoopback: Resolve = async () => [{ address: "127.0.0.1", family: 4 }];

function connectTo(port: number, permits: Permits): Promise<Error | Socket> {
  const connect = createConnector({ connectMs: 2_000, permits, resolve: toLoopback });
  return new Promise((resolve) => {
    connect(
      { hostname: "receiver.example", host: `receiver.example:${port}`, protocol: "http:", port: String(port) },
      (...[error, socket]) => {
        resolve(error ?? socket);
      },
    );
  });
}

describe("createConnector", () => {
  test("judges the connected peer once more, and drops it when it may not be reached", async () => {
    const server = await aServer(answerWith(200));
    const judged: string[] = [];
    const onlyTheFirstTime: Permits = (address) => judged.push(address) === 1;
    expect(await connectTo(server.port, onlyTheFirstTime)).toMatchObject({ code: "COUNTERSIGN_BLOCKED_ADDRESS" });
    expect(judged).toEqual(["127.0.0.1", "127.0.0.1"]);
    await eventually(() => server.openCount() === 0);
  });

  test("hands on a connection to a permitted peer", async () => {
    const server = await aServer(answerWith(200));
    const socket = await connectTo(server.port, () => true);
    expect(socket).toBeInstanceOf(Socket);
    if (socket instanceof Socket) onTestFinished(() => void socket.destroy());
  });
});

describe("pinnedLookup", () => {
  const lookUp = (resolve: Resolve, all: boolean) =>
    new Promise<readonly unknown[]>((done) =>
      pinnedLookup({ permits: () => true, resolve })("receiver.example", { all }, (...given) => done(given)),
    );

  test("answers in both forms Node asks for", async () => {
    expect(await lookUp(toLoopback, true)).toEqual([null, [{ address: "127.0.0.1", family: 4 }]]);
    expect(await lookUp(toLoopback, false)).toEqual([null, "127.0.0.1", 4]);
  });

  test("turns whatever a resolver throws into an error", async () => {
    const [error] = await lookUp(() => Promise.reject("no error at all"), true);
    expect(error).toMatchObject({ code: "EAI_FAIL" });
  });
});

test("sharingLookups asks again once an answer has come", async () => {
  let asked = 0;
  const resolve = sharingLookups(async () => {
    asked += 1;
    if (asked === 1) throw new Error("not now");
    return [];
  });
  const first = await Promise.allSettled([resolve("a.example"), resolve("a.example")]);
  expect(first.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect([await resolve("a.example"), asked]).toEqual([[], 2]);
});
