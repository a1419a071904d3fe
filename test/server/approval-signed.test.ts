/** Decisions that only a signature makes: whoever may signal, or start workflows, cannot decide in somebody's name. */
import { fileURLToPath } from "node:url";
import { NativeConnection, Worker } from "@temporalio/worker";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { planDelivery } from "../../src/config/plan-delivery.ts";
import type { AttemptInput } from "../../src/delivery/activity-shapes.ts";
import type { ApprovalGrant, DecisionAction, Vote } from "../../src/delivery/approval.ts";
import { decisionBytes, type SignedDecision } from "../../src/delivery/decision-bytes.ts";
import type { BusinessEvent } from "../../src/delivery/event.ts";
import type { AttemptResult } from "../../src/delivery/facts.ts";
import { generateKeyPair, signDecision } from "../../src/signing/decision-signature.ts";
import { exactState, openStage, type Stage } from "../support/stage.ts";
import { temporalAddress, uniqueName } from "../support/temporal.ts";
import { until } from "../support/until.ts";
import { inState, proposed, requestsOf, type WaitingEvent } from "../support/waiting-events.ts";

const [ANA, BEN, CEM] = ["ana@example.com", "ben@example.com", "cem@example.com"];
const KEYS = { [ANA]: generateKeyPair(), [BEN]: generateKeyPair() };
/** Nobody has put this one on record. */
const STRAY = generateKeyPair();

let stage: Stage;

beforeAll(async () => {
  stage = await openStage({
    endpoints: { payments: {}, open: {} },
    scripts: { payments: [{ status: 503 }, {}] },
    routes: [
      {
        match: { type: "refund" },
        to: ["payments"],
        approval: { approvers: ["group:finance"], requireSignedDecisions: true },
      },
      {
        match: { type: "pair" },
        to: ["payments"],
        approval: { approvers: ["group:finance"], quorum: 2, requireSignedDecisions: true },
      },
      { match: { type: "letter" }, to: ["open"], approval: { approvers: ["group:finance"] } },
    ],
    rest: {
      people: {
        [ANA]: { groups: ["finance"], publicKey: KEYS[ANA]?.publicKey ?? "" },
        [BEN]: { groups: ["finance"], publicKey: KEYS[BEN]?.publicKey ?? "" },
        [CEM]: { groups: ["finance"] },
      },
    },
  });
});

afterAll(async () => await stage.close());

const handleOf = (key: string) => stage.temporal.workflow.getHandle(key);

/** By the key of that person. */
function signature(by: string, said: SignedDecision): string {
  return signDecision((KEYS[by] ?? STRAY).privateKeyPem, decisionBytes(said));
}

function saidOf({ key, proposal }: WaitingEvent, action: DecisionAction = "approve"): SignedDecision {
  const { digest, revision } = proposal;
  return { key, endpoint: "payments", revision, digest, action };
}

async function onRecord(key: string, count: number) {
  return await until(`${count} decisions are on record`, async () => {
    const decisions = (await stage.far.get(key)).deliveries[0]?.decisions ?? [];
    return decisions.length === count && decisions;
  });
}

