import { describe, expect, test } from "vitest";
import {
  aClue,
  aGrant,
  anAnswer,
  anEvent,
  anInput,
  aStage,
  perform,
  type Stage,
  type StageOptions,
  stageConfig,
} from "../../test/support/activity-stage.ts";
import { at, NOON_MS } from "../../test/support/deliveries.ts";
import { until } from "../../test/support/until.ts";
import { idempotencyKeyFor } from "../config/digests.ts";
import type { RawApproval, RawConfig, RawEndpoint } from "../config/raw-config.ts";
import type { AttemptInput } from "../delivery/activity-shapes.ts";
import type { Amendment, ApprovalGrant, Vote } from "../delivery/approval.ts";
import { decisionBytes } from "../delivery/decision-bytes.ts";
import { MINUTE_MS } from "../delivery/durations.ts";
import type { AttemptResult } from "../delivery/facts.ts";
import { generateKeyPair, signDecision } from "../signing/decision-signature.ts";

const KEYS = { ana: generateKeyPair(), ben: generateKeyPair() };
const PEOPLE = {
  ana: { groups: ["finance"], publicKey: KEYS.ana.publicKey },
  ben: { groups: ["finance"], publicKey: KEYS.ben.publicKey },
};
const EXPIRES_MS = NOON_MS + 60 * MINUTE_MS;

interface Setting {
  readonly crm?: RawEndpoint;
  readonly approval?: Partial<RawApproval>;
  readonly people?: RawConfig["people"];
  readonly options?: StageOptions;
}

/** Endpoints `crm` and `other`; whatever goes to `crm` must be approved by two of finance. */
function aGuarded({ crm = {}, approval = {}, people = PEOPLE, options }: Setting = {}): Stage {
  const endpoints = {
    crm: { url: "https://crm.example/hook", ...crm },
    other: { url: "https://other.example/", format: "cloudevents" as const },
  };
  const asks = { approvers: ["group:finance"], quorum: 2, ...approval };
  const routes = [{ match: { type: "order.*" }, to: ["crm"], approval: asks }];
  return aStage(stageConfig(endpoints, { people, routes }), options);
}

const attempt = (stage: Stage, changes: Partial<AttemptInput> = {}): Promise<AttemptResult> =>
  perform(stage.deps, ["attemptDelivery", anInput(changes)]);

const aVote = (actor: string, digest: string, changes: Partial<Vote> = {}): Vote => ({
  actor,
  at: at(1000),
  digest,
  signature: null,
  rules: [0],
  ...changes,
});

/** What a run brings that finance has approved, as far as this stage's own configuration goes. */
function granted(stage: Stage, changes: Partial<ApprovalGrant> = {}): ApprovalGrant {
  const grant = aGrant(stage.deps, { expiresAtMs: EXPIRES_MS });
  const votes = ["ana", "ben"].map((actor) => aVote(actor, grant.digest));
  return { ...grant, votes, ...changes };
}

function draftOf(stage: Stage, revision: number, amendment: Amendment | null = null) {
  const endpoint = amendment === null ? "crm" : "other";
  const planned = stage.deps.routing.delivery({ event: anEvent(), endpoint, revision, amendment });
  if (planned.kind === "withheld" || planned.draft === null) throw new TypeError("No approval is due");
  return planned.draft;
}

