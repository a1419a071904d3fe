/** Two tenants on one Temporal server: a namespace, a configuration and a server each, and nothing shared. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { connect, type ConnectedCountersign } from "../../src/client/connect.ts";
import { aConfig } from "../support/a-config.ts";
import { aKey, type AKey, anApp, type AnApp, read } from "../support/an-app.ts";
import { connectTestClient, temporalAddress, uniqueName } from "../support/temporal.ts";
import { until } from "../support/until.ts";

interface Tenant extends AnApp {
  readonly client: ConnectedCountersign;
  readonly sends: AKey;
  readonly reads: AKey;
}

const tenants: Tenant[] = [];

async function aTenant(namespace: string): Promise<Tenant> {
  const [sends, reads] = [aKey({ role: "ingest", sources: ["shop"] }), aKey({ role: "viewer" })];
  const rest = { temporal: { namespace, taskQueue: "countersign" }, keys: [sends.entry, reads.entry] };
  const config = aConfig({ baseUrl: "https://crm.example", endpoints: { crm: {} }, rest });
  const client = await connect({ config, address: temporalAddress(), environment: {} });
  // A new namespace is known to all parts of the server after a while.
  await until(`${namespace} is there`, async () =>
    client.count().then(
      () => true,
      () => false,
    ),
  );
  return { ...anApp({ countersign: client, config }), client, sends, reads };
}

beforeAll(async () => {
  const { client, close } = await connectTestClient();
  const [one, other] = [uniqueName("tenant"), uniqueName("tenant")];
  for (const namespace of [one, other]) {
    const workflowExecutionRetentionPeriod = { seconds: 86_400 as never }; // a plain number is written as one
    await client.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod });
  }
  await close();
  for (const namespace of [one, other]) tenants.push(await aTenant(namespace));
});

afterAll(async () => {
  await Promise.all(tenants.map(async ({ client }) => await client.close()));
});

test("share no event, no key and no list, whatever names they use", async () => {
  const [one, other] = tenants;
  if (one === undefined || other === undefined) throw new Error("There are two");
  const send = async ({ app }: Tenant, { bearer }: AKey, total: number) => {
    const body = JSON.stringify({ source: "shop", id: "evt_1", type: "crm", data: { total } });
    const headers = { authorization: bearer, "content-type": "application/json" };
    return (await read(app.request("/v1/events", { method: "POST", body, headers }))).status;
  };
  expect(await send(one, one.sends, 1)).toBe(202);
  expect(await send(other, other.sends, 2)).toBe(202);
  expect(await send(one, one.sends, 1)).toBe(200);
  expect(await send(one, other.sends, 1)).toBe(401);
  for (const { app, reads, client } of tenants) {
    const list = async () => await read(app.request("/v1/events", { headers: { authorization: reads.bearer } }));
    await until("its list holds its event, and no other", async () => {
      const { items } = (await list()).body as { readonly items: readonly unknown[] }; // of a list that was answered
      return items.length === 1;
    });
    expect(await client.event("shop/evt_1")).toMatchObject({ data: { total: client === one.client ? 1 : 2 } });
  }
  // A conflict of one is nothing to the other: neither on record nor in its counters.
  expect(await send(one, one.sends, 3)).toBe(409);
  await until("the conflict is on record", async () => (await one.client.get("shop/evt_1")).conflicts.length === 1);
  expect((await other.client.get("shop/evt_1")).conflicts).toEqual([]);
  const counted = async ({ app }: Tenant) =>
    /result="conflict"\} [1-9]/u.test(await (await app.request("/metrics")).text());
  expect([await counted(one), await counted(other)]).toEqual([true, false]);
  // Nor is a key that keeps failing: only who fails is slowed.
  for (let nth = 0; nth < 5; nth += 1) expect(await send(one, other.sends, 1)).toBe(401);
  expect([one.context.slowDown.size(), other.context.slowDown.size()]).toEqual([1, 0]);
  expect(await send(other, other.sends, 2)).toBe(200);
});
