import { describe, expect, test } from "vitest";
import { aContext } from "../../../test/support/a-context.ts";
import { aReport } from "../../../test/support/an-event.ts";
import { aProposal, aWaitingDelivery } from "../../../test/support/a-proposal.ts";
import type { AmendmentWord } from "../../client/countersign.ts";
import type { BusinessEvent } from "../../delivery/event.ts";
import type { DeliveryStatus, Verdict } from "../../delivery/event-state.ts";
import { type AmendCommand, amendWith } from "./amend.ts";

const EVENT: BusinessEvent = { source: "shop", id: "evt_1", type: "refund", data: { amount: 1 } };
const VERDICT: Verdict = { counted: true, refusedBecause: null, at: "2026-11-29T10:01:00.000Z" };

interface Told {
  readonly options?: Partial<AmendCommand>;
  readonly event?: BusinessEvent;
  readonly delivery?: DeliveryStatus;
  readonly verdict?: Verdict;
  readonly terminal?: boolean;
  readonly json?: boolean;
  readonly people?: readonly string[];
}

function amending(body: string | Uint8Array | null, told: Told = {}) {
  const said: AmendmentWord[] = [];
  const facade = {
    get: () => Promise.resolve(aReport({ deliveries: [told.delivery ?? aWaitingDelivery()] })),
    event: () => Promise.resolve(told.event ?? EVENT),
    amend: (_key: string, word: AmendmentWord) => {
      said.push(word);
      return Promise.resolve(told.verdict ?? VERDICT);
    },
  };
  const kept = aContext({ environment: { USER: "root" }, terminal: told.terminal === true, json: told.json === true });
  const options = { reason: "typo", ...told.options };
  const parts = {
    key: "shop/evt_1",
    options,
    body: body === null ? null : Buffer.from(body),
    people: told.people ?? [],
  };
  return { ...kept, said, done: amendWith(kept.context, facade, parts) };
}

async function bodyOf(body: string | Uint8Array, told: Told = {}): Promise<Partial<AmendmentWord> | undefined> {
  const { done, said } = amending(body, told);
  expect(await done).toBe(0);
  const { actor: _actor, reason: _reason, ...content } = said[0] ?? {};
  return content;
}

const text = { ...EVENT, datacontenttype: "text/plain", data: "x" };
const parked = aWaitingDelivery({ proposal: null, state: "needs-attention" });

describe("amend", () => {
  test("sends JSON as data where it is the same bytes again, else as base64", async () => {
    expect(await bodyOf('{"amount":2}')).toEqual({ data: { amount: 2 } });
    expect(await bodyOf("null")).toEqual({ data: null });
    const spaced = '{ "amount": 1e400 }\n';
    expect(await bodyOf(spaced)).toEqual({ data_base64: Buffer.from(spaced).toString("base64") });
  });

  test("sends any other body as it is under the event's content type", async () => {
    expect(await bodyOf("{not JSON", { event: text, delivery: parked })).toEqual({ data: "{not JSON" });
    expect(await bodyOf(Uint8Array.of(0xff), { event: text, delivery: parked })).toEqual({ data_base64: "/w==" });
    expect(await bodyOf("", { event: text, delivery: parked })).toEqual({ data_base64: "" });
  });

  test("goes by the content type of what would be sent now", async () => {
    const proposal = aProposal({ action: { contentType: "text/plain" } });
    expect(await bodyOf("plain", { delivery: aWaitingDelivery({ proposal }) })).toEqual({ data: "plain" });
  });

  test.each([
    ["no JSON", "{", "invalid_json"],
    ["nothing", "", "invalid_json"],
    ["a member twice", '{"a":1,"a":2}', "duplicate_member"],
    ["too much", `"${"x".repeat(1024 * 1024)}"`, "body_too_large"],
  ])("refuses %s where JSON is due, before anything is said", async (_what, body, code) => {
    const { done, said } = amending(body);
    await expect(done).rejects.toMatchObject({ code });
    expect(said).toEqual([]);
  });

  test("may change the endpoint alone", async () => {
    const options = { endpoint: "payments-eu", delivery: "payments", as: "ana" };
    const { done, said } = amending(null, { options });
    await done;
    expect(said).toEqual([{ actor: "ana", reason: "typo", delivery: "payments", endpoint: "payments-eu" }]);
  });

  test("speaks for whoever runs it, and says what came of it", async () => {
    const { done, said, out } = amending("1");
    await done;
    expect(said[0]?.actor).toBe("cli:root");
    expect(out[0]).toContain("shop/evt_1 is amended; what was approved before no longer counts");
    const unasked = amending("1", { delivery: parked });
    await unasked.done;
    expect(unasked.out[0]).toContain("shop/evt_1 is amended");
    expect(unasked.out[0]).not.toContain("approved");
    const verdict: Verdict = { counted: false, refusedBecause: "executed", at: VERDICT.at };
    await expect(amending("1", { verdict }).done).rejects.toMatchObject({
      code: "refused",
      message: expect.stringContaining("The amendment of shop/evt_1 did not count (executed): it was sent before"),
    });
  });

  test("warns where whoever amends could also approve, because no person has that name", async () => {
    const notes = async (told: Told) => {
      const run = amending("1", told);
      expect(await run.done).toBe(0);
      return run.notes.join("\n");
    };
    const people = ["ana"];
    expect(await notes({ people })).toMatch(
      /^warning: cli:root is no person .*four eyes.* --as or COUNTERSIGN_ACTOR\.$/,
    );
    expect(await notes({ people, options: { as: "Ana" } })).toBe("");
    expect(await notes({ people, json: true })).toBe("");
    expect(await notes({})).toBe("");
  });

  test("says nothing to a delivery that the event does not have", async () => {
    const { done, said } = amending("1", { options: { delivery: "payment" } });
    await expect(done).rejects.toMatchObject({ code: "bad_argument" });
    expect(said).toEqual([]);
  });

  test("shows a person at a terminal what takes the place of what", async () => {
    const { done, notes } = amending('{"amount":2}', { terminal: true, options: { endpoint: "payments-eu" } });
    await done;
    expect(notes).toEqual([
      "The delivery of payments, revision 1, goes to payments-eu instead.",
      "The delivery of payments, revision 1, gets this body of 12 bytes:",
      '  | {"amount":2}',
    ]);
  });
});
