import { describe, expect, test } from "vitest";
import { CountersignError } from "../errors.ts";
import { parseConfig } from "./parse-config.ts";

const key = (fill: number): string => Buffer.alloc(32, fill).toString("base64");
const PEOPLE = {
  ana: { groups: ["finance"], publicKey: key(1) },
  ben: { groups: ["finance"] },
  cem: { groups: ["leads"] },
};

const approval = (raw: object, people: object = PEOPLE) => ({
  endpoints: { pay: { handler: "refund@1" }, chat: { handler: "chat@1", isolated: true } },
  routes: [{ to: ["pay"], approval: { approvers: ["group:finance"], ...raw } }],
  people,
});

function problems(raw: unknown): string {
  try {
    parseConfig(raw, { path: null });
  } catch (error) {
    if (error instanceof CountersignError && error.code === "config_invalid") return error.message;
    throw error;
  }
  throw new Error("The configuration was accepted.");
}

const APPROVERS = "a configured person or group: ana, ben, cem, group:finance, group:leads";
const KEY_RULE = "an Ed25519 public key: its 32 bytes in base64, as `countersign people keygen` prints it";
const late = (found: string, expires: string) =>
  `found "${found}"; accepted: a duration shorter than expires, which is '${expires}' here`;
const NAME_RULE = "accepted: a name of 1 to 200 bytes of visible text";
const SAME = "upper and lower case and the way accents are written do not count";

/** Messages of one problem, without their common head. */
const ONE_PROBLEM: readonly (readonly [raw: unknown, message: string])[] = [
  // shape
  [approval({ approvers: [] }), "approvers: found an empty list; accepted: a list of people and groups"],
  [approval({ approvers: "ana" }), 'approvers: found "ana"; accepted: a list of people and groups'],
  [approval({ quorum: 0 }), "quorum: found 0; accepted: a whole number from 1 to 100"],
  [approval({ rejections: 1.5 }), "rejections: found 1.5; accepted: a whole number from 1 to 100"],
  [approval({ fourEyes: "yes" }), 'fourEyes: found "yes"; accepted: true or false'],
  [approval({ expires: "3 days" }), "expires: found \"3 days\"; accepted: a duration of at least 1 s, such as '24h'"],
  [approval({ remind: "4h" }), "remind: found \"4h\"; accepted: a list of durations such as '4h'"],
  [approval({ onExpire: "approve" }), "onExpire: found \"approve\"; accepted: 'end', 'park'"],
  [approval({ escalate: { after: "1h" } }), "escalate.to: found nothing; accepted: a list of people and groups"],
  [approval({ version: Number.NaN }), "version: found NaN; accepted: a number or a text that you raise"],
  [approval({ version: "\ud800" }), 'version: found "\\ud800"; accepted: a number or a text that you raise'],
  [approval({ quota: 2 }), unknownKey("quota")],
  // people and groups
  [approval({ approvers: ["ana", "eve"] }), `approvers[1]: found "eve"; accepted: ${APPROVERS}`],
  [approval({ approvers: ["Ana"] }), `approvers[0]: found "Ana"; accepted: ${APPROVERS}`],
  [approval({ approvers: ["finance"] }), `approvers[0]: found "finance"; accepted: ${APPROVERS}`],
  [approval({ approvers: ["group:legal"] }), `approvers[0]: found "group:legal"; accepted: ${APPROVERS}`],
  [approval({ approvers: ["constructor"] }), `approvers[0]: found "constructor"; accepted: ${APPROVERS}`],
  [
    approval({ escalate: { after: "1h", to: ["cem", "group:board"] } }),
    `escalate.to[1]: found "group:board"; accepted: ${APPROVERS}`,
  ],
  [
    approval({ approvers: ["ana"], quorum: 1 }, {}),
    'approvers[0]: found "ana"; accepted: a configured person or group; none is configured',
  ],
  // how many
  [approval({ quorum: 3 }), "quorum: found 3; accepted: at most 2, as that many people may decide here"],
  [approval({ rejections: 3 }), "rejections: found 3; accepted: at most 2, as that many people may decide here"],
  [
    approval({ approvers: ["ana", "group:finance"], quorum: 4, escalate: { after: "1h", to: ["cem", "ana"] } }),
    "quorum: found 4; accepted: at most 3, as that many people may decide here",
  ],
  [
    approval({ quorum: 2, requireSignedDecisions: true }),
    "requireSignedDecisions: found 1 with a publicKey among the people who may decide here; accepted: at least 2, the quorum",
  ],
  // when, and who is told
  [approval({ expires: "4h", remind: ["1h", "4h"] }), `remind[1]: ${late("4h", "4h")}`],
  [approval({ expires: "2m", remind: ["5m"] }), `remind[0]: ${late("5m", "2m")}`],
  [approval({ expires: "1500ms", remind: ["90s"] }), `remind[0]: ${late("90s", "1500ms")}`],
  [approval({ remind: ["72h"] }), `remind[0]: ${late("72h", "72h")}`],
  [approval({ remind: ["7d"] }), `remind[0]: ${late("7d", "72h")}`],
  [approval({ expires: "4h", escalate: { after: "4h", to: ["cem"] } }), `escalate.after: ${late("4h", "4h")}`],
  [approval({ notify: "ops" }), 'notify: found "ops"; accepted: a configured endpoint: pay, chat'],
  [approval({ notify: "constructor" }), 'notify: found "constructor"; accepted: a configured endpoint: pay, chat'],
];

