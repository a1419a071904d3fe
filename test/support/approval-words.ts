/** What people say in a play: as they should, or not. */
import { sign as signBytes } from "node:crypto";
import type { DecisionAction } from "../../src/delivery/approval.ts";
import type { Proposal } from "../../src/delivery/event-state.ts";
import type { EventProgress } from "../../src/delivery/progress.ts";
import { bytesToSign, choose, type Chooser, KEYS, NAMES, type Setup } from "./approval-setups.ts";

export type Word = Pick<Said, "name" | "argument">;

/** A person's word as it was sent. */
export interface Said {
  readonly name: string;
  readonly argument: Readonly<Record<string, unknown>>;
  readonly atMs: number;
}

/** What anybody could read about a proposal when it was made. */
export interface Shown {
  readonly endpoint: string;
  readonly proposal: Proposal;
  /** How much had been said when it was made. */
  readonly saidBefore: number;
  /** Of a first attempt under it that ended: from then on it cannot expire. */
  triedAtMs: number | null;
}

/** Where people stand when they say something. */
export interface Scene {
  readonly pick: Chooser;
  readonly progress: EventProgress;
  readonly setup: Setup;
  /** By position among the messages of the run. */
  readonly said: readonly Said[];
  /** By digest. */
  readonly shown: ReadonlyMap<string, Shown>;
}

/** Whoever has seen a word can send it again, signature and all. */
export function someRepetition(scene: Scene): Word | null {
  const decisions = scene.said.filter(({ argument }) => "digest" in argument);
  return decisions.at(-1 - scene.pick(4)) ?? null;
}

/** People mostly decide on what is asked, as they should; sometimes on what was, or on nothing there is. */
export function someDecision(scene: Scene): Word {
  const { pick } = scene;
  const asking = scene.progress.deliveries.flatMap(({ approval }) =>
    approval === null ? [] : [approval.draft.digest],
  );
  const digests =
    pick(8) === 7
      ? [...scene.shown.keys(), "sha256:other"]
      : [...asking, "sha256:early"].slice(0, Math.max(1, asking.length));
  const digest = choose(pick, digests);
  const kind = pick(14);
  const action: DecisionAction = kind === 13 ? "reject" : kind > 9 ? "withdraw" : "approve";
  const somebody = choose(pick, [...NAMES, ...NAMES, ...NAMES, ...lastEditor(scene), "mallory", "ANA"]);
  const voters = action === "withdraw" ? votersOn(scene, digest) : [];
  const actor = choose(pick, voters.length > 0 ? voters : [somebody]);
  const signature = sign(scene, { actor, digest, action });
  return {
    name: action,
    argument: { actor, digest, note: "because", ...(signature === null ? {} : { signature }) },
  };
}

/** Whoever amended last, by the name under which they may decide: they will want to. */
function lastEditor({ said }: Scene): readonly string[] {
  const editor = String(said.findLast(({ name }) => name === "amend")?.argument["actor"]).toLowerCase();
  const person = NAMES.filter((name) => name.toLowerCase() === editor);
  return [...person, ...person, ...person];
}

function votersOn({ progress }: Scene, digest: string): readonly string[] {
  const asked = progress.deliveries.filter(({ approval }) => approval?.draft.digest === digest);
  return asked.flatMap(({ approval }) => approval?.approvals.map((vote) => vote.actor) ?? []);
}

function sign(
  scene: Scene,
  word: { readonly actor: string; readonly digest: string; readonly action: DecisionAction },
): string | null {
  const { actor, digest, action } = word;
  const shown = scene.shown.get(digest);
  const kind = scene.pick(12);
  if (shown === undefined || kind === 8) return null;
  const key = scene.setup.people[actor]?.key ?? null;
  // Somebody else's, or for something else.
  const pair = KEYS[kind > 10 ? scene.pick(KEYS.length) : (key ?? -1)];
  if (pair === undefined) return null;
  const { endpoint, proposal } = shown;
  const signed = kind === 7 || kind === 9 ? "withdraw" : action;
  const bytes = bytesToSign(["decision.v1", "shop/evt_1", endpoint, String(proposal.revision), digest, signed]);
  return signBytes(null, bytes, pair.privateKey).toString("base64");
}

/** Amendments mostly go where they can count. */
export function someOrder(scene: Scene): Word {
  const { pick } = scene;
  const { deliveries } = scene.progress;
  const waiting = deliveries.filter(({ state }) => state === "awaiting-approval" || state === "needs-attention");
  const delivery = choose(pick, waiting.length > 0 ? waiting : deliveries).endpoint;
  const word = { actor: choose(pick, ["ops", "bo", "Cleo", "ANA"]), reason: "because", delivery };
  const content = choose(pick, [
    { data: { amount: 500 } },
    { data: { amount: 200 } },
    { data: { amount: 50 } },
    { endpoint: "ledger" },
    { endpoint: "payments" },
  ]);
  const kind = pick(10);
  if (kind < 6) return { name: "amend", argument: { ...word, ...content } };
  return { name: kind < 9 ? "replay" : "discard", argument: word };
}
