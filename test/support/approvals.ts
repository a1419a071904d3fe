/** Builders of approval: rules, proposals, and the facts by which people are asked and answer. */
import { advance, begin } from "../../src/delivery/advance.ts";
import type { PlannedDelivery } from "../../src/delivery/activity-shapes.ts";
import type {
  ApprovalRule,
  ApprovalTerms,
  BallotRights,
  DecisionAction,
  ProposalDraft,
} from "../../src/delivery/approval.ts";
import type { AttemptResult, Fact } from "../../src/delivery/facts.ts";
import type { Delivery, EventProgress } from "../../src/delivery/progress.ts";
import { aPlan, anIdentity, NOON_MS, someSettings } from "./deliveries.ts";

export type Later = Exclude<Fact, { fact: "accepted" }>;

export const EXPIRES_MS = 60_000;

/** One of three people, one approval, one rejection. */
export function aRule(changes: Partial<ApprovalRule> = {}): ApprovalRule {
  return {
    approvers: ["ana", "bo", "cleo"],
    quorum: 1,
    rejections: 1,
    fourEyes: false,
    requireSignedDecisions: false,
    escalate: null,
    version: null,
    ...changes,
  };
}

function someTerms(changes: Partial<ApprovalTerms> = {}): ApprovalTerms {
  return { rules: [aRule()], expiresMs: EXPIRES_MS, remindMs: [], onExpire: "end", notify: null, ...changes };
}

export const digestOf = (revision: number, endpoint = "crm"): string => `sha256:${endpoint}-${revision}`;

interface DraftParts {
  readonly endpoint?: string;
  readonly revision?: number;
  readonly digest?: string;
  readonly requestedBy?: string | null;
  readonly terms?: Partial<ApprovalTerms>;
}

/** Its digest is that of `digestOf`. */
export function aDraft({ endpoint = "crm", revision = 1, ...parts }: DraftParts = {}): ProposalDraft {
  const { digest = digestOf(revision, endpoint), requestedBy = null, terms } = parts;
  return {
    digest,
    revision,
    requestedBy,
    action: {
      endpoint,
      configVersion: "sha256:test",
      method: "POST",
      url: `https://${endpoint}.example/`,
      headerNames: [],
      type: "refund.requested",
      subject: null,
      contentType: "application/json",
      bodyBytes: 2,
    },
    terms: someTerms(terms),
  };
}

/** The answer of a worker; null = no approval is due. */
export function planned(draft: ProposalDraft | null, { endpoint = "crm", afterMs = 0 } = {}): Later {
  const settings = someSettings({ idempotencyKey: `cs1_${endpoint}` });
  const answer: PlannedDelivery = {
    kind: "planned",
    endpoint,
    draft,
    settings: draft === null ? settings : { ...settings, approval: true },
  };
  return { fact: "planned", planned: answer, atMs: NOON_MS + afterMs };
}

export interface Word {
  readonly actor?: string;
  readonly digest?: string;
  readonly note?: string;
  readonly delivery?: string;
  readonly signature?: string;
  readonly afterMs?: number;
}

/** A decision as it arrives, about the first proposal to `crm` unless it says otherwise. */
export function said(action: DecisionAction, { afterMs = 1000, ...word }: Word = {}): Later {
  const argument = { actor: "ana", digest: digestOf(1), ...(action === "reject" ? { note: "no" } : {}), ...word };
  return { fact: "message", message: { name: action, argument }, atMs: NOON_MS + afterMs };
}

/** An approver under the first rule. */
export function rightsFor(sequence: number, changes: Partial<BallotRights> = {}): BallotRights {
  return { sequence, known: true, rules: [0], escalated: [], signature: "absent", ...changes };
}

interface Examined {
  readonly endpoint?: string;
  readonly changed?: ProposalDraft;
  readonly afterMs?: number;
}

export function examined(
  rights: readonly BallotRights[],
  { endpoint = "crm", afterMs = 1000, ...rest }: Examined = {},
): Later {
  return { fact: "examined", examination: { kind: "examined", endpoint, rights, ...rest }, atMs: NOON_MS + afterMs };
}

/** A decision, and at once what a worker knows of its author: an approver under the first rule, or as told. */
export function decide(
  progress: EventProgress,
  action: DecisionAction,
  { rights = {}, ...word }: Word & { readonly rights?: Partial<BallotRights> } = {},
): EventProgress {
  const heard = advance(progress, said(action, word));
  const waiting = heard.deliveries.flatMap(({ endpoint, ballots }) =>
    ballots.map(({ sequence, atMs }) => ({ endpoint, sequence, afterMs: atMs - NOON_MS })),
  );
  return waiting.reduce(
    (folded, { endpoint, sequence, afterMs }) =>
      advance(folded, examined([rightsFor(sequence, rights)], { endpoint, afterMs })),
    heard,
  );
}

export const live = (progress: EventProgress, ...facts: readonly Later[]): EventProgress =>
  facts.reduce(advance, progress);

/** An event whose only delivery a person must approve first; nobody is asked yet. */
export function unasked(endpoints: readonly string[] = ["crm"]): EventProgress {
  const plan = aPlan(endpoints, { approval: true });
  return begin({ fact: "accepted", atMs: NOON_MS, event: anIdentity(), plan });
}

/** The same once people are asked, at noon. */
export function asked(parts: DraftParts = {}): EventProgress {
  return live(unasked(), planned(aDraft(parts)));
}

/** Approved by ana after a second. */
export function approved(parts: DraftParts = {}): EventProgress {
  return decide(asked(parts), "approve");
}

export function only(progress: EventProgress): Delivery {
  return deliveryTo(progress, progress.deliveries[0]?.endpoint ?? "");
}

export function deliveryTo(progress: EventProgress, endpoint: string): Delivery {
  const delivery = progress.deliveries.find((one) => one.endpoint === endpoint);
  if (delivery === undefined) throw new TypeError(`There is no delivery to ${endpoint}`);
  return delivery;
}

export function begun({ endpoint = "crm", number = 1, afterMs = 2000 } = {}): Later {
  return { fact: "attempt-begun", endpoint, number, via: "direct", atMs: NOON_MS + afterMs };
}

export function reported(result: AttemptResult, afterMs = 3000): Later {
  return { fact: "attempt-reported", via: "direct", result, atMs: NOON_MS + afterMs };
}

/** A person's word that is no decision. */
export function ordered(name: string, argument: object = {}, afterMs = 4000): Later {
  return {
    fact: "message",
    message: { name, argument: { actor: "ops", reason: "why not", ...argument } },
    atMs: NOON_MS + afterMs,
  };
}

export const passed = (afterMs: number): Later => ({ fact: "time-passed", atMs: NOON_MS + afterMs });
