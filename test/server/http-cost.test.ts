/** What the way from a request to 202 asks of Temporal: one call. */
import { Client, Connection } from "@temporalio/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createCountersign } from "../../src/client/countersign.ts";
import { aConfig } from "../support/a-config.ts";
import { aKey, anApp, read } from "../support/an-app.ts";
import { temporalAddress, uniqueName } from "../support/temporal.ts";

const KEY = aKey({ role: "ingest", sources: ["shop"] });
const config = aConfig({ baseUrl: "https://crm.example", endpoints: { crm: {} }, rest: { keys: [KEY.entry] } });

/** Names of the calls that were made, in order. */
const calls: string[] = [];
let connection: Connection;

beforeAll(async () => {
  connection = await Connection.connect({
    address: temporalAddress(),
    interceptors: [
      (options, next) => {
        calls.push(options.method_definition.path.split("/").at(-1) ?? "");
        return next(options) as never; // handed on as it is; its class is not ours to name
      },
    ],
  });
});

afterAll(async () => await connection.close());

test("an event is one call to Temporal, a duplicate two, a refused one none", async () => {
  const countersign = createCountersign({ client: new Client({ connection }), config, eager: false });
  const { app } = anApp({ countersign, config });
  // As `serve` does before it listens.
  await countersign.count();
  const headers = { authorization: KEY.bearer, "content-type": "application/json" };
  const send = async (event: object): Promise<readonly [number, readonly string[]]> => {
    calls.length = 0;
    const { status } = await read(app.request("/v1/events", { method: "POST", body: JSON.stringify(event), headers }));
    return [status, [...calls]];
  };
  const event = { source: "shop", id: uniqueName("cost"), type: "crm", data: { total: 42 } };
  expect(await send(event)).toEqual([202, ["StartWorkflowExecution"]]);
  expect(await send(event)).toEqual([200, ["StartWorkflowExecution", "DescribeWorkflowExecution"]]);
  expect(await send({ ...event, type: "nobody" })).toEqual([422, []]);
});