describe("without an approval", () => {
  test("nothing is sent, and what must be asked comes back, whatever the plan of the input says", async () => {
    const stage = aGuarded();
    for (const via of ["direct", "lane", "local"] as const) {
      const clues = via === "local" ? { clues: aClue() } : {};
      const result = await attempt(stage, { via, ...clues });
      expect(result).toEqual({ kind: "unapproved", endpoint: "crm", draft: draftOf(stage, 1) });
    }
    expect(stage.sent).toEqual([]);
    expect(stage.lines).toEqual([]);
  });

  test("what comes back is of the revision that nobody has been asked about", async () => {
    const stage = aGuarded();
    expect(await attempt(stage, { nextRevision: 3 })).toMatchObject({ draft: { revision: 3 } });
    const refused = await attempt(stage, { approval: granted(stage, { votes: [] }), nextRevision: 2 });
    expect(refused).toEqual({
      kind: "unapproved",
      because: "approval-lost",
      endpoint: "crm",
      draft: draftOf(stage, 2),
    });
    expect(draftOf(stage, 2).digest).not.toBe(draftOf(stage, 1).digest);
  });

  test("a place outside the lane is not taken, and none is asked for", async () => {
    const stage = aGuarded({ crm: { limits: { concurrency: 1 } } });
    expect(await attempt(stage)).toMatchObject({ kind: "unapproved" });
    expect(await attempt(stage, { approval: granted(stage) })).toEqual({ kind: "to-lane", endpoint: "crm" });
  });

  test("what was proposed comes back where the next revision can no longer be made out", async () => {
    const stage = aGuarded();
    const { routing } = stage.deps;
    // A condition of the route that says something else each time it is asked.
    const delivery: typeof routing.delivery = (order) =>
      order.revision === 2 ? { kind: "withheld", endpoint: "crm", reason: "not-routed" } : routing.delivery(order);
    const moody = { ...stage.deps, routing: { ...routing, delivery } };
    const input = anInput({ approval: granted(stage, { votes: [] }), nextRevision: 2 });
    const result = await perform(moody, ["attemptDelivery", input]);
    expect(result).toEqual({ kind: "unapproved", because: "approval-lost", endpoint: "crm", draft: draftOf(stage, 1) });
  });

  test("an event that needs none goes out, also when it brings one", async () => {
    const stage = aGuarded({ approval: { when: { "data.total": { gt: 500 } } } });
    const grant = { ...aGrant(aGuarded().deps), votes: [] };
    expect(await attempt(stage, { approval: grant })).toMatchObject({ kind: "attempted" });
    expect(stage.sent).toHaveLength(1);
  });
});

describe("an approval", () => {
  test("lets one request through, however often the attempt is asked for", async () => {
    for (const via of ["direct", "lane"] as const) {
      const stage = aGuarded();
      const approval = granted(stage);
      const first = await attempt(stage, { via, approval });
      expect(first).toMatchObject({ kind: "attempted", record: { outcome: "delivered", via } });
      expect(await attempt(stage, { via, approval })).toEqual(first);
      expect(stage.sent).toHaveLength(1);
    }
  });

  test("is too late from the very millisecond of its end", async () => {
    const stage = aGuarded();
    const approval = granted(stage);
    stage.clock.nowMs = EXPIRES_MS;
    expect(await attempt(stage, { approval })).toEqual({ kind: "too-late", endpoint: "crm" });
    expect(stage.sent).toEqual([]);
    stage.clock.nowMs = EXPIRES_MS - 1;
    expect(await attempt(stage, { approval })).toMatchObject({ kind: "attempted" });
  });

  test("is looked at when the request is about to leave, not when the attempt was scheduled", async () => {
    const stage = aGuarded();
    const input = anInput({ via: "lane", approval: granted(stage) });
    stage.clock.nowMs = EXPIRES_MS;
    const result = await perform(stage.deps, ["attemptDelivery", input], { scheduledMs: NOON_MS });
    expect(result).toMatchObject({ kind: "too-late" });
  });

  test.each<[string, Setting]>([
    ["the URL", { crm: { url: "https://elsewhere.example/hook" } }],
    ["the method", { crm: { method: "PUT" } }],
    ["a header of its own", { crm: { headers: { "x-mark": "1" } } }],
    ["the format", { crm: { format: "cloudevents" } }],
    ["the quorum", { approval: { quorum: 1 } }],
    ["four eyes", { approval: { fourEyes: true } }],
    ["the version of the policy", { approval: { version: 2 } }],
    ["the approvers", { approval: { approvers: ["ana", "ben"] } }],
    ["who belongs to the approvers", { people: { ...PEOPLE, ben: { groups: [] }, cem: { groups: ["finance"] } } }],
  ])("does not hold where %s has changed since: people are asked again", async (_, setting) => {
    const approval = granted(aGuarded());
    const stage = aGuarded(setting);
    const result = await attempt(stage, { approval, nextRevision: 2 });
    expect(result).toMatchObject({ kind: "unapproved", endpoint: "crm", draft: draftOf(stage, 2) });
    expect(stage.sent).toEqual([]);
  });

  test.each<[string, Setting]>([
    ["the value of a header", { crm: { headers: { authorization: "Bearer new" } } }],
    ["the retry policy", { crm: { headers: { authorization: "Bearer old" }, retry: "none" } }],
    ["a time-out", { crm: { headers: { authorization: "Bearer old" }, timeouts: { total: "1s" } } }],
    ["how long one has to decide", { crm: { headers: { authorization: "Bearer old" } }, approval: { expires: "5h" } }],
  ])("holds where %s has changed since", async (_, setting) => {
    const approval = granted(aGuarded({ crm: { headers: { authorization: "Bearer old" } } }));
    expect(await attempt(aGuarded(setting), { approval })).toMatchObject({ kind: "attempted" });
  });

  test("is for one event alone", async () => {
    const stage = aGuarded();
    const approval = granted(stage);
    for (const other of [{ id: "evt_2" }, { data: { total: 43 } }, { source: "billing" }, { requestedBy: "eve" }]) {
      expect(await attempt(stage, { approval, event: anEvent(other) })).toMatchObject({ kind: "unapproved" });
    }
    expect(stage.sent).toEqual([]);
  });

  test.each<[string, (grant: ApprovalGrant) => Partial<ApprovalGrant>]>([
    ["one vote twice", ({ digest }) => ({ votes: [aVote("ana", digest), aVote("ana", digest)] })],
    ["a stranger's vote", ({ digest }) => ({ votes: [aVote("ana", digest), aVote("eve", digest)] })],
    ["a vote on something else", ({ digest }) => ({ votes: [aVote("ana", digest), aVote("ben", "sha256:other")] })],
    ["the revision before", () => ({ revision: 2 })],
    ["a digest of its own", () => ({ digest: `sha256:${"0".repeat(64)}` })],
    ["an end that is no time", () => ({ expiresAtMs: Number.NaN })],
  ])("with %s is none", async (_, change) => {
    const stage = aGuarded();
    const grant = granted(stage);
    const result = await attempt(stage, { approval: { ...grant, ...change(grant) }, nextRevision: 2 });
    expect(["unapproved", "too-late"]).toContain(result.kind);
    expect(stage.sent).toEqual([]);
  });
});

