/** API keys as the configuration takes them, and what it refuses. */
import { describe, expect, test } from "vitest";
import { CountersignError } from "../errors.ts";
import type { keySchema } from "./access-schema.ts";
import type { ApiKey } from "./config.ts";
import { parseConfig } from "./parse-config.ts";
import { withoutSecrets } from "./problem.ts";
import type { RawKey } from "./raw-config.ts";

/** True only while the published type and the schema have the same keys; checked by the compiler. */
const sameKeys: [keyof RawKey, keyof (typeof keySchema)["shape"]] extends [
  keyof (typeof keySchema)["shape"],
  keyof RawKey,
]
  ? true
  : false = true;

const HASH = `sha256:${"0a".repeat(32)}`;
const OTHER_HASH = `sha256:${"0b".repeat(32)}`;
const SOURCES = {
  shop: { aliases: ["https://shop.example/orders"] },
  billing: {},
  stripe: { verify: { scheme: "stripe", secrets: [{ env: "STRIPE_WEBHOOK_SECRET" }] } },
};
const PEOPLE = { "ana@example.com": {} };
const INGEST = { id: "a1", role: "ingest", hash: HASH } as const;
const VIEWER = { id: "b2", role: "viewer", hash: OTHER_HASH } as const;

const parse = (keys: unknown): readonly ApiKey[] =>
  parseConfig({ sources: SOURCES, people: PEOPLE, keys }, { path: null }).keys;

function refusal(keys: unknown): string {
  try {
    parse(keys);
  } catch (error) {
    if (error instanceof CountersignError && error.code === "config_invalid") return error.message;
    throw error;
  }
  throw new Error("The keys were accepted.");
}

