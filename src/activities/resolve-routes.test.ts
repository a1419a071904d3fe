import { describe, expect, test } from "vitest";
import {
  aClue,
  anEvent,
  aStage,
  perform,
  type Stage,
  type StageOptions,
  stageConfig,
} from "../../test/support/activity-stage.ts";
import type { RawConfig, RawEndpoint } from "../config/raw-config.ts";
import { planEvent } from "../config/plan-event.ts";
import type { ResolvedEvent, ResolveInput } from "../delivery/activity-shapes.ts";
import type { BusinessEvent } from "../delivery/event.ts";
import { CountersignError } from "../errors.ts";

const crm: RawEndpoint = { url: "https://crm.example/" };

function aRun(
  sent: BusinessEvent,
  endpoints: Readonly<Record<string, RawEndpoint>> = { crm },
  options: StageOptions & { rest?: Partial<RawConfig> } = {},
): Stage {
  const { rest, ...others } = options;
  const runs = {
    startEvent: () => Promise.resolve(sent),
    latestTaskEvents: () => Promise.resolve([{ event: "task-timed-out", id: 4, atMs: 0 } as const]),
  };
  return aStage(stageConfig(endpoints, rest), { runs, ...others });
}

const resolve = (stage: Stage, input: Partial<ResolveInput> = {}): Promise<ResolvedEvent> =>
  perform(stage.deps, ["resolveRoutes", { v: 1, event: anEvent(), ...input }]);

describe("resolveRoutes", () => {
  test("tells where a plain start goes", async () => {
    const stage = aRun(anEvent());
    const plan = planEvent(stageConfig({ crm }), anEvent());
    expect(await resolve(stage)).toEqual({ source: "shop", plan });
    expect(stage.sent).toEqual([]);
  });

  test("puts the configured name in the place of an alias, so that the key is the same", async () => {
    const stage = aRun(anEvent({ source: "https://shop.example/orders" }));
    expect(await resolve(stage)).toEqual({ source: "shop", plan: planEvent(stageConfig({ crm }), anEvent()) });
  });

  test("brings the bytes that parsing would have changed", async () => {
    const { data: _, ...bare } = anEvent();
    const exactBody = Buffer.from('{"total":12345678901234567890}').toString("base64");
    const stage = aRun({ ...bare, data_base64: exactBody });
    expect(await resolve(stage, { event: anEvent({ data: { total: 12345678901234567000 } }) })).toMatchObject({
      exactBody,
    });
    expect(await resolve(stage, { event: { ...bare, data_base64: exactBody } })).not.toHaveProperty("exactBody");
  });

  test("makes the first attempt in the same step, where it may be local", async () => {
    const stage = aRun(anEvent());
    const { first } = await resolve(stage, { clues: aClue() });
    expect(first).toMatchObject({
      kind: "attempted",
      endpoint: "crm",
      record: { number: 1, via: "local", outcome: "delivered" },
    });
    expect(stage.sent).toHaveLength(1);
    expect(await resolve(stage, { clues: aClue() })).toHaveProperty("first", first);
    expect(stage.sent).toHaveLength(1);
  });

  test.each<[string, Readonly<Record<string, RawEndpoint>>]>([
    ["several endpoints", { crm, ledger: crm }],
    ["an endpoint that is not idempotent", { crm: { ...crm, idempotent: false } }],
    ["an endpoint with limits", { crm: { ...crm, limits: { concurrency: 1 } } }],
    ["an isolated endpoint", { crm: { ...crm, isolated: true } }],
  ])("makes none for %s", async (_, endpoints) => {
    const stage = aRun(anEvent(), endpoints);
    expect(await resolve(stage, { clues: aClue() })).not.toHaveProperty("first");
    expect(stage.sent).toEqual([]);
  });

  test("makes none where a person must approve first", async () => {
    const rest: Partial<RawConfig> = {
      people: { ana: {} },
      routes: [{ match: {}, to: ["crm"], approval: { approvers: ["ana"] } }],
    };
    const stage = aRun(anEvent(), { crm }, { rest });
    const resolved = await resolve(stage, { clues: aClue() });
    expect(resolved).not.toHaveProperty("first");
    expect(resolved.plan.deliveries[0]?.settings.approval).toBe(true);
    expect(stage.sent).toEqual([]);
  });

  test("begins none after a message has come, and tells of one that was lost", async () => {
    const early = aRun(
      anEvent(),
      { crm },
      {
        runs: {
          startEvent: () => Promise.resolve(anEvent()),
          latestTaskEvents: () => Promise.resolve([{ event: "other", id: 1, atMs: 0 } as const]),
        },
      },
    );
    const clues = aClue({ expectedLength: null, recallOnly: true });
    expect(await resolve(early, { clues })).toMatchObject({ first: { kind: "set-aside" } });
    const lost = aRun(anEvent());
    expect(await resolve(lost, { clues: aClue({ historyLength: 6 }) })).toMatchObject({
      first: { kind: "lost", number: 1 },
    });
    expect([...early.sent, ...lost.sent]).toEqual([]);
  });

  test.each<[string, BusinessEvent, Partial<RawConfig>, string]>([
    ["no route", anEvent(), { routes: [{ match: { type: "invoice.*" }, to: ["crm"] }] }, "no_route"],
    ["an unknown source", anEvent({ source: "stranger" }), {}, "unknown_source"],
    ["a body too large", anEvent({ data: "x".repeat(300_000) }), {}, "body_too_large"],
  ])("ends the run for %s, with a sentence", async (_, sent, rest, type) => {
    const failing = resolve(aRun(sent, { crm }, { rest }), { clues: aClue() });
    await expect(failing).rejects.toMatchObject({
      type,
      nonRetryable: true,
      message: expect.stringMatching(/\w{5,}/u),
    });
  });

  test("ends the run when what was sent is no event", async () => {
    const startEvent = () =>
      Promise.reject(new CountersignError("duplicate_member", 'The event holds the member "id" more than once.'));
    const stage = aRun(anEvent(), { crm }, { runs: { startEvent, latestTaskEvents: () => Promise.resolve([]) } });
    await expect(resolve(stage)).rejects.toMatchObject({ type: "duplicate_member", nonRetryable: true });
  });

  test("tries again when the server cannot be asked", async () => {
    const startEvent = () => Promise.reject(new CountersignError("temporal_unreachable", "Temporal did not answer."));
    const stage = aRun(anEvent(), { crm }, { runs: { startEvent, latestTaskEvents: () => Promise.resolve([]) } });
    await expect(resolve(stage)).rejects.toMatchObject({ type: "temporal_unreachable", nonRetryable: false });
  });
});
