import { describe, expect, test } from "vitest";
import { aGrant, anEvent, aStage, perform, type Stage, stageConfig } from "../../test/support/activity-stage.ts";
import type { RawApproval, RawConfig, RawEndpoint } from "../config/raw-config.ts";
import type { Examination, ExamineInput } from "../delivery/activity-shapes.ts";
import type { Amendment, ApprovalRule } from "../delivery/approval.ts";
import { decisionBytes } from "../delivery/decision-bytes.ts";
import { generateKeyPair, signDecision } from "../signing/decision-signature.ts";

const KEYS = { ana: generateKeyPair(), ben: generateKeyPair() };
const PEOPLE = {
  ana: { groups: ["finance"], publicKey: KEYS.ana.publicKey },
  ben: { groups: [], publicKey: KEYS.ben.publicKey },
  lea: { groups: ["leads"] },
};

interface Setting {
  readonly crm?: RawEndpoint;
  readonly approval?: Partial<RawApproval> | null;
  readonly people?: RawConfig["people"];
  readonly type?: string;
}

function aGuarded({ crm = {}, approval = {}, people = PEOPLE, type = "order.*" }: Setting = {}): Stage {
  const asks = {
    approvers: ["group:finance"],
    escalate: { after: "1h", to: ["group:leads"] },
    ...approval,
  } as const;
  const route = { match: { type }, to: ["crm"] };
  const routes = [approval === null ? route : { ...route, approval: asks }];
  return aStage(stageConfig({ crm: { url: "https://crm.example/", ...crm } }, { people, routes }));
}

const asked = aGuarded();
const { digest } = aGrant(asked.deps);
const RULES = rulesOf(asked);

function rulesOf({ deps }: Stage): readonly ApprovalRule[] {
  const planned = deps.routing.delivery({ event: anEvent(), endpoint: "crm", revision: 1, amendment: null });
  return planned.kind === "planned" ? (planned.draft?.terms.rules ?? []) : [];
}

type Said = Partial<ExamineInput["ballots"][number]>;

const ballots = (said: readonly Said[]): ExamineInput["ballots"] =>
  said.map((one, sequence) => ({ sequence, action: "approve", actor: "ana", digest, signature: null, ...one }));

function examine(stage: Stage, changes: Partial<ExamineInput> = {}): Promise<Examination> {
  const input: ExamineInput = {
    v: 1,
    endpoint: "crm",
    event: anEvent(),
    revision: 1,
    nextRevision: 2,
    digest,
    rules: RULES,
    key: "shop/evt_1",
    ballots: ballots([{}]),
    ...changes,
  };
  return perform(stage.deps, ["examineBallots", input]);
}

function signatureOf(by: keyof typeof KEYS, changes: object = {}): string {
  const said = { key: "shop/evt_1", endpoint: "crm", revision: 1, digest, action: "approve", ...changes } as const;
  return signDecision(KEYS[by].privateKeyPem, decisionBytes(said));
}

describe("the authors of decisions", () => {
  test("are looked up as they are called, one answer each, in their order", async () => {
    const actors = ["ana", "lea", "ben", "eve", "Ana", "", "__proto__", "constructor", "аna"];
    expect(await examine(asked, { ballots: ballots(actors.map((actor) => ({ actor }))) })).toEqual({
      kind: "examined",
      digest: expect.any(String),
      endpoint: "crm",
      rights: [
        { sequence: 0, known: true, rules: [0], escalated: [], signature: "absent" },
        { sequence: 1, known: true, rules: [], escalated: [0], signature: "absent" },
        { sequence: 2, known: true, rules: [], escalated: [], signature: "absent" },
        ...[3, 4, 5, 6, 7, 8].map((sequence) => ({
          sequence,
          known: false,
          rules: [],
          escalated: [],
          signature: "absent",
        })),
      ],
    });
  });

  test("are those of today's configuration, by the rules of the proposal", async () => {
    const left = aGuarded({ people: { ...PEOPLE, ana: { groups: ["leads"] }, cem: { groups: ["finance"] } } });
    expect(await examine(left)).toMatchObject({ rights: [{ known: true, rules: [], escalated: [0] }] });
  });

  test("have signed, or have not, or somebody else has", async () => {
    const said = [
      { signature: signatureOf("ana") },
      { signature: signatureOf("ben") },
      { signature: signatureOf("ana", { action: "reject" }) },
      { signature: signatureOf("ana", { key: "shop/evt_2" }) },
      { signature: signatureOf("ana", { endpoint: "other" }) },
      { signature: signatureOf("ana", { revision: 2 }) },
      { signature: signatureOf("ana", { digest: "sha256:other" }) },
      { signature: "no base64 at all" },
      { actor: "lea", signature: signatureOf("ana") },
      { action: "reject" as const, signature: signatureOf("ana", { action: "reject" }) },
      {},
    ];
    const examination = await examine(asked, { ballots: ballots(said) });
    const rights = examination.kind === "examined" ? examination.rights : [];
    expect(rights.map(({ signature }) => signature)).toEqual([
      "valid",
      ...Array.from({ length: 8 }, () => "bad"),
      "valid",
      "absent",
    ]);
  });
});

