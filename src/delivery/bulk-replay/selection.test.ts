import { describe, expect, test } from "vitest";
import { ATTENTION_REASONS } from "../attention.ts";
import { readSelection } from "./selection.ts";

const NOTHING = { endpoint: null, source: null, type: null, reason: null, since: null, until: null };

describe("a selection", () => {
  test("takes what is parked, and narrows it by what is given", () => {
    expect(readSelection({ state: "needs-attention" })).toEqual({ state: "needs-attention", ...NOTHING });
    const whole = {
      state: "needs-attention",
      endpoint: "crm",
      source: "shop",
      type: "order.created",
      reason: "refused",
      since: "2026-11-29T10:00:00+01:00",
      until: "2026-11-29T10:00Z",
    };
    expect(readSelection(whole)).toEqual({
      ...whole,
      since: "2026-11-29T09:00:00.000Z",
      until: "2026-11-29T10:00:00.000Z",
    });
  });

  test("knows every reason for which something is parked", () => {
    for (const reason of ATTENTION_REASONS)
      expect(readSelection({ state: "needs-attention", reason })).toMatchObject({ reason });
  });

  test.each([
    [undefined, "must be an object"],
    [null, "must be an object"],
    ["needs-attention", "must be an object"],
    [{}, 'takes the state "needs-attention" only'],
    [{ state: "delivered" }, 'takes the state "needs-attention" only'],
    [
      { state: "needs-attention", endpiont: "crm" },
      'knows state, endpoint, source, type, reason, since, until; not "endpiont"',
    ],
    [{ state: "needs-attention", endpoint: "CRM" }, "takes endpoint as the name of one"],
    [{ state: "needs-attention", endpoint: 7 }, "takes endpoint as the name of one"],
    [{ state: "needs-attention", source: 'a"b' }, "takes source as the name of one"],
    [{ state: "needs-attention", type: "a'b" }, "takes type as a text of at most 200 characters"],
    [{ state: "needs-attention", type: "x".repeat(201) }, "takes type as a text of at most 200 characters"],
    [{ state: "needs-attention", type: "" }, "takes type as a text of at most 200 characters"],
    [{ state: "needs-attention", reason: "because" }, "takes as its reason one of attempts-exhausted,"],
    [{ state: "needs-attention", since: "yesterday" }, "takes since as an RFC 3339 time"],
    [{ state: "needs-attention", until: "2026-13-29T10:00:00Z" }, "takes until as an RFC 3339 time"],
    [{ state: "needs-attention", until: 5 }, "takes until as an RFC 3339 time"],
  ])("that cannot be read is refused, never widened: %j", (given, sentence) => {
    expect(readSelection(given)).toContain(sentence);
  });
});