function unknownKey(name: string): string {
  return `${name}: unknown key; accepted: when, approvers, quorum, rejections, fourEyes, requireRequester, requireSignedDecisions, expires, remind, onExpire, escalate, notify, version`;
}

describe("a wrong approval", () => {
  test.each(ONE_PROBLEM.map(([raw, message]) => ({ raw, message })))("is refused: $message", ({ raw, message }) => {
    expect(problems(raw)).toBe(`The configuration is not valid: routes[0].approval.${message}`);
  });

  test("is fine as far as a quorum with the escalation, a single signer and an isolated endpoint go", () => {
    const escalate = { after: "71h", to: ["group:leads"] };
    for (const raw of [{ quorum: 3, escalate }, { requireSignedDecisions: true }, { notify: "chat" }])
      expect(parseConfig(approval(raw), { path: null }).routes[0]?.approval).not.toBeNull();
  });
});

const WRONG_PEOPLE: readonly (readonly [people: object, message: string])[] = [
  [{ ana: { group: "x" } }, "people.ana.group: unknown key; accepted: groups, publicKey"],
  [{ ana: { groups: "finance" } }, 'people.ana.groups: found "finance"; accepted: a list of groups'],
  [{ ana: { groups: ["\ud800"] } }, 'people.ana.groups[0]: found "\\ud800"; accepted: the name of a group'],
  [{ "": {} }, `people[""]: is empty; ${NAME_RULE}`],
  [{ " ana": {} }, `people[" ana"]: starts or ends with white space or a joiner; ${NAME_RULE}`],
  [{ "a\u200bna": {} }, `people["a\u200bna"]: holds the invisible character U+200B at position 2; ${NAME_RULE}`],
  [{ ["é".repeat(101)]: {} }, `people["${"é".repeat(101)}"]: is longer than 200 bytes; ${NAME_RULE}`],
  [
    { "group:leads": {} },
    'people["group:leads"]: starts with group:, which stands for the members of a group; accepted: any other name',
  ],
  // one person, two names
  [
    { "ana@x.example": {}, "Ana@X.example": {} },
    `people["Ana@X.example"]: is the same person as "ana@x.example"; ${SAME}`,
  ],
  [{ "Jos\u00e9": {}, "jose\u0301": {} }, `people["jose\u0301"]: is the same person as "Jos\u00e9"; ${SAME}`],
  [
    { ana: { publicKey: key(7) }, ben: { publicKey: key(7) } },
    'people.ben.publicKey: found a string (44 characters); accepted: a key of their own, not that of "ana"',
  ],
];

const WRONG_KEYS: readonly (readonly [what: string, publicKey: unknown])[] = [
  ["nothing", ""],
  ["31 bytes", Buffer.alloc(31, 7).toString("base64")],
  ["33 bytes", Buffer.alloc(33, 7).toString("base64")],
  ["base64url", Buffer.alloc(32, 0xff).toString("base64url")],
  ["no padding", key(1).replace("=", "")],
  ["white space", `${key(1)}\n`],
  ["SPKI", Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), Buffer.alloc(32, 1)]).toString("base64")],
  ["PEM", "-----BEGIN PUBLIC KEY-----"],
  ["a reference", { env: "ANA_KEY" }],
];

describe("wrong people", () => {
  test.each(WRONG_PEOPLE.map(([people, message]) => ({ people, message })))(
    "are refused: $message",
    ({ people, message }) => {
      expect(problems({ people })).toBe(`The configuration is not valid: ${message}`);
    },
  );

  test.each(WRONG_KEYS)("are refused for a public key in another form, which is not shown: %s", (_what, publicKey) => {
    const message = problems({ people: { ana: { publicKey } } });
    expect(message).toMatch(/^The configuration is not valid: people\.ana\.publicKey: found an? /u);
    expect(message.endsWith(`; accepted: ${KEY_RULE}`)).toBe(true);
    if (typeof publicKey === "string" && publicKey !== "") expect(message).not.toContain(publicKey.trim());
  });
});
