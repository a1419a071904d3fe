import { describe, expect, test } from "vitest";
import { pauseArgument, type PauseOrder, resumeArgument } from "./endpoint-words.ts";

const WHO = { actor: "ana@example.com", reason: "vendor maintenance" };
const NEXT_YEAR = new Date().getUTCFullYear() + 1;

function complaint(order: Pick<PauseOrder, "for" | "until">): string {
  try {
    pauseArgument({ ...WHO, ...order });
  } catch (error) {
    return String(error);
  }
  return "accepted";
}

describe("pauseArgument", () => {
  test.each([
    ["in the past", "2026-01-01T00:00:00Z", "which is in the past"],
    ["without a time zone", `${NEXT_YEAR}-01-31T08:00:00`, "which needs a time zone: `Z` or an offset"],
    ["too far ahead", `${NEXT_YEAR + 10}-12-31T08:00:00Z`, "which is more than ten years ahead"],
    ["that is none", "tomorrow", "which is no RFC 3339 time"],
  ])("says of a time %s what is wrong with it", (_, until, what) => {
    expect(complaint({ until })).toContain(`\`until\` is ${JSON.stringify(until)}, ${what}`);
  });

  test("takes the example that its refusal gives", () => {
    const [, example = ""] = /such as '(.*)'$/u.exec(complaint({ until: "tomorrow" })) ?? [];
    expect(pauseArgument({ ...WHO, until: example }).until).toMatch(new RegExp(`^${NEXT_YEAR}-`, "u"));
  });

  test("takes an offset for a time zone", () => {
    expect(complaint({ until: `${NEXT_YEAR}-01-31T08:00:00+01:00` })).toBe("accepted");
  });

  test("says that no time at all is too short", () => {
    expect(complaint({ for: "0s" })).toContain("more than 0 and at most 3650 days");
    expect(() => resumeArgument({ actor: WHO.actor, ramp: "0s" })).toThrow(/more than 0 and at most 7 days/u);
  });
});