describe("where decisions must be signed", () => {
  const setting: Setting = { approval: { requireSignedDecisions: true } };

  function signedBy(stage: Stage, names: readonly (keyof typeof KEYS)[], changes: Partial<ApprovalGrant> = {}) {
    const { digest, revision, ...rest } = granted(stage);
    const bytes = decisionBytes({ key: "shop/evt_1", endpoint: "crm", revision, digest, action: "approve" });
    const votes = names.map((actor) =>
      aVote(actor, digest, { signature: signDecision(KEYS[actor].privateKeyPem, bytes) }),
    );
    return { digest, revision, ...rest, votes, ...changes };
  }

  test("an approval holds by its signatures, not by its names", async () => {
    const stage = aGuarded(setting);
    expect(await attempt(stage, { approval: granted(stage) })).toMatchObject({ kind: "unapproved" });
    expect(await attempt(stage, { approval: signedBy(stage, ["ana"]) })).toMatchObject({ kind: "unapproved" });
    expect(stage.sent).toEqual([]);
    expect(await attempt(stage, { approval: signedBy(stage, ["ana", "ben"]) })).toMatchObject({ kind: "attempted" });
  });

  test("nobody gets around them by claiming that an attempt was made before", async () => {
    const stage = aGuarded(setting);
    const claims = [granted(stage, { executed: true }), signedBy(stage, ["ana"], { executed: true })];
    for (const approval of claims) expect(await attempt(stage, { approval })).toMatchObject({ kind: "unapproved" });
    expect(stage.sent).toEqual([]);
  });
});

describe("an approval under which an attempt was made", () => {
  const executed = (stage: Stage): ApprovalGrant => granted(stage, { executed: true });

  test("does not expire: its retries go out", async () => {
    const stage = aGuarded();
    stage.clock.nowMs = EXPIRES_MS + MINUTE_MS;
    expect(await attempt(stage, { approval: executed(stage), number: 2 })).toMatchObject({ kind: "attempted" });
  });

  test.each<[string, Setting]>([
    ["the rules have changed", { approval: { fourEyes: true } }],
    ["an approver has left", { people: { ...PEOPLE, ben: { groups: [] }, cem: { groups: ["finance"] } } }],
  ])("is asked for anew where %s: a retry goes out by today's configuration", async (_, setting) => {
    const stage = aGuarded(setting);
    const result = await attempt(stage, { approval: executed(aGuarded()), number: 2, nextRevision: 2 });
    expect(result).toMatchObject({ kind: "unapproved", endpoint: "crm", draft: draftOf(stage, 2) });
    expect(stage.sent).toEqual([]);
  });

  test("is not one for another URL or another body", async () => {
    const approval = executed(aGuarded());
    const moved = aGuarded({ crm: { url: "https://elsewhere.example/hook" } });
    expect(await attempt(moved, { approval, number: 2, nextRevision: 2 })).toMatchObject({
      kind: "unapproved",
      draft: { revision: 2, action: { url: "https://elsewhere.example/hook" } },
    });
    const stage = aGuarded();
    const other = anEvent({ data: { total: 43 } });
    expect(await attempt(stage, { approval, event: other, number: 2 })).toMatchObject({ kind: "unapproved" });
    expect([...moved.sent, ...stage.sent]).toEqual([]);
  });
});

