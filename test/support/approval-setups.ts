/** Configurations of a small shop whose refunds people must approve, made and changed by a tape of choices. */
import { createPrivateKey } from "node:crypto";
import type { Config } from "../../src/config/config.ts";
import { parseConfig } from "../../src/config/parse-config.ts";
import type { RawApproval, RawRoute } from "../../src/config/raw-config.ts";
import { isCountersignError } from "../../src/errors.ts";
import { generateKeyPair } from "../../src/signing/decision-signature.ts";

/** The event goes to the first two; an amendment may send it to the third. */
export const ENDPOINTS = ["payments", "audit", "ledger"] as const;
export type EndpointName = (typeof ENDPOINTS)[number];

/** What one route demands, in the words of these tests. */
export interface Policy {
  readonly approvers: readonly string[];
  readonly quorum: number;
  readonly fourEyes: boolean;
  readonly signed: boolean;
  /** Further approvers from `FURTHER_AFTER_MS` on; null = none. */
  readonly further: readonly string[] | null;
  /** Only for amounts above; null = for all. */
  readonly above: number | null;
}

export interface Setup {
  readonly host: string;
  /** The endpoints get a header of our own. */
  readonly hasHeader: boolean;
  readonly policies: Readonly<Record<EndpointName, readonly Policy[]>>;
  /** `key` is a position in `KEYS`; null = cannot sign. */
  readonly people: Readonly<Record<string, { readonly groups: readonly string[]; readonly key: number | null }>>;
}

/** A number from 0 up to, but not, `bound`. */
export type Chooser = (bound: number) => number;

export const NAMES = ["ana", "bo", "cleo", "Dora"] as const;
/** Two for each name, so that a key can be replaced. */
export const KEYS = Array.from({ length: 2 * NAMES.length }, () => {
  const { publicKey, privateKeyPem } = generateKeyPair();
  return { publicKey, privateKey: createPrivateKey(privateKeyPem) };
});
/** What a person signs, as a program of their own would write it: fields of fewer than 256 bytes, each behind its length. */
export function bytesToSign(fields: readonly string[]): Uint8Array {
  return Uint8Array.from(fields.flatMap((field) => [0, 0, 0, Buffer.byteLength(field), ...Buffer.from(field)]));
}

export const FURTHER_AFTER_MS = 20_000;

/** Two of three from finance approve a refund, and two sign for the audit; one of leads whatever goes to the ledger instead. */
const FIRST: Setup = {
  host: "one",
  hasHeader: false,
  policies: {
    payments: [aPolicy({ quorum: 2, fourEyes: true, further: ["Dora"] })],
    audit: [aPolicy({ quorum: 2, signed: true })],
    ledger: [aPolicy({ approvers: ["group:leads", "cleo"] })],
  },
  people: {
    ana: { groups: ["finance"], key: 0 },
    bo: { groups: ["finance"], key: 2 },
    cleo: { groups: ["finance", "leads"], key: 4 },
    Dora: { groups: ["leads"], key: 6 },
  },
};

function aPolicy(changes: Partial<Policy> = {}): Policy {
  return {
    approvers: ["group:finance"],
    quorum: 1,
    fourEyes: false,
    signed: false,
    further: null,
    above: null,
    ...changes,
  };
}

/** A walk of a few changes away from the first. */
export function someSetup(pick: Chooser): Setup {
  return Array.from({ length: pick(8) }).reduce<Setup>((setup) => changedSetup(setup, pick), FIRST);
}

/** One thing is different; the same again where the result would be no valid configuration. */
export function changedSetup(setup: Setup, pick: Chooser): Setup {
  const endpoint = choose(pick, ENDPOINTS);
  const position = pick(NAMES.length);
  const { [NAMES[position] ?? ""]: _gone, ...others } = setup.people;
  const policies = setup.policies[endpoint].map((policy) => changedPolicy(policy, pick));
  const elsewhere = { ...setup, host: setup.host === "one" ? "two" : "one" };
  const changed = choose<Setup>(pick, [
    { ...setup, policies: { ...setup.policies, [endpoint]: policies } },
    elsewhere,
    { ...setup, people: { ...setup.people, [NAMES[position] ?? ""]: somePerson(pick, position) } },
    elsewhere,
    { ...setup, people: others },
    { ...setup, hasHeader: !setup.hasHeader },
    { ...setup, policies: { ...setup.policies, [endpoint]: somePolicies(pick) } },
  ]);
  return configOf(changed) === null ? setup : changed;
}

