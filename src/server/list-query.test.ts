import { expect, test } from "vitest";
import { readListQuery } from "./list-query.ts";

test("what a list is asked for is read; an empty value is as good as none", () => {
  expect(readListQuery({ state: ["needs-attention"], endpoint: ["crm"], type: [""], limit: ["7"] })).toEqual({
    read: "query",
    filter: { state: "needs-attention", endpoint: "crm" },
    page: { cursor: undefined, limit: 7 },
  });
  expect(readListQuery({})).toMatchObject({ read: "query", filter: {}, page: { limit: 100 } });
});

test.each([
  [{ state: ["lost"] }, /^The query state must be one of in-progress, /u],
  [{ limit: ["0"] }, /^The query limit must be a whole number from 1 to 1000\.$/u],
  [{ stat: ["needs-attention"] }, /^The query must not have "stat"; accepted: state, type, endpoint, /u],
  [{ stat: [""] }, /^The query must not have "stat"; /u],
  [{ state: ["", "needs-attention"] }, /^The query must not have "state" more than once; /u],
  [{ ["x".repeat(500)]: ["1"] }, /^The query must not have "x{40}"; accepted: /u],
])("%j is refused, so that nobody takes a whole list for a narrow one", (query, detail) => {
  expect(readListQuery(query)).toMatchObject({
    read: "refused",
    problem: { status: 400, code: "bad_argument", detail: expect.stringMatching(detail) },
  });
});