describe("an attempt that was made", () => {
  test("is reported, and not asked about again, however the gate stands by now", async () => {
    const stage = aGuarded();
    const approval = granted(stage);
    const made = await attempt(stage, { approval });
    stage.clock.nowMs += 59_000;
    for (const changes of [
      {},
      { approval: { ...approval, expiresAtMs: NOON_MS } },
      { approval: { ...approval, votes: [] } },
    ])
      expect(await attempt(stage, changes)).toEqual(made);
    expect(stage.sent).toHaveLength(1);
  });

  test("is joined while it is in flight, also by a run that has forgotten its approval", async () => {
    const open = { release(): void {} };
    const stage: Stage = aGuarded({
      options: {
        answers: [() => new Promise((resolve) => Object.assign(open, { release: () => resolve(anAnswer()) }))],
      },
    });
    const first = attempt(stage, { approval: granted(stage) });
    await until("the request is on its way", () => stage.sent.length === 1);
    const second = attempt(stage);
    open.release();
    expect(await second).toEqual(await first);
    expect(stage.sent).toHaveLength(1);
  });
});

describe("an amended delivery", () => {
  const amendment: Amendment = { revision: 2, actor: "cem", from: "crm", data: { total: 7 } };

  function approvedAnew(stage: Stage): ApprovalGrant {
    const { digest } = draftOf(stage, 2, amendment);
    return granted(stage, { revision: 2, digest, votes: ["ana", "ben"].map((actor) => aVote(actor, digest)) });
  }

  test("sends the new body to the new endpoint, in its form and under the key of the revision", async () => {
    const stage = aGuarded();
    const input = { endpoint: "other", amendment, approval: approvedAnew(stage) };
    const result = await attempt(stage, input);
    expect(result).toMatchObject({
      kind: "attempted",
      endpoint: "other",
      settings: { idempotencyKey: idempotencyKeyFor("shop/evt_1", "other", 2), approval: true },
    });
    expect(stage.sent).toHaveLength(1);
    const [request] = stage.sent;
    expect(request?.url).toBe("https://other.example/");
    expect(request?.headers["idempotency-key"]).toBe(idempotencyKeyFor("shop/evt_1", "other", 2));
    expect(JSON.parse(Buffer.from(request?.body ?? "").toString("utf8"))).toMatchObject({ data: { total: 7 } });
  });

  test("sends nothing by the approval of what it was before, nor by that of another amendment", async () => {
    const stage = aGuarded();
    const older = await attempt(stage, { endpoint: "other", amendment, approval: granted(stage), nextRevision: 3 });
    expect(older).toEqual({
      kind: "unapproved",
      because: "changed",
      endpoint: "other",
      draft: draftOf(stage, 3, amendment),
    });
    const approval = approvedAnew(stage);
    for (const change of [{ data: { total: 8 } }, { actor: "ana" }]) {
      const other = { endpoint: "other", amendment: { ...amendment, ...change }, approval };
      expect(await attempt(stage, other)).toMatchObject({ kind: "unapproved" });
    }
    expect(stage.sent).toEqual([]);
  });

  test("is approved for nothing by whoever edited it, where four eyes are asked for", async () => {
    const stage = aGuarded({ approval: { fourEyes: true, quorum: 1 } });
    const edited = { ...amendment, actor: "ana" };
    const { digest } = draftOf(stage, 2, edited);
    const by = (actor: string): ApprovalGrant => granted(stage, { revision: 2, digest, votes: [aVote(actor, digest)] });
    const input = { endpoint: "other", amendment: edited };
    expect(await attempt(stage, { ...input, approval: by("ana") })).toMatchObject({ kind: "unapproved" });
    expect(await attempt(stage, { ...input, approval: by("ben") })).toMatchObject({ kind: "attempted" });
  });

  test("of a body that the endpoint does not take is withheld", async () => {
    const stage = aGuarded();
    const large = { ...amendment, data: "x".repeat(300_000) };
    const result = await attempt(stage, { endpoint: "other", amendment: large });
    expect(result).toEqual({ kind: "withheld", endpoint: "other", reason: "body-too-large" });
  });
});
