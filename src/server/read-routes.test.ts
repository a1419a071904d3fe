/** What a path can name, before anybody is asked. No Temporal: the facade notes what it was asked for. */
import { expect, test } from "vitest";
import { aConfig } from "../../test/support/a-config.ts";
import { aKey, anApp } from "../../test/support/an-app.ts";
import type { Countersign } from "../client/countersign.ts";
import type { EventReport } from "../client/get-event.ts";
import { aReport } from "../../test/support/an-event.ts";

const KEYS = { viewer: aKey({ role: "viewer" }), operator: aKey({ role: "operator", person: "ana" }) };
const config = aConfig({
  baseUrl: "https://crm.example",
  endpoints: { crm: {} },
  rest: { people: { ana: {} }, keys: Object.values(KEYS).map(({ entry }) => entry) },
});

const asked: string[] = [];
const get = async (key: string): Promise<EventReport> => (asked.push(key), await Promise.resolve(aReport({ key })));
const replay = async (key: string) => (
  asked.push(key),
  await Promise.resolve({ counted: true, refusedBecause: null, at: "2026-01-01T00:00:00Z" })
);
// What the two routes ask of it.
const { app } = anApp({ countersign: { get, replay } as Partial<Countersign> as Countersign, config });

async function ask(path: string): Promise<readonly number[]> {
  asked.length = 0;
  const looked = await app.request(path, { headers: { authorization: KEYS.viewer.bearer } });
  const headers = { authorization: KEYS.operator.bearer, "content-type": "application/json" };
  const said = await app.request(`${path}/replay`, { method: "POST", headers, body: '{"reason":"r"}' });
  return [looked.status, said.status];
}

test.each([
  ["shop/evt_1", "shop/evt_1"],
  ["shop/a%2Fb%20%25+", "shop/a/b %+"],
  ["shop/%252F", "shop/%2F"],
  ["shop/..%2Fx", "shop/../x"],
  ["%73hop/%F0%9F%99%84", "shop/🙄"],
])("%s names the event %s", async (path, key) => {
  expect(await ask(`/v1/events/${path}`)).toEqual([200, 200]);
  expect(asked).toEqual([key, key]);
});

test.each([
  ["NUL, at which a query of the server fails", "shop/a%00"],
  ["a line break", "shop/a%0Ab"],
  ["an id beyond its length", `shop/${"a".repeat(161)}`],
  ["a space at the end", "shop/a%20"],
  ["a source with a slash", "shop%2Fa/b"],
  ["a source that is no name", "Shop/a"],
  ["a record of a conflict", "conflict:shop/evt_1:0123456789abcdef"],
])("%s is 404, and nobody is asked", async (_what, path) => {
  expect(await ask(`/v1/events/${path}`)).toEqual([404, 404]);
  expect(asked).toEqual([]);
});