export function choose<Choice>(pick: Chooser, choices: readonly Choice[]): Choice {
  // Within the list.
  return choices[pick(choices.length)] as Choice;
}

function somePerson(pick: Chooser, position: number): Setup["people"][string] {
  const groups = choose(pick, [["finance"], ["finance"], ["finance", "leads"], ["leads"], []]);
  return { groups, key: choose(pick, [2 * position, 2 * position, 2 * position + 1, null]) };
}

function somePolicies(pick: Chooser): readonly Policy[] {
  return Array.from({ length: pick(3) }, () => somePolicy(pick));
}

function somePolicy(pick: Chooser): Policy {
  return {
    approvers: choose(pick, [
      ["group:finance"],
      ["ana", "bo", "cleo"],
      ["group:leads", "cleo"],
      ["group:finance", "Dora"],
    ]),
    quorum: choose(pick, [2, 1, 2, 3]),
    fourEyes: pick(2) === 0,
    signed: pick(4) === 3,
    further: choose(pick, [null, ["group:leads", "Dora"]]),
    above: choose(pick, [null, 100, 400]),
  };
}

function changedPolicy(policy: Policy, pick: Chooser): Policy {
  const { approvers, further, signed } = somePolicy(pick);
  return choose(pick, [
    { ...policy, quorum: 1 + (policy.quorum % 3) },
    { ...policy, fourEyes: !policy.fourEyes },
    { ...policy, approvers, further },
    { ...policy, signed },
  ]);
}

const known = new Map<string, Config | null>();

/** Null where the setup is no valid configuration: more approvals than people, say. */
export function configOf(setup: Setup): Config | null {
  const text = JSON.stringify(setup);
  const found = known.get(text);
  if (found !== undefined) return found;
  const parsed = parsedConfig(setup);
  known.set(text, parsed);
  return parsed;
}

function parsedConfig({ host, hasHeader, policies, people }: Setup): Config | null {
  const endpoints = ENDPOINTS.map((name) => {
    const headers = hasHeader ? { headers: { "x-team": "refunds" } } : {};
    return [
      name,
      {
        url: `https://${host}.example/${name}`,
        retry: { schedule: ["1s"], jitter: 0 },
        ...headers,
      },
    ] as const;
  });
  const everybody = Object.entries(people).map(([name, { groups, key }]) => {
    const publicKey = key === null ? undefined : KEYS[key]?.publicKey;
    return [name, { groups, ...(publicKey === undefined ? {} : { publicKey }) }] as const;
  });
  const raw = {
    sources: { shop: {} },
    endpoints: Object.fromEntries(endpoints),
    routes: ENDPOINTS.flatMap((name) => routesTo(name, policies[name])),
    people: Object.fromEntries(everybody),
  };
  try {
    return parseConfig(raw, { path: null });
  } catch (error) {
    if (isCountersignError(error)) return null;
    throw error;
  }
}

function routesTo(endpoint: EndpointName, policies: readonly Policy[]): readonly RawRoute[] {
  const match = endpoint === "ledger" ? { type: "never" } : { type: "refund.*" };
  if (policies.length === 0) return [{ match, to: [endpoint] }];
  return policies.map((policy) => ({ match, to: [endpoint], approval: rawApproval(policy) }));
}

function rawApproval({ approvers, quorum, fourEyes, signed, further, above }: Policy): RawApproval {
  return {
    approvers,
    quorum,
    fourEyes,
    requireSignedDecisions: signed,
    expires: "60s",
    onExpire: "park",
    rejections: 2,
    ...(further === null ? {} : { escalate: { after: `${FURTHER_AFTER_MS / 1000}s`, to: further } }),
    ...(above === null ? {} : { when: { "data.amount": { gt: above } } }),
  };
}
