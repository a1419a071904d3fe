/**
 * The law of the product: nothing is sent that the people of the sending worker's configuration
 * have not approved, as it is sent, in their full number.
 *
 * The judge below knows nothing of the code: it reads what people said and saw, and what was sent.
 */
import { createPublicKey, verify } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Play, playApproval, type Sent } from "../support/approval-play.ts";
import {
  bytesToSign,
  type EndpointName,
  FURTHER_AFTER_MS,
  KEYS,
  type Policy,
  type Setup,
} from "../support/approval-setups.ts";
import type { Said, Shown } from "../support/approval-words.ts";

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

function endpointOf({ request }: Sent): EndpointName {
  // Every URL of these setups ends with the name of its endpoint.
  return new URL(request.url).pathname.slice(1) as EndpointName;
}

/** What the sending worker's configuration demands for exactly this request. */
function demanded(sent: Sent): readonly Policy[] {
  const { amount } = JSON.parse(text(sent.request.body)) as { readonly amount: number };
  return sent.setup.policies[endpointOf(sent)].filter(({ above }) => above === null || amount > above);
}

/** Whether what was sent is what was shown. */
function isSame({ endpoint, proposal }: Shown, sent: Sent): boolean {
  const { action } = proposal;
  const { url, method, headers, body } = sent.request;
  return (
    endpoint === endpointOf(sent) &&
    action.url === url &&
    action.method === method &&
    action.contentType === headers["content-type"] &&
    "body" in action &&
    action.body === text(body) &&
    action.headerNames.join() === (headers["x-team"] === undefined ? "" : "x-team")
  );
}

/** Whether people were told of this demand. */
function wasTold({ proposal }: Shown, policy: Policy): boolean {
  const { policy: shown } = proposal;
  return (shown.rules ?? [shown]).some(
    ({ approvers, quorum, fourEyes, requireSignedDecisions }) =>
      approvers.join() === policy.approvers.join() &&
      quorum === policy.quorum &&
      fourEyes === policy.fourEyes &&
      requireSignedDecisions === policy.signed,
  );
}

const isMeant = (list: readonly string[], name: string, groups: readonly string[]): boolean =>
  list.includes(name) || groups.some((group) => list.includes(`group:${group}`));

const plain = (name: unknown): string => String(name).trim().normalize("NFC").toLowerCase();

function isSigned({ name, argument }: Said, { endpoint, proposal }: Shown, person: Setup["people"][string]): boolean {
  const publicKey = person.key === null ? undefined : KEYS[person.key]?.publicKey;
  if (publicKey === undefined || typeof argument["signature"] !== "string") return false;
  const fields = ["decision.v1", "shop/evt_1", endpoint, String(proposal.revision), proposal.digest, name];
  const key = Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), Buffer.from(publicKey, "base64")]);
  const spki = createPublicKey({ key, format: "der", type: "spki" });
  return verify(null, bytesToSign(fields), spki, Buffer.from(argument["signature"], "base64"));
}

/** Distinct people who had approved what was shown when it was sent, and may do so where it was sent. */
function inFavor(
  play: Play,
  shown: Shown,
  { policy, sent }: { readonly policy: Policy; readonly sent: Sent },
): readonly string[] {
  const createdMs = Date.parse(shown.proposal.createdAt);
  const about = play.said
    .slice(0, sent.saidBefore)
    .map((said, sequence) => ({ ...said, verdict: play.progress.verdicts[sequence] }))
    .filter(({ argument }) => argument["digest"] === shown.proposal.digest);
  const editor = play.said.slice(0, shown.saidBefore).findLast(({ name, argument }, sequence) => {
    const to = argument["endpoint"] ?? argument["delivery"];
    return name === "amend" && play.progress.verdicts[sequence]?.counted && to === shown.endpoint;
  });
  const involved = [play.event.requestedBy, editor?.argument["actor"]].filter((name) => name !== undefined).map(plain);
  return Object.entries(sent.setup.people).flatMap(([person, facts]) => {
    const own = about.filter(({ argument }) => argument["actor"] === person);
    const withdrawn = own.findLastIndex(({ name, verdict }) => name === "withdraw" && verdict?.counted === true);
    const stands = own.slice(withdrawn + 1).some((said) => {
      const isFurther =
        said.atMs >= createdMs + FURTHER_AFTER_MS && isMeant(policy.further ?? [], person, facts.groups);
      const mayDecide = isMeant(policy.approvers, person, facts.groups) || isFurther;
      const inTime = said.atMs < Date.parse(shown.proposal.expiresAt);
      return said.name === "approve" && mayDecide && inTime && (!policy.signed || isSigned(said, shown, facts));
    });
    // What was signed and taken back may come again from anybody: it takes a new proposal.
    const mayBeRepeated = policy.signed && withdrawn >= 0;
    return stands && !mayBeRepeated && !(policy.fourEyes && involved.includes(plain(person))) ? [person] : [];
  });
}

/** Whether this proposal allowed this request: the same thing, in time, and every demand met. */
function allows(play: Play, shown: Shown, sent: Sent): boolean {
  const isInTime = sent.atMs < Date.parse(shown.proposal.expiresAt) || (shown.triedAtMs ?? Infinity) < sent.atMs;
  return (
    isSame(shown, sent) &&
    isInTime &&
    demanded(sent).every(
      (policy) => wasTold(shown, policy) && inFavor(play, shown, { policy, sent }).length >= policy.quorum,
    )
  );
}

function isAllowed(play: Play, sent: Sent): boolean {
  return demanded(sent).length === 0 || [...play.shown.values()].some((shown) => allows(play, shown, sent));
}

/** Unbiased: a tape of small numbers lets little happen. */
const tapes = fc.noBias(fc.array(fc.nat({ max: 5039 }), { minLength: 800, maxLength: 1000 }));

describe("whatever people, workers and configurations do", () => {
  const seen = { approved: 0, free: 0, asked: 0, anew: 0 };

  test("nothing is sent that its quorum of distinct, eligible people has not approved as it is", async () => {
    await fc.assert(
      fc.asyncProperty(tapes, async (tape) => {
        const play = await playApproval(tape);
        for (const sent of play.sent) {
          expect(isAllowed(play, sent), `${sent.request.url} at ${sent.atMs}`).toBe(true);
          seen[demanded(sent).length === 0 ? "free" : "approved"] += 1;
        }
        seen.asked += play.shown.size > 0 ? 1 : 0;
        seen.anew += play.shown.size > 2 ? 1 : 0;
      }),
      // Such a tape is long to shrink: a failure is told within the time of the test.
      { numRuns: 150, interruptAfterTimeLimit: 75_000 },
    );
  });

  test("and the law is not kept by sending nothing", () => {
    expect(seen.approved).toBeGreaterThan(20);
    expect(seen.free).toBeGreaterThan(20);
    expect(seen.anew).toBeGreaterThan(20);
  });
});