describe("keys", () => {
  test("are those of the configuration, none without any", () => {
    expect(sameKeys).toBe(true);
    expect(parseConfig({}, { path: null }).keys).toEqual([]);
    expect(parse([{ ...VIEWER, person: "ana@example.com", expires: "2027-01-01T00:00:00+01:00" }])).toEqual([
      {
        ...VIEWER,
        person: "ana@example.com",
        sources: [],
        types: null,
        expiresAtMs: Date.UTC(2026, 11, 31, 23),
      },
    ]);
  });

  test("that have expired are among them: refusing is for who judges a request", () => {
    expect(parse([{ ...VIEWER, expires: "1999-01-01T00:00:00Z" }])).toMatchObject([{ expiresAtMs: 915_148_800_000 }]);
  });

  test("may exist without a person in every role", () => {
    const roles = ["ingest", "viewer", "approver", "operator"] as const;
    const entries = roles.map((role, index) => ({ id: role, role, hash: `sha256:${String(index).repeat(64)}` }));
    expect(parse(entries).map(({ role, person }) => [role, person])).toEqual(roles.map((role) => [role, null]));
  });

  test.each([
    ["sends for every source but those that a provider signs", undefined, ["shop", "billing"]],
    ["sends for a source that a provider signs only by its name", ["stripe", "shop"], ["shop", "stripe"]],
    ["knows a source by its alias, and once", ["https://shop.example/orders", "shop"], ["shop"]],
  ])("of a producer: one %s", (_what, sources, expected) => {
    const [key] = parse([{ ...INGEST, ...(sources === undefined ? {} : { sources }) }]);
    expect(key?.sources).toEqual(expected);
  });

  test("of a producer keep their types, each once", () => {
    expect(parse([{ ...INGEST, types: ["order.*", "refund", "order.*"] }])).toMatchObject([
      { types: ["order.*", "refund"] },
    ]);
  });

  test("are frozen like the rest", () => {
    const [key] = parse([{ ...INGEST, types: ["order.*"] }]);
    expect([Object.isFrozen(key), Object.isFrozen(key?.types), Object.isFrozen(key?.sources)]).toEqual([
      true,
      true,
      true,
    ]);
  });

  const HASH_RULE = "'sha256:' and 64 hex digits in lower case, as `countersign keys create` prints it";
  const ID_RULE = "the id printed with the key: 1 to 32 lower-case letters and digits";
  const TIME_RULE = "an RFC 3339 time, such as '2030-01-31T00:00:00Z'";
  const TYPE_RULE = "an event type, with * for any run of characters";

  test.each([
    [{}, "keys: found an empty object; accepted: a list of entries printed by `countersign keys create`"],
    [
      ["csk_x"],
      "keys[0]: found a string (5 characters); accepted: an entry printed by `countersign keys create` with id, role, person, sources, types, hash, expires",
    ],
    [[{ ...INGEST, key: "x" }], "keys[0].key: unknown key; accepted: id, role, person, sources, types, hash, expires"],
    [[{ ...INGEST, id: "a_1" }], `keys[0].id: found a string (3 characters); accepted: ${ID_RULE}`],
    [[{ ...INGEST, id: "" }], `keys[0].id: found an empty string; accepted: ${ID_RULE}`],
    [[{ ...INGEST, id: "a".repeat(33) }], `keys[0].id: found a string (33 characters); accepted: ${ID_RULE}`],
    [
      [{ ...INGEST, role: "admin" }],
      "keys[0].role: found a string (5 characters); accepted: 'ingest', 'viewer', 'approver', 'operator'",
    ],
    [[{ id: "a1", hash: HASH }], "keys[0].role: found nothing; accepted: 'ingest', 'viewer', 'approver', 'operator'"],
    [[{ id: "a1", role: "viewer" }], `keys[0].hash: found nothing; accepted: ${HASH_RULE}`],
    [
      [{ ...INGEST, hash: HASH.replaceAll("0a", "0A") }],
      `keys[0].hash: found a string (71 characters); accepted: ${HASH_RULE}`,
    ],
    [[{ ...INGEST, hash: HASH.slice(0, -1) }], `keys[0].hash: found a string (70 characters); accepted: ${HASH_RULE}`],
    [[{ ...INGEST, hash: `${HASH}\n` }], `keys[0].hash: found a string (72 characters); accepted: ${HASH_RULE}`],
    [[{ ...INGEST, expires: "90d" }], `keys[0].expires: found a string (3 characters); accepted: ${TIME_RULE}`],
    [[{ ...INGEST, expires: 5 }], `keys[0].expires: found a number; accepted: ${TIME_RULE}`],
    [[{ ...INGEST, sources: [] }], "keys[0].sources: found an empty list; accepted: a list of at least one source"],
    [[{ ...INGEST, types: [] }], "keys[0].types: found an empty list; accepted: a list of at least one event type"],
    [[{ ...INGEST, types: [""] }], `keys[0].types[0]: found an empty string; accepted: ${TYPE_RULE}`],
    [[{ ...INGEST, types: ["a\u202eb"] }], `keys[0].types[0]: found a string (3 characters); accepted: ${TYPE_RULE}`],
    [
      [{ ...INGEST, sources: ["shop", "shp"] }],
      "keys[0].sources[1]: found a string (3 characters); accepted: a configured source: shop, billing, stripe",
    ],
    [
      [{ ...INGEST, sources: ["countersign"] }],
      "keys[0].sources[0]: found a string (11 characters); accepted: a configured source: shop, billing, stripe",
    ],
    [
      [VIEWER, { ...INGEST, person: "eve" }],
      "keys[1].person: found a string (3 characters); accepted: a configured person: ana@example.com",
    ],
    [
      [{ ...INGEST, person: "constructor" }],
      "keys[0].person: found a string (11 characters); accepted: a configured person: ana@example.com",
    ],
    [[{ ...INGEST, person: " " }], "keys[0].person: found a string (1 character); accepted: the name of a person"],
    [
      [INGEST, VIEWER, { ...INGEST, hash: `sha256:${"0c".repeat(32)}` }],
      "keys[2].id: is that of keys[0], too; accepted: an entry as `countersign keys create` prints it, once",
    ],
    [
      [INGEST, { ...VIEWER, hash: HASH }],
      "keys[1].hash: is that of keys[0], too; accepted: an entry as `countersign keys create` prints it, once",
    ],
    [
      [{ ...VIEWER, sources: ["shop"] }],
      "keys[0].sources: bounds nothing with this role, only with 'ingest'; remove it",
    ],
    [[{ ...VIEWER, types: ["*"] }], "keys[0].types: bounds nothing with this role, only with 'ingest'; remove it"],
  ])("%j are refused", (keys, message) => {
    expect(refusal(keys)).toBe(`The configuration is not valid: ${message}`);
  });

  test("are refused with every problem at once", () => {
    expect(refusal([{ ...VIEWER, person: "eve", sources: ["shp"], types: ["x"] }, VIEWER]).split("\n")).toHaveLength(7);
  });

  /** Exactly as long as what is shown of a text, and without a hyphen, so that it is a name to JavaScript. */
  const KEY = `csk_5f2c9a1b7e3d_${"s3cr3t_".repeat(6)}x`;

  test("never show a key that somebody pasted into any place of a configuration", () => {
    const whole: unknown = {
      temporal: { namespace: "default", taskQueue: "countersign" },
      sources: {
        shop: { aliases: ["https://shop.example/orders"], idFrom: ["data.orderId"] },
        stripe: { verify: { scheme: "stripe", secrets: [{ env: "STRIPE_WEBHOOK_SECRET" }], tolerance: "5m" } },
      },
      endpoints: {
        crm: {
          url: { env: "CRM_URL" },
          method: "POST",
          headers: { authorization: { env: "CRM_AUTHORIZATION" } },
          retry: { schedule: ["5s"] },
          timeouts: { total: "20s" },
          classify: { 409: "delivered" },
        },
        payments: { handler: "refund@1" },
      },
      handlers: ["./handlers.ts"],
      routes: [
        { match: { source: "shop", type: "order.*", when: { "data.total": { gt: 1 } } }, to: ["crm"] },
        { to: ["payments"], approval: { approvers: ["group:finance"], expires: "24h", notify: "crm", version: "1" } },
      ],
      people: { "ana@example.com": { groups: ["finance"] } },
      keys: [{ ...INGEST, sources: ["shop"], types: ["order.*"], expires: "2030-01-01T00:00:00Z" }],
      dedupeWindow: "7d",
      deployment: { name: "a", build: "b" },
    };
    expect(complaintOf(whole)).toBe("");
    const wrong = [...variants(whole, (value) => `${value}${KEY}`), ...variants(whole, () => KEY)];
    const complaints = wrong.map(complaintOf).filter((text) => text !== "");
    expect(complaints.length).toBeGreaterThan(100);
    expect(complaints.filter((text) => text.includes("s3cr3t"))).toEqual([]);
  });

  test("of which one stands where a name belongs are refused as such: names are shown elsewhere, too", () => {
    const [match, env] = [{ source: KEY }, KEY];
    expect(complaintOf({ routes: [{ match, to: ["crm"] }] })).toContain(
      "routes[0].match.source: found a string (60 characters)",
    );
    expect(complaintOf({ endpoints: { crm: { url: { env } } } })).toContain(
      "accepted: the name of an environment variable",
    );
  });

  /** What is refused of it, as a program and a person would read it; empty = nothing. */
  function complaintOf(raw: unknown): string {
    try {
      parseConfig(raw, { path: null });
      return "";
    } catch (error) {
      if (error instanceof CountersignError) return JSON.stringify([error.message, error.details]);
      throw error;
    }
  }

  /** The value with one of its members, or the name of one, changed: each in turn. */
  function variants(value: unknown, change: (text: string) => string): readonly unknown[] {
    if (Array.isArray(value)) {
      const inner = value.flatMap((item, at) => variants(item, change).map((other) => value.with(at, other)));
      return [change("[]"), [...(value as readonly unknown[]), change("")], ...inner];
    }
    if (typeof value !== "object" || value === null) return [change(String(value))];
    const members = Object.entries(value);
    return [
      change("{}"),
      ...members.flatMap(([name, member], at) => [
        Object.fromEntries(members.with(at, [change(name), member])),
        ...variants(member, change).map((other) => Object.fromEntries(members.with(at, [name, other]))),
      ]),
    ];
  }
});

test("withoutSecrets leaves of a secret what finds it, and other words alone", () => {
  const words = "'whsec_' and 24 to 64 bytes; WHSEC_SHOP, csk_…; accepted: whsec_ + base64";
  expect(withoutSecrets(words)).toBe(words);
  expect(withoutSecrets(`csk_5f2c_${"aB3-_".repeat(8)} and "whsec_AAAABBBB+/=="`)).toBe('csk_5f2c_… and "whsec_…"');
});
