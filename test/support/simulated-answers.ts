/** What people say and what workers answer in a simulated run, by its tape of choices. */
import type { Examination, LaneAnswer, LookupResult, PlannedDelivery } from "../../src/delivery/activity-shapes.ts";
import type { ApprovalRule, BallotRights, ProposalDraft } from "../../src/delivery/approval.ts";
import type { AttemptRecord, Way } from "../../src/delivery/attempt.ts";
import { isTerminal } from "../../src/delivery/event-state.ts";
import { proposalsOf } from "../../src/delivery/progress.ts";
import type { AttemptResult, Message } from "../../src/delivery/facts.ts";
import type { Delivery } from "../../src/delivery/progress.ts";
import { nextRevisionOf } from "../../src/delivery/progress.ts";
import { aDraft, aRule } from "./approvals.ts";
import { someSettings } from "./deliveries.ts";
import type { Question, World } from "./simulated-world.ts";

const PEOPLE = ["ana", "bo", "Bo", "ops"];
const WORDS = ["replay", "amend", "mark-delivered", "replay", "resolve", "amend", "discard"];
const STEERING = ["hold", "hurry", "release", "hold", "release"];
const DECISIONS = ["approve", "approve", "approve", "approve", "decide", "withdraw", "reject"];

export function someMessages(world: World): readonly Message[] {
  const asks = asksPeople(world);
  const count = asks || canBeSteered(world) ? Math.max(0, world.pick(6) - 3) : Math.max(0, world.pick(9) - 6);
  return Array.from({ length: count }, () => (asks && world.pick(5) > 0 ? someDecision(world) : someWord(world)));
}

function asksPeople({ plan, progress }: World): boolean {
  const deliveries = progress?.deliveries ?? [];
  return (
    deliveries.some((delivery) => proposalsOf(delivery).length > 0 && !isTerminal(delivery.state)) ||
    (deliveries.length === 0 && plan.deliveries.some(({ settings }) => settings.approval))
  );
}

function canBeSteered({ progress }: World): boolean {
  return progress?.deliveries.some(({ wait, hold }) => wait !== null || hold !== null) ?? false;
}

/** Undefined may be one of the choices. */
function choose<Choice>(world: World, choices: readonly Choice[]): Choice {
  // Within the list, and undefined may be one of its choices.
  return choices[world.pick(choices.length)] as Choice;
}

function someWord(world: World): Message {
  if (canBeSteered(world) && world.pick(3) > 0) return steeringWord(world);
  const delivery = choose(world, [undefined, undefined, "crm", "ledger", "nobody"]);
  const reason = world.pick(5) === 4 ? "" : "why not";
  const content = choose(world, [
    { data: 1 },
    { data_base64: "AAEC" },
    { endpoint: "mail" },
    { endpoint: "crm", data: 2 },
    {},
  ]);
  const name = choose(world, world.pick(3) === 0 ? STEERING : WORDS);
  return { name, argument: { actor: "ops", reason, action: "replay", delivery, ...content } };
}

/** About a delivery that waits, or that somebody holds. */
function steeringWord(world: World): Message {
  const steered = world.progress?.deliveries.filter(({ wait, hold }) => wait !== null || hold !== null) ?? [];
  const action = choose(world, STEERING);
  const delivery = choose(
    world,
    steered.map(({ endpoint }) => endpoint),
  );
  return { name: choose(world, [action, "resolve"]), argument: { actor: "ops", reason: "now", action, delivery } };
}

function someDecision(world: World): Message {
  const deliveries = world.progress?.deliveries ?? [];
  const seen = deliveries.flatMap((delivery) => proposalsOf(delivery).map(({ digest }) => digest));
  const latest = deliveries.map((delivery) => proposalsOf(delivery).at(-1)?.digest ?? "sha256:early");
  const isAtRandom = world.pick(6) === 5;
  const digest = choose(
    world,
    isAtRandom ? [...seen, "", "sha256:other"] : [...latest, "sha256:early"].slice(0, Math.max(1, latest.length)),
  );
  const note = world.pick(4) === 0 ? "" : "because";
  const delivery = isAtRandom ? choose(world, [undefined, "crm", "ledger", "nobody"]) : undefined;
  const argument = {
    actor: choose(world, PEOPLE),
    action: choose(world, ["approve", "withdraw"]),
    digest,
    note,
    delivery,
  };
  return { name: choose(world, DECISIONS), argument };
}

function someRule(world: World): ApprovalRule {
  return aRule({
    approvers: PEOPLE,
    quorum: 1 + world.pick(2),
    rejections: 1 + world.pick(2),
    fourEyes: world.pick(3) === 0,
    requireSignedDecisions: world.pick(6) === 5,
    escalate: world.pick(3) === 0 ? { afterMs: 1500, to: ["ops"] } : null,
  });
}

/** Times are short, so that they are met within a run. */
function someDraft(world: World, endpoint: string, revision: number): ProposalDraft {
  return aDraft({
    endpoint,
    revision,
    requestedBy: choose(world, [null, "BO"]),
    terms: {
      rules: Array.from({ length: 1 + world.pick(2) }, () => someRule(world)),
      expiresMs: choose(world, [3000, 20_000, 60_000]),
      remindMs: choose(world, [[], [500], [400, 1500]]),
      onExpire: choose(world, ["end", "park"]),
      notify: choose(world, [null, "chat"]),
    },
  });
}