describe("a decision by signal", () => {
  test("without a valid signature of that person on that very proposal is recorded and does not count", async () => {
    const waiting = await proposed(stage, "refund");
    const { key, proposal } = waiting;
    const said = saidOf(waiting);
    const words: readonly (readonly [actor: string, signature: string | undefined])[] = [
      [ANA, undefined],
      [ANA, ""],
      [ANA, "bm90IGEgc2lnbmF0dXJl"],
      [ANA, signature("nobody", said)],
      [ANA, signature(BEN, said)],
      [BEN, signature(ANA, said)],
      [CEM, signature(ANA, said)],
      [CEM, undefined],
      [ANA, signature(ANA, { ...said, key: "shop/another" })],
      [ANA, signature(ANA, { ...said, endpoint: "open" })],
      [ANA, signature(ANA, { ...said, revision: 2 })],
      [ANA, signature(ANA, { ...said, digest: `sha256:${"0".repeat(64)}` })],
      [ANA, signature(ANA, { ...said, action: "reject" })],
      [ANA, `${signature(ANA, said)} `.repeat(20)],
    ];
    for (const [actor, given] of words)
      await handleOf(key).signal("approve", { actor, digest: proposal.digest, signature: given });
    const decisions = await onRecord(key, words.length);
    expect(decisions).toMatchObject(
      words.map(([actor]) => ({ actor, counted: false, refusedBecause: "bad-signature", signed: false })),
    );
    await exactState(stage, key);
    const reject = { actor: ANA, digest: proposal.digest, note: "no", signature: signature(ANA, said) };
    await handleOf(key).signal("reject", reject);
    await onRecord(key, words.length + 1);
    expect(await exactState(stage, key)).toMatchObject({ state: "awaiting-approval" });
    expect(requestsOf(stage, key)).toEqual([]);
  });

  test("counts with one, is recorded as signed, and carries a retry", async () => {
    const waiting = await proposed(stage, "refund");
    const { key, proposal } = waiting;
    const word = { actor: ANA, digest: proposal.digest, signature: signature(ANA, saidOf(waiting)) };
    await handleOf(key).signal("approve", word);
    const { deliveries } = await inState(stage, key, { state: "delivered" });
    expect(deliveries).toMatchObject([
      {
        decisions: [{ actor: ANA, counted: true, refusedBecause: null, signed: true }],
        attempts: [{ status: 503 }, { status: 200 }],
      },
    ]);
    expect(requestsOf(stage, key)).toHaveLength(2);
  });

  test("is taken back only by a signature too, and ends the event by one", async () => {
    const waiting = await proposed(stage, "refund");
    const { key, proposal } = waiting;
    const { digest } = proposal;
    const reject = { actor: BEN, digest, note: "no", signature: signature(BEN, saidOf(waiting, "reject")) };
    expect(await stage.far.withdraw(key, { actor: ANA, digest })).toMatchObject({ refusedBecause: "bad-signature" });
    expect(
      await stage.far.reject(key, { ...reject, signature: signature(ANA, saidOf(waiting, "reject")) }),
    ).toMatchObject({ refusedBecause: "bad-signature" });
    expect(await stage.far.reject(key, reject)).toMatchObject({ counted: true });
    expect(await inState(stage, key, { state: "rejected" })).toMatchObject({
      deliveries: [{ decisions: [{ signed: false }, { signed: false }, { signed: true }] }],
    });
    expect(requestsOf(stage, key)).toEqual([]);
  });
});

describe("a signed approval that was taken back", () => {
  test("cannot be used again by whoever has seen it: the next revision is asked for", async () => {
    const waiting = await proposed(stage, "pair");
    const { key, proposal } = waiting;
    const { digest } = proposal;
    const approve = { actor: ANA, digest, signature: signature(ANA, saidOf(waiting)) };
    expect(await stage.far.approve(key, approve)).toMatchObject({ counted: true });
    const withdraw = { actor: ANA, digest, signature: signature(ANA, saidOf(waiting, "withdraw")) };
    expect(await stage.far.withdraw(key, withdraw)).toMatchObject({ counted: true });
    const anew = await until("the next revision waits", async () => {
      const { deliveries } = await stage.far.get(key);
      return deliveries[0]?.proposal?.revision === 2 && deliveries[0].proposal;
    });
    await handleOf(key).signal("approve", approve);
    expect(await onRecord(key, 3)).toMatchObject([
      { counted: true },
      { counted: true },
      { refusedBecause: "stale-revision" },
    ]);
    for (const actor of [ANA, BEN]) {
      const signed = signature(actor, saidOf({ key, proposal: anew }));
      expect(await stage.far.approve(key, { actor, digest: anew.digest, signature: signed })).toMatchObject({
        counted: true,
      });
    }
    await inState(stage, key, { state: "delivered" });
    await exactState(stage, key);
  });
});

