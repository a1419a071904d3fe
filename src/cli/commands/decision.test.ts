import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { aContext } from "../../../test/support/a-context.ts";
import { aDelivery, aReport } from "../../../test/support/an-event.ts";
import { aProposal, aWaitingDelivery, DIGEST, aVote } from "../../../test/support/a-proposal.ts";
import type { DecisionWord } from "../../client/countersign.ts";
import { proposalDigest } from "../../config/propose.ts";
import { decisionBytes } from "../../delivery/decision-bytes.ts";
import type { DeliveryStatus, Proposal, Verdict } from "../../delivery/event-state.ts";
import { generateKeyPair, verifyDecision } from "../../signing/decision-signature.ts";
import { type Decision, decideOn, type DecisionVerb } from "./decision.ts";

const APPROVE: DecisionVerb = { action: "approve", noun: "approval", question: "Approve this?" };
const COUNTED: Verdict = { counted: true, refusedBecause: null, at: "2026-11-29T10:01:00.000Z" };
const HEX = DIGEST.slice("sha256:".length);
const OTHER = "9".repeat(64);

interface Told {
  readonly deliveries?: readonly DeliveryStatus[];
  readonly verdict?: Verdict;
  readonly json?: boolean;
  readonly terminal?: boolean;
  /** What the person at the terminal answers; absent = nobody can be asked. */
  readonly answer?: string;
  /** As `get` answers once something was said; null = it fails. */
  readonly after?: readonly DeliveryStatus[] | null;
}

/** Decides on an event with these deliveries; keeps what the workflow was told. */
function deciding(changes: Partial<Decision>, told: Told = {}) {
  const { deliveries = [aWaitingDelivery()], verdict = COUNTED, json = false, terminal = false, answer } = told;
  const { after = deliveries } = told;
  const said: [string, DecisionWord][] = [];
  const say = (action: string) => (_key: string, word: DecisionWord) => {
    said.push([action, word]);
    return Promise.resolve(verdict);
  };
  const facade = {
    get: () => {
      const read = said.length === 0 ? deliveries : after;
      return read === null ? Promise.reject(new Error("gone")) : Promise.resolve(aReport({ deliveries: read }));
    },
    approve: say("approve"),
    reject: say("reject"),
    withdraw: say("withdraw"),
  };
  const kept = aContext({ json, terminal });
  const decision: Decision = {
    key: "shop/evt_1",
    verb: APPROVE,
    options: {},
    actor: "ana@example.com",
    digits: HEX,
    privateKeyPem: null,
    people: [],
    ...changes,
  };
  const asked = { stdin: Readable.from([`${answer}\n`]), terminal: { ...kept.context.terminal, canAsk: true } };
  const context = answer === undefined ? kept.context : { ...kept.context, ...asked };
  return { ...kept, said, done: decideOn(context, facade, decision) };
}

function withItsDigest(proposal: Proposal): Proposal {
  const { action, policy, revision, requestedBy, editedBy } = proposal;
  const body = Buffer.from("body" in action ? action.body : "");
  const digest = proposalDigest({ key: "shop/evt_1", revision, action, body, rules: [policy], requestedBy, editedBy });
  return { ...proposal, digest };
}

