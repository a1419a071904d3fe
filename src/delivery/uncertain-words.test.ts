import { describe, expect, test } from "vitest";
import { anAttempt, at } from "../../test/support/deliveries.ts";
import type { LookupRecord } from "./lookup.ts";
import { howFarItGot, lookupClause } from "./uncertain-words.ts";

const lookup = (changes: Partial<LookupRecord>): LookupRecord => {
  return { attempt: 1, at: at(0), durationMs: 5, tries: 1, by: "url", found: "unclear", code: "http_200", ...changes };
};

describe("howFarItGot", () => {
  test("tells phase, bytes and time", () => {
    const sent = anAttempt({ phase: "sent", bytesSent: 812, bytesReceived: 3, durationMs: 41 });
    expect(howFarItGot(sent)).toBe("the whole request was sent; 812 bytes went out and 3 came back in 41 ms");
    const cut = anAttempt({ phase: "sending", bytesSent: 5, bytesReceived: 0, durationMs: 7 });
    expect(howFarItGot(cut)).toBe("the request was not sent whole; at most 5 bytes went out and 0 came back in 7 ms");
  });

  test("says nothing where nobody counted", () => {
    expect(howFarItGot(anAttempt())).toBeNull();
    expect(howFarItGot(anAttempt({ phase: "sent" }))).toContain("0 bytes went out");
  });
});

describe("lookupClause", () => {
  test.each<[Partial<LookupRecord>, string]>([
    [{ found: "delivered", status: 200 }, "a lookup found its effect (200)"],
    [
      { found: "delivered", status: 200, matched: { "$.status": "ok", "$.n": 1 } },
      'a lookup found its effect (200, $.status "ok", $.n 1)',
    ],
    [{ found: "delivered", by: "handler", code: "handler_done" }, "a lookup found its effect"],
    [{ found: "absent", status: 404, code: "http_404" }, "a lookup found that it had no effect (404)"],
    [{ code: "not_configured" }, "no lookup is configured for it any more"],
    [{ by: "handler", code: "handler_done", tries: 4 }, "the lookup's handler cannot tell, asked 4 times"],
    [{ by: "handler", code: "handler_failed" }, "the lookup's handler failed"],
    [{ status: 500, code: "http_500", tries: 2 }, "the lookup's answer, 500, does not tell, asked 2 times"],
    [{ code: "connect_refused", tries: 10 }, "whoever was asked in the lookup refused the connection, asked 10 times"],
  ])("says of %j: %s", (changes, words) => {
    expect(lookupClause(lookup(changes))).toBe(words);
  });
});