export function somePlanned(
  world: World,
  { endpoint, revision }: Extract<Question, { asks: "plan" }>,
): PlannedDelivery {
  const kind = world.pick(16);
  if (kind === 15) return { kind: "withheld", endpoint, reason: "not-routed" };
  const settings = { ...someSettings({ idempotencyKey: `cs1_${endpoint}` }), lane: world.pick(5) === 0 };
  if (kind === 1) return { kind: "planned", endpoint, settings, draft: null };
  const draft = someDraft(world, endpoint, revision);
  return { kind: "planned", endpoint, settings: { ...settings, approval: true }, draft };
}

export function someExamination(world: World, question: Extract<Question, { asks: "examine" }>): Examination {
  const { endpoint, revision, digest, sequences } = question;
  const kind = world.pick(16);
  if (kind === 15) return { kind: "withheld", endpoint, reason: "unknown-endpoint" };
  const rights = sequences.map((sequence) => someRights(world, sequence));
  return {
    kind: "examined",
    endpoint,
    digest,
    rights,
    ...(kind === 1 ? { changed: someDraft(world, endpoint, revision) } : {}),
  };
}

function someRights(world: World, sequence: number): BallotRights {
  return {
    sequence,
    known: world.pick(16) < 15,
    rules: choose(world, [[0, 1], [0, 1], [0, 1], [0, 1], [0, 1], [0], [1], []]),
    escalated: choose(world, [[], [0]]),
    signature: choose(world, ["absent", "absent", "absent", "absent", "absent", "valid", "valid", "bad"]),
  };
}

export function someLaneAnswer(world: World, endpoint: string): LaneAnswer | undefined {
  const kind = world.pick(12);
  if (kind === 11) return { kind: "withheld", endpoint, reason: "unknown-endpoint" };
  return kind < 5 ? undefined : { kind: "opened" };
}

/** `delivery` is null where the event is not accepted yet. */
export function someResult(
  world: World,
  facts: { readonly endpoint: string; readonly number: number; readonly via: Way; readonly delivery: Delivery | null },
): AttemptResult {
  const { endpoint, number, via, delivery } = facts;
  const kind = world.pick(16);
  if (kind === 15) return { kind: "withheld", endpoint, reason: "not-routed" };
  if (kind === 1 && via !== "lane") return { kind: "to-lane", endpoint };
  if (kind === 2 && via === "local") return { kind: "lost", endpoint, number };
  if (kind === 3 && via === "local") return { kind: "set-aside", endpoint };
  if (kind === 4) {
    const revision = delivery === null ? 1 : nextRevisionOf(delivery);
    const because = choose(world, ["changed", "approval-lost"] as const);
    return {
      kind: "unapproved",
      endpoint,
      draft: someDraft(world, endpoint, revision),
      ...(delivery?.approval && { because }),
    };
  }
  if (kind === 5 && delivery?.approval?.executedAt === null) return { kind: "too-late", endpoint };
  return { kind: "attempted", endpoint, record: someRecord(world, number, via), ...someChange(world, delivery) };
}

/** Now and then the configuration has changed since the attempt before. */
function someChange(world: World, delivery: Delivery | null): Pick<Attempted, "settings"> {
  if (delivery === null || world.pick(8) > 0) return {};
  const idempotent = world.pick(2) === 0;
  const configVersion = choose(world, ["sha256:test", "sha256:new"]);
  return { settings: { ...delivery.settings, configVersion, idempotent, ...(idempotent ? {} : { reconcile: true }) } };
}

type Attempted = Extract<AttemptResult, { kind: "attempted" }>;

export function someLookup(world: World, { endpoint, number }: Extract<Question, { asks: "lookup" }>): LookupResult {
  const made = {
    attempt: number,
    at: new Date(world.nowMs).toISOString(),
    durationMs: 5,
    tries: 1,
    by: "url",
  } as const;
  const found = choose(world, ["delivered", "absent", "absent", "unclear"] as const);
  return { endpoint, record: { ...made, found, code: "http_200", status: 200 } };
}

export function someRecord(world: World, number: number, via: Way): AttemptRecord {
  const made = { number, at: new Date(world.nowMs).toISOString(), durationMs: world.pick(300), via } as const;
  switch (world.pick(6)) {
    case 0:
      return { ...made, outcome: "delivered", certainty: "answered", status: 200, code: "http_200" };
    case 1:
      return { ...made, outcome: "refused", certainty: "answered", status: 400, code: "http_400" };
    case 2:
      return { ...made, outcome: "uncertain", certainty: "unknown", code: "timeout_total" };
    case 3:
      return { ...made, outcome: "canceled", certainty: "not-sent", code: "canceled" };
    case 4:
      return {
        ...made,
        outcome: "retry",
        certainty: "answered",
        status: 429,
        code: "http_429",
        retryAfterMs: choose(world, [5000, 900]),
      };
    default:
      return { ...made, outcome: "retry", certainty: "answered", status: 503, code: "http_503" };
  }
}