describe("a decision", () => {
  test("goes out with the whole digest, completed from what waits", async () => {
    const { done, said, out } = deciding({ digits: HEX.slice(0, 12), options: { note: "fine", delivery: "payments" } });
    expect(await done).toBe(0);
    expect(said).toEqual([
      ["approve", { actor: "ana@example.com", digest: DIGEST, note: "fine", delivery: "payments" }],
    ]);
    expect(out[0]).toBe(
      "Your approval counts: none of 2; it waits for 2 more of group:finance, until 2026-11-30 10:00:00 UTC.",
    );
  });

  test("says what stands after it, read anew", async () => {
    const approvals = ["ana", "ben"].map((actor) => ({ actor, at: COUNTED.at }));
    const after = [aDelivery(), aWaitingDelivery({ state: "delivering", proposal: aProposal({ approvals }) })];
    const sent = deciding({}, { after });
    expect(await sent.done).toBe(0);
    expect(sent.out).toEqual([
      "2 of 2 have approved: it is being sent.",
      "See what happens: countersign show shop/evt_1",
    ]);
    const anew = deciding({}, { after: [aWaitingDelivery({ proposal: aProposal({ digest: OTHER, revision: 2 }) })] });
    await anew.done;
    expect(anew.out[0]).toBe("Your approval counts; it is proposed anew, as revision 2.");
  });

  test("has counted, and says so, also where nothing can be read any more", async () => {
    const { done, out } = deciding({}, { after: null });
    expect(await done).toBe(0);
    expect(out[0]).toBe("Your approval counts.");
    const unseen = deciding({ digits: OTHER }, { deliveries: [aDelivery()] });
    expect(await unseen.done).toBe(0);
    expect(unseen.out[0]).toBe("Your approval counts.");
  });

  test("is said in the verb's own way", async () => {
    const { done, said } = deciding({ verb: { action: "withdraw", noun: "withdrawal", question: "…" } });
    await done;
    expect(said.map(([action]) => action)).toEqual(["withdraw"]);
  });

  test("on digits that fit nothing is never made, and names what waits now", async () => {
    const { done, said } = deciding({ digits: OTHER.slice(0, 12) });
    await expect(done).rejects.toMatchObject({
      code: "refused",
      message: expect.stringMatching(
        /changed since you looked.*What waits now begins with 0123456789ab \(payments\)\. Nothing was changed; see `countersign show shop\/evt_1`/,
      ),
      details: { refusedBecause: "wrong-digest" },
    });
    expect(said).toEqual([]);
  });

  test.each([
    ["nothing was ever proposed", [aDelivery()], undefined, "nothing-waits"],
    ["another delivery was named", [aWaitingDelivery(), aDelivery()], "crm", "nothing-waits"],
  ] as const)("on digits is never made when %s", async (_what, deliveries, delivery, because) => {
    const digits = HEX.slice(0, 12);
    const { done, said } = deciding({ digits, options: delivery === undefined ? {} : { delivery } }, { deliveries });
    await expect(done).rejects.toMatchObject({ code: "refused", details: { refusedBecause: because } });
    expect(said).toEqual([]);
  });

  test("with a whole digest is the workflow's to judge, whatever waits", async () => {
    const verdict: Verdict = { counted: false, refusedBecause: "stale-revision", at: COUNTED.at };
    const { done, said, out } = deciding({ digits: OTHER }, { verdict, json: true });
    await expect(done).rejects.toMatchObject({
      code: "refused",
      message: expect.stringMatching(
        /\(stale-revision\): it changed since you looked.*What waits now begins with 0123456789ab \(/,
      ),
    });
    expect(said.map(([, { digest }]) => digest)).toEqual([`sha256:${OTHER}`]);
    expect(out).toEqual([JSON.stringify(verdict)]);
  });

  test("that comes too late is still completed from what was decided", async () => {
    const proposal = aProposal({ rejections: [aVote("ben")] });
    const deliveries = [aWaitingDelivery({ state: "rejected", proposal })];
    const verdict: Verdict = { counted: false, refusedBecause: "already-decided", at: COUNTED.at };
    const { done, said } = deciding({ digits: HEX.slice(0, 12) }, { deliveries, verdict });
    await expect(done).rejects.toThrow(
      /already-decided.*It was rejected by ben, 2026-11-29 10:01:00 UTC\. Nothing was/,
    );
    expect(said.map(([, { digest }]) => digest)).toEqual([DIGEST]);
  });

  test("is never made on a delivery that the event does not have, whatever was typed", async () => {
    for (const digits of [HEX, OTHER]) {
      const told = { deliveries: [aWaitingDelivery(), aDelivery()] };
      const { done, said } = deciding({ digits, options: { delivery: "payment" } }, told);
      await expect(done).rejects.toMatchObject({
        code: "bad_argument",
        message: '--delivery "payment" is no delivery of shop/evt_1, nothing was said; it goes to: payments, crm.',
      });
      expect(said).toEqual([]);
    }
  });

  test.each(["n", "", "yep"])("is not made when a person who is asked answers %j", async (answer) => {
    const { done, said, out, notes } = deciding({}, { terminal: true, answer });
    expect(await done).toBe(1);
    expect([said, out]).toEqual([[], []]);
    expect(notes.at(-1)).toBe("Nothing was said, and nothing was changed.");
  });

  test.each([
    ["the answer is yes", { terminal: true, answer: "y" }, {}],
    ["--yes was given", { terminal: true, answer: "n" }, { options: { yes: true } }],
    ["a program reads", { json: true, answer: "n" }, {}],
    ["it names what is not proposed, which cannot count", { answer: "n" }, { digits: OTHER }],
  ] as const)("is made when %s", async (_when, told, changes) => {
    const { done, said } = deciding(changes, told);
    expect(await done).toBe(0);
    expect(said).toHaveLength(1);
  });

  test("prints its verdict for programs, and nothing else", async () => {
    const { done, out, notes } = deciding({}, { json: true, terminal: true });
    expect(await done).toBe(0);
    expect([out, notes]).toEqual([[JSON.stringify(COUNTED)], []]);
  });

  test("shows a person at a terminal once more what it is about", async () => {
    const { done, notes } = deciding({}, { terminal: true });
    await done;
    expect(notes.join("\n")).toContain('| {"amount":600}');
    const piped = deciding({});
    await piped.done;
    expect(piped.notes).toEqual([]);
  });
});

describe("a signature", () => {
  const { publicKey, privateKeyPem } = generateKeyPair();
  const proposal = withItsDigest(aProposal({ revision: 3, action: { endpoint: "payments-eu" } }));
  const deliveries = [aWaitingDelivery({ proposal })];
  const digits = proposal.digest.slice("sha256:".length);

  test("is over key, endpoint, revision, digest and action", async () => {
    const { done, said } = deciding({ privateKeyPem, digits: digits.slice(0, 12) }, { deliveries });
    await done;
    const { digest } = proposal;
    const signed = { key: "shop/evt_1", endpoint: "payments-eu", revision: 3, digest } as const;
    const signature = said[0]?.[1].signature ?? "";
    expect(verifyDecision(publicKey, decisionBytes({ ...signed, action: "approve" }), signature)).toBe(true);
    expect(verifyDecision(publicKey, decisionBytes({ ...signed, action: "reject" }), signature)).toBe(false);
  });

  test("is not made for a digest that is not that of what is shown, and nothing is said", async () => {
    const forged = { ...proposal, action: { ...proposal.action, url: "https://evil.example/" } };
    const told = { deliveries: [aWaitingDelivery({ proposal: forged })] };
    const { done, said } = deciding({ privateKeyPem, digits }, told);
    await expect(done).rejects.toMatchObject({ code: "refused" });
    expect(said).toEqual([]);
  });

  test("is not made for what is not proposed", async () => {
    const { done, said } = deciding({ privateKeyPem, digits: OTHER }, { deliveries });
    await done;
    expect(said[0]?.[1]).not.toHaveProperty("signature");
  });
});