describe("an attempt that somebody hands to the workers without an event of ours", () => {
  let connection: NativeConnection;
  let forger: Worker;
  let running: Promise<void>;
  const queue = uniqueName("forger");

  beforeAll(async () => {
    connection = await NativeConnection.connect({ address: temporalAddress() });
    const workflowsPath = fileURLToPath(new URL("../support/forging-workflows.ts", import.meta.url));
    forger = await Worker.create({ connection, taskQueue: queue, workflowsPath });
    running = forger.run();
  });

  afterAll(async () => {
    forger.shutdown();
    await running;
    await connection.close();
  });

  /** Each is of an event of its own: a worker repeats what it remembers of an attempt. */
  async function forged(change: (parts: Forgery) => Partial<AttemptInput>, type = "refund") {
    const endpoint = type === "refund" ? "payments" : "open";
    const event: BusinessEvent = { source: "shop", id: uniqueName("forged"), type, data: { amount: 900 } };
    const order = { event, endpoint, revision: 1, amendment: null, resolvedUrl: null };
    const planned = planDelivery(stage.config, order);
    if (planned.kind === "withheld" || planned.draft === null) throw new TypeError("No approval is due");
    const { settings, draft } = planned;
    const { approval: _, ...plain } = settings;
    const { digest } = draft;
    const key = `shop/${event.id}`;
    const said: SignedDecision = { key, endpoint, revision: 1, digest, action: "approve" };
    const nowMs = Date.now();
    const times = { createdAtMs: nowMs - 1000, expiresAtMs: nowMs + 3_600_000 };
    const grant: ApprovalGrant = { revision: 1, digest, ...times, executed: false, votes: [] };
    const input = { v: 1, endpoint, number: 1, via: "direct", settings: plain, event, lastStatus: null } as const;
    const args = [stage.config.temporal.taskQueue, { ...input, ...change({ grant, said, vote: voteOf(said) }) }];
    const options = { taskQueue: queue, workflowId: uniqueName("forge"), args };
    const result = (await stage.temporal.workflow.execute("forge", options)) as AttemptResult; // of our own activity
    return { kind: result.kind, requests: requestsOf(stage, key).length };
  }

  interface Forgery {
    readonly grant: ApprovalGrant;
    readonly said: SignedDecision;
    vote(actor: string, signature?: string): Vote;
  }

  const voteOf =
    ({ digest }: SignedDecision) =>
    (actor: string, given: string | null = null): Vote => ({
      actor,
      at: new Date().toISOString(),
      digest,
      signature: given,
      rules: [0],
    });

  test.each<[string, (parts: Forgery) => Partial<AttemptInput>]>([
    ["no grant", () => ({})],
    [
      "the votes of everybody",
      ({ grant, vote }) => ({ approval: { ...grant, votes: [ANA, BEN, CEM].map((name) => vote(name)) } }),
    ],
    [
      "signatures of its own",
      ({ grant, said, vote }) => ({ approval: { ...grant, votes: [vote(ANA, signature("nobody", said))] } }),
    ],
    [
      "a signature that was given for something else",
      ({ grant, said, vote }) => ({
        approval: { ...grant, votes: [vote(ANA, signature(ANA, { ...said, key: "shop/other" }))] },
      }),
    ],
    [
      "a rejection turned around",
      ({ grant, said, vote }) => ({
        approval: { ...grant, votes: [vote(ANA, signature(ANA, { ...said, action: "reject" }))] },
      }),
    ],
    [
      "the claim that it was sent before",
      ({ grant, vote }) => ({ number: 2, approval: { ...grant, executed: true, votes: [vote(ANA)] } }),
    ],
    [
      "rules that ask for nothing",
      ({ grant, vote }) => {
        const rules = [{ approvers: [ANA], quorum: 0, requireSignedDecisions: false }];
        return { approval: Object.assign({ ...grant, votes: [vote(ANA)] }, { rules, executed: true }) };
      },
    ],
    [
      "another endpoint, as if amended",
      ({ said }) => ({ endpoint: "open", amendment: { revision: 2, actor: ANA, from: said.endpoint } }),
    ],
    ["the lane's way around", ({ grant, vote }) => ({ via: "lane", approval: { ...grant, votes: [vote(ANA)] } })],
  ])("sends nothing where decisions must be signed: %s", async (_, change) => {
    expect(await forged(change)).toEqual({ kind: "unapproved", requests: 0 });
  });

  test("is made by what people have signed, whoever brings it", async () => {
    const made = await forged(({ grant, said, vote }) => ({
      approval: { ...grant, votes: [vote(ANA, signature(ANA, said))] },
    }));
    expect(made).toEqual({ kind: "attempted", requests: 1 });
  });

  test("is what signatures are for: without them, votes are as good as the access to the namespace", async () => {
    const made = await forged(({ grant, vote }) => ({ approval: { ...grant, votes: [vote(ANA)] } }), "letter");
    expect(made).toEqual({ kind: "attempted", requests: 1 });
  });
});
