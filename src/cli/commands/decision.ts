/** What `approve`, `reject` and `withdraw` share: who decides on exactly what, and whether it counted. */
import type { Countersign, DecisionWord } from "../../client/countersign.ts";
import type { EventReport } from "../../client/get-event.ts";
import type { DecisionAction } from "../../delivery/approval.ts";
import { showsItsDigest } from "../../config/shown-digest.ts";
import { decisionBytes } from "../../delivery/decision-bytes.ts";
import type { Proposal, Verdict } from "../../delivery/event-state.ts";
import { CountersignError } from "../../errors.ts";
import { signDecision } from "../../signing/decision-signature.ts";
import type { CliContext } from "../context.ts";
import { parseDigest, wholeDigest } from "../digest-argument.ts";
import { readKeyFile } from "../key-file.ts";
import { personOf } from "../person.ts";
import { proposalLines } from "../proposal-lines.ts";
import { requireKey } from "../require-key.ts";
import { withSpinner } from "../spinner.ts";
import { reportVerdict } from "../verdict-report.ts";
import { clientConfig, withClientOf } from "../with-client.ts";

export interface DecisionCommand {
  /** Whole, or its first digits. */
  readonly digest: string;
  readonly note?: string;
  readonly delivery?: string;
  readonly as?: string;
  readonly keyFile?: string;
}

export interface DecisionVerb {
  readonly action: DecisionAction;
  /** As in "the approval of KEY". */
  readonly noun: string;
  /** Completes "KEY …." once it has counted. */
  readonly done: string;
  readonly needsNote?: true;
}

export async function decide(
  context: CliContext,
  key: string,
  parts: { readonly verb: DecisionVerb; readonly options: DecisionCommand },
): Promise<number> {
  const { verb, options } = parts;
  requireKey(key);
  const digits = parseDigest(options.digest);
  if (verb.needsNote === true && (options.note ?? "").trim() === "")
    throw new CountersignError("bad_argument", "--note must say why: it is kept with the event.");
  const config = await clientConfig(context);
  const actor = personOf(options.as, context.environment, config.people);
  const privateKeyPem = await readKeyFile(context, options.keyFile);
  return await withClientOf(
    context,
    config,
    async (countersign) => await decideOn(context, countersign, { key, verb, options, actor, digits, privateKeyPem }),
  );
}

export interface Decision {
  readonly key: string;
  readonly verb: DecisionVerb;
  readonly options: Pick<DecisionCommand, "note" | "delivery">;
  readonly actor: string;
  /** Hex digits of the digest, from the first on. */
  readonly digits: string;
  /** Null = the decision is not signed. */
  readonly privateKeyPem: string | null;
}

/** Never on "the latest": what was typed either begins the digest of what is proposed now, or is sent as it is. */
export async function decideOn(
  context: CliContext,
  countersign: Pick<Countersign, "get" | DecisionAction>,
  decision: Decision,
): Promise<number> {
  const { terminal } = context;
  const { key, verb, options, digits } = decision;
  const event = await withSpinner(terminal, "Reading", async () => await countersign.get(key));
  const proposals = proposalsOf(event, options.delivery);
  const digest = wholeDigest(digits, proposals);
  const proposal = proposals.find((candidate) => candidate.digest === digest) ?? null;
  if (proposal !== null) showBefore(context, proposal, key);
  const verdict =
    digest === null
      ? notSent(proposals)
      : await withSpinner(
          terminal,
          "Waiting for a worker's answer",
          async () => await countersign[verb.action](key, wordOf(decision, digest, proposal)),
        );
  return reportVerdict(context, verdict, { key, noun: verb.noun, done: verb.done, ...hintFor(verdict, event) });
}

/** Those in force, decided or not: a decision that comes late is the workflow's to judge. */
function proposalsOf({ deliveries }: EventReport, named: string | undefined): readonly Proposal[] {
  return deliveries.flatMap(({ endpoint, proposal }) =>
    proposal === null || (named !== undefined && named !== endpoint) ? [] : [proposal],
  );
}

/** A person at a terminal sees once more what the digest stands for. */
function showBefore({ terminal, json }: CliContext, proposal: Proposal, key: string): void {
  if (json || terminal.stderr.isTTY !== true) return;
  const view = { key, nowMs: Date.now(), colors: terminal.noteColors, ended: false, page: 1 };
  for (const line of proposalLines(proposal, view)) terminal.note(line);
}

function wordOf(decision: Decision, digest: string, proposal: Proposal | null): DecisionWord {
  const { note, delivery } = decision.options;
  return {
    actor: decision.actor,
    digest,
    ...(note === undefined ? {} : { note }),
    ...(delivery === undefined ? {} : { delivery }),
    ...signatureOf(decision, proposal),
  };
}

/** What is signed names endpoint and revision, so a digest that fits no proposal goes unsigned: it cannot count. */
function signatureOf(
  { key, verb, privateKeyPem }: Decision,
  proposal: Proposal | null,
): { readonly signature?: string } {
  if (privateKeyPem === null || proposal === null) return {};
  requireShownDigest(key, proposal);
  const { digest, revision, action } = proposal;
  const bytes = decisionBytes({ key, endpoint: action.endpoint, revision, digest, action: verb.action });
  return { signature: signDecision(privateKeyPem, bytes) };
}

/** What you see is what you sign, whoever computed the digest. */
function requireShownDigest(key: string, proposal: Proposal): void {
  if (showsItsDigest(key, proposal) !== false) return;
  throw new CountersignError(
    "refused",
    `The digest of ${key} is not that of the request it shows: nothing was signed, and nothing was said. Workers of another version, or somebody between them and you, may be the reason`,
    { details: { key, digest: proposal.digest } },
  );
}

/** The first digits alone say nothing to the workflow: where they fit no proposal, nothing is said. */
function notSent(proposals: readonly Proposal[]): Verdict {
  const refusedBecause = proposals.length === 0 ? "nothing-waits" : "wrong-digest";
  return { counted: false, refusedBecause, at: new Date().toISOString() };
}

/** Somebody who looked at something else is told what there is now. */
function hintFor({ refusedBecause }: Verdict, { deliveries }: EventReport): { readonly hint?: string } {
  if (refusedBecause !== "wrong-digest" && refusedBecause !== "stale-revision") return {};
  const waiting = deliveries.flatMap(({ endpoint, state, proposal }) =>
    proposal === null || state !== "awaiting-approval" ? [] : [`${proposal.digest} (${endpoint})`],
  );
  return waiting.length === 0 ? {} : { hint: `What waits now is ${waiting.join(", ")}.` };
}
