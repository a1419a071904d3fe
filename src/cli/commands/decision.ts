/** What `approve`, `reject` and `withdraw` share: who decides on exactly what, and whether it counted. */
import type { Countersign, DecisionWord } from "../../client/countersign.ts";
import type { EventReport } from "../../client/get-event.ts";
import type { DecisionAction } from "../../delivery/approval.ts";
import { showsItsDigest } from "../../config/shown-digest.ts";
import { decisionBytes } from "../../delivery/decision-bytes.ts";
import { type DeliveryStatus, isTerminal, type Proposal, type Verdict } from "../../delivery/event-state.ts";
import { CountersignError } from "../../errors.ts";
import { signDecision } from "../../signing/decision-signature.ts";
import { agrees } from "../ask.ts";
import type { CliContext } from "../context.ts";
import { parseDigest, shortDigest, wholeDigest } from "../digest-argument.ts";
import { EXIT } from "../exit-code.ts";
import { readKeyFile } from "../key-file.ts";
import { personOf } from "../person.ts";
import { proposalLines } from "../proposal-lines.ts";
import { refusalFacts } from "../refusal-facts.ts";
import { requireDelivery } from "../require-delivery.ts";
import { requireKey } from "../require-key.ts";
import { withSpinner } from "../spinner.ts";
import { standingSentence } from "../standing-sentence.ts";
import { reportVerdict } from "../verdict-report.ts";
import { clientConfig, withClientOf } from "../with-client.ts";

export interface DecisionCommand {
  /** Whole, or its first digits. */
  readonly digest: string;
  readonly note?: string;
  readonly delivery?: string;
  readonly as?: string;
  readonly keyFile?: string;
  /** Do not ask. */
  readonly yes?: boolean;
}

export interface DecisionVerb {
  readonly action: DecisionAction;
  /** As in "the approval of KEY". */
  readonly noun: string;
  /** Asked on a terminal. */
  readonly question: string;
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
  const decision = { key, verb, options, actor, digits, privateKeyPem, people: Object.keys(config.people) };
  return await withClientOf(context, config, async (countersign) => await decideOn(context, countersign, decision));
}

export interface Decision {
  readonly key: string;
  readonly verb: DecisionVerb;
  readonly options: Pick<DecisionCommand, "note" | "delivery" | "yes">;
  readonly actor: string;
  /** Hex digits of the digest, from the first on. */
  readonly digits: string;
  /** Null = the decision is not signed. */
  readonly privateKeyPem: string | null;
  /** Names of the configuration at hand; empty = none are known. */
  readonly people: readonly string[];
}

/** Never on "the latest": what was typed either begins the digest of what is proposed now, or is sent as it is. */
export async function decideOn(
  context: CliContext,
  countersign: Pick<Countersign, "get" | DecisionAction>,
  decision: Decision,
): Promise<number> {
  const { terminal, json } = context;
  const { key, verb, options, digits, actor } = decision;
  const event = await withSpinner(terminal, "Reading", async () => await countersign.get(key));
  requireDelivery(event, options.delivery);
  const asked = askedIn(event, options.delivery);
  const proposals = asked.map(({ proposal }) => proposal);
  const digest = wholeDigest(digits, proposals);
  const delivery = asked.find(({ proposal }) => proposal.digest === digest) ?? null;
  if (delivery !== null && !(await isConfirmed(context, decision, delivery))) return EXIT.failed;
  const verdict =
    digest === null
      ? notSent(proposals)
      : await withSpinner(
          terminal,
          "Waiting for a worker's answer",
          async () => await countersign[verb.action](key, wordOf(decision, digest, delivery?.proposal ?? null)),
        );
  const { action, noun } = verb;
  const hint = hintFor(verdict, event) ?? refusalFacts({ because: verdict.refusedBecause, actor, delivery });
  const sentence =
    json || !verdict.counted || digest === null
      ? ""
      : await whatStands(context, countersign, { key, action, digest, endpoint: delivery?.endpoint ?? null });
  return reportVerdict(context, verdict, { key, noun, action, sentence, ...(hint === null ? {} : { hint }) });
}

type AskedDelivery = DeliveryStatus & { readonly proposal: Proposal };

/** Those with a proposal, decided or not: a decision that comes late is the workflow's to judge. */
function askedIn({ deliveries }: EventReport, named: string | undefined): readonly AskedDelivery[] {
  return deliveries.flatMap((delivery) => {
    const { endpoint, proposal } = delivery;
    return proposal === null || (named !== undefined && named !== endpoint) ? [] : [{ ...delivery, proposal }];
  });
}

/** A person at a terminal sees once more what the digest stands for, and is asked; a program is not. */
async function isConfirmed(context: CliContext, decision: Decision, delivery: AskedDelivery): Promise<boolean> {
  const { terminal, json } = context;
  if (json) return true;
  if (terminal.stderr.isTTY === true) showBefore(context, decision, delivery);
  if (decision.options.yes === true || !terminal.canAsk) return true;
  const agreed = await agrees(context, `${decision.verb.question} [y/N] `);
  if (!agreed) terminal.note("Nothing was said, and nothing was changed.");
  return agreed;
}

function showBefore({ terminal }: CliContext, { key, people }: Decision, delivery: AskedDelivery): void {
  const { proposal, decisions, state } = delivery;
  const ended = isTerminal(state) ? state : null;
  const view = { key, nowMs: Date.now(), colors: terminal.noteColors, ended, page: 1, decisions, people };
  for (const line of proposalLines(proposal, view)) terminal.note(line);
}

interface CountedOn {
  readonly key: string;
  readonly action: DecisionAction;
  readonly digest: string;
  /** Of the delivery, where that was known before. */
  readonly endpoint: string | null;
}

/** That it counted is certain, so a state that cannot be read must not hide it. */
async function whatStands(
  { terminal }: CliContext,
  countersign: Pick<Countersign, "get">,
  { key, action, digest, endpoint }: CountedOn,
): Promise<string> {
  const deliveries = await withSpinner(terminal, "Reading", async () => (await countersign.get(key)).deliveries).catch(
    (): readonly DeliveryStatus[] => [],
  );
  const delivery =
    deliveries.find(({ proposal }) => proposal?.digest === digest) ??
    deliveries.find((candidate) => candidate.endpoint === endpoint) ??
    null;
  return standingSentence({ action, digest, delivery, nowMs: Date.now() });
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

/** Somebody who looked at something else is told that there is more to look at: never a digest to paste unseen. */
function hintFor({ refusedBecause }: Verdict, { deliveries }: EventReport): string | null {
  if (refusedBecause !== "wrong-digest" && refusedBecause !== "stale-revision") return null;
  const waiting = deliveries.flatMap(({ endpoint, state, proposal }) =>
    proposal === null || state !== "awaiting-approval" ? [] : [`${shortDigest(proposal.digest)} (${endpoint})`],
  );
  return waiting.length === 0 ? null : `What waits now begins with ${waiting.join(", ")}.`;
}