describe("what was proposed", () => {
  test("is what would be sent: nothing is said about it", async () => {
    expect(await examine(asked)).not.toHaveProperty("changed");
  });

  test.each<[string, Setting]>([
    ["the endpoint has moved", { crm: { url: "https://elsewhere.example/" } }],
    ["the rules are others", { approval: { quorum: 1, fourEyes: true } }],
    ["a header came", { crm: { headers: { "x-mark": "1" } } }],
  ])("is not what would be sent once %s: the proposal of the next revision comes along", async (_, setting) => {
    const stage = aGuarded(setting);
    const order = { event: anEvent(), endpoint: "crm", revision: 2, amendment: null };
    const planned = stage.deps.routing.delivery(order);
    const examination = await examine(stage);
    expect(examination).toMatchObject({ kind: "examined", rights: [{ known: true }] });
    expect(examination).toHaveProperty("changed", planned.kind === "planned" ? planned.draft : null);
  });

  test("is compared with what the amendment would send", async () => {
    const amendment: Amendment = { revision: 2, actor: "lea", from: "crm", data: { total: 7 } };
    const order = { event: anEvent(), endpoint: "crm", revision: 2, amendment };
    const planned = asked.deps.routing.delivery(order);
    const amended = { revision: 2, nextRevision: 3, amendment };
    const digestOfIt = planned.kind === "planned" ? (planned.draft?.digest ?? "") : "";
    expect(await examine(asked, { ...amended, digest: digestOfIt })).not.toHaveProperty("changed");
    expect(await examine(asked, amended)).toMatchObject({ changed: { revision: 3 } });
  });

  test("still has its authors looked up where no approval is due any more", async () => {
    const free = aGuarded({ approval: null });
    expect(await examine(free)).toEqual({
      kind: "examined",
      digest: expect.any(String),
      endpoint: "crm",
      rights: [{ sequence: 0, known: true, rules: [0], escalated: [], signature: "absent" }],
    });
  });

  test("stands where the next revision cannot be made out, rather than being replaced by nothing", async () => {
    const moved = aGuarded({ crm: { url: "https://elsewhere.example/" } });
    const { routing } = moved.deps;
    for (const withheld of [true, false]) {
      const delivery: typeof routing.delivery = (order) => {
        if (order.revision === 1) return routing.delivery(order);
        const planned = routing.delivery(order);
        if (withheld || planned.kind === "withheld") return { kind: "withheld", endpoint: "crm", reason: "not-routed" };
        return { ...planned, draft: null };
      };
      const moody = { ...moved, deps: { ...moved.deps, routing: { ...routing, delivery } } };
      expect(await examine(moody)).not.toHaveProperty("changed");
    }
  });
});

describe("a delivery that this configuration no longer makes", () => {
  test("is withheld, and nobody's decision is looked at", async () => {
    expect(await examine(aGuarded({ type: "invoice.*" }))).toEqual({
      kind: "withheld",
      endpoint: "crm",
      reason: "not-routed",
    });
    expect(await examine(asked, { endpoint: "gone" })).toEqual({
      kind: "withheld",
      endpoint: "gone",
      reason: "unknown-endpoint",
    });
  });
});
