import { TypedSearchAttributes } from "@temporalio/common";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CountersignError } from "../errors.ts";
import {
  ENDPOINTS_ATTRIBUTE,
  REASON_ATTRIBUTE,
  STATE_ATTRIBUTE,
  TYPE_ATTRIBUTE,
} from "../temporal/search-attributes.ts";
import { APPROVAL_MEMO } from "../workflows/messages.ts";
import { type EventRow, type ListFilter, listEvents, queryOf } from "./list-events.ts";
import { LISTED_STATES } from "./listed-state.ts";
import type { Session } from "./session.ts";

describe("queryOf", () => {
  test("asks for events alone", () => {
    expect(queryOf({})).toBe('WorkflowType = "event"');
  });

  test("names every filter", () => {
    expect(queryOf({ state: "needs-attention", endpoint: "crm", type: "order.created", source: "shop" })).toBe(
      'WorkflowType = "event" AND ExecutionStatus = "Running" AND CountersignState = "needs-attention" AND CountersignEndpoints = "crm" AND CountersignType = "order.created" AND WorkflowId STARTS_WITH "shop/"',
    );
  });

  test("finds parked events by their reason, and what was accepted before a moment", () => {
    const startedBefore = "2026-01-02T00:00:00.000Z";
    expect(queryOf({ reason: "tls-invalid", startedBefore })).toBe(
      `WorkflowType = "event" AND CountersignReason = "tls-invalid" AND StartTime < "${startedBefore}"`,
    );
    expect(() => queryOf({ reason: 'x" OR "' })).toThrow("no quotes or backslashes");
    expect(() => queryOf({ startedBefore: 'x" OR "' })).toThrow("no quotes or backslashes");
  });

  test.each<[ListFilter["state"], string]>([
    ["in-progress", 'ExecutionStatus = "Running" AND CountersignState IS NULL'],
    ["delivered", 'ExecutionStatus = "Completed" AND CountersignState IS NULL'],
    ["needs-attention", 'ExecutionStatus = "Running" AND CountersignState = "needs-attention"'],
    ["awaiting-approval", 'ExecutionStatus = "Running" AND CountersignState = "awaiting-approval"'],
    ["rejected", 'ExecutionStatus = "Completed" AND CountersignState = "rejected"'],
    ["expired", 'ExecutionStatus = "Completed" AND CountersignState = "expired"'],
    ["discarded", 'ExecutionStatus = "Completed" AND CountersignState = "discarded"'],
  ])("knows where %s is written, and where its absence tells it", (state, term) => {
    expect(queryOf(state === undefined ? {} : { state })).toBe(`WorkflowType = "event" AND ${term}`);
  });

  test.each(["held", "delivering", "terminated", "toString", ""])(
    "refuses the state %j and names those there are",
    (state) => {
      const filter = { state } as unknown as ListFilter; // as a program without types would call it
      expect(() => queryOf(filter)).toThrow(CountersignError);
      expect(() => queryOf(filter)).toThrow(
        `${JSON.stringify(state)} cannot be listed; the states are ${LISTED_STATES.join(", ")}`,
      );
    },
  );

  test("cannot be broken out of: what a query cannot name is refused", () => {
    const hostile = fc.string({ unit: fc.constantFrom('"', "\\", "'", " ", "a", "=", ")") });
    fc.assert(
      fc.property(hostile, hostile, (type, endpoint) => {
        if (/['"\\]/u.test(type + endpoint)) {
          expect(() => queryOf({ type, endpoint })).toThrow("no quotes or backslashes");
          return;
        }
        expect(queryOf({ type, endpoint }).match(/"[^"]*"/gu)).toEqual(['"event"', `"${endpoint}"`, `"${type}"`]);
      }),
    );
  });
});

describe("listEvents", () => {
  interface Listed {
    readonly workflowId: string;
    readonly status: { readonly name: string };
    readonly startTime: Date;
    readonly typedSearchAttributes: TypedSearchAttributes;
    readonly memo?: Readonly<Record<string, unknown>>;
  }

  /** As much of a session as a list needs. */
  function aSession(runs: readonly Listed[]): { readonly session: Session; readonly asked: string[] } {
    const asked: string[] = [];
    const workflow = {
      /** As the SDK does it: a page that is full makes it ask for the next one. */
      async *list({ query, pageSize }: { readonly query: string; readonly pageSize: number }) {
        for (let first = 0; first <= runs.length; first += pageSize) {
          asked.push(`${pageSize} of ${query}`);
          yield* await Promise.resolve(runs.slice(first, first + pageSize));
        }
      },
      count(query: string) {
        asked.push(`count of ${query}`);
        return Promise.resolve({ count: runs.length });
      },
    };
    const prepared = () => Promise.resolve(void asked.push("prepared"));
    const withDeadline = async <Result>(_deadlineMs: number, call: () => Promise<Result>) => await call();
    return { session: { client: { workflow, withDeadline }, prepared } as unknown as Session, asked };
  }

  const startTime = new Date("2026-11-29T10:00:00.000Z");

  test("shows what visibility holds, after making sure that the server knows the attributes", async () => {
    const typedSearchAttributes = new TypedSearchAttributes([
      { key: STATE_ATTRIBUTE, value: "needs-attention" },
      { key: REASON_ATTRIBUTE, value: "endpoint-gone" },
      { key: TYPE_ATTRIBUTE, value: "order.created" },
      { key: ENDPOINTS_ATTRIBUTE, value: ["crm", "ledger"] },
    ]);
    const parked = { workflowId: "shop/evt_1", status: { name: "RUNNING" }, startTime, typedSearchAttributes };
    const bare = {
      workflowId: "shop/evt_2",
      status: { name: "COMPLETED" },
      startTime,
      typedSearchAttributes: new TypedSearchAttributes([]),
    };
    const { session, asked } = aSession([parked, bare]);
    const rows: EventRow[] = [];
    for await (const row of listEvents(session, { source: "shop" })) rows.push(row);
    expect(rows).toEqual([
      {
        key: "shop/evt_1",
        state: "needs-attention",
        reason: "endpoint-gone",
        type: "order.created",
        endpoints: ["crm", "ledger"],
        startedAt: "2026-11-29T10:00:00.000Z",
        approval: null,
      },
      {
        key: "shop/evt_2",
        state: "delivered",
        reason: null,
        type: "",
        endpoints: [],
        startedAt: "2026-11-29T10:00:00.000Z",
        approval: null,
      },
    ]);
    expect(asked).toEqual(["prepared", '1000 of WorkflowType = "event" AND WorkflowId STARTS_WITH "shop/"']);
  });

  const aRun = (number: number, state?: string, memo?: Listed["memo"]): Listed => {
    const pairs = state === undefined ? [] : [{ key: STATE_ATTRIBUTE, value: state }];
    const typedSearchAttributes = new TypedSearchAttributes(pairs);
    const run = { workflowId: `shop/evt_${number}`, status: { name: "RUNNING" }, startTime, typedSearchAttributes };
    return memo === undefined ? run : { ...run, memo };
  };
  const all = async (session: Session): Promise<readonly EventRow[]> => {
    const rows: EventRow[] = [];
    for await (const row of listEvents(session, {})) rows.push(row);
    return rows;
  };

  test("tells what waits for approval since when and until when, and of no other run", async () => {
    const approval = {
      endpoint: "payments",
      digest: `sha256:${"a".repeat(64)}`,
      since: "2026-11-29T10:00:00.000Z",
      until: "2026-11-30T10:00:00.000Z",
    };
    const memo = { [APPROVAL_MEMO]: approval };
    const runs = [aRun(1, "awaiting-approval", memo), aRun(2, "awaiting-approval"), aRun(3, undefined, memo)];
    const rows = await all(aSession(runs).session);
    expect(rows.map((row) => row.approval)).toEqual([approval, null, null]);
  });

  test("asks once for a page that is just full, and again when there are more", async () => {
    const many = (count: number) => aSession(Array.from({ length: count }, (_, index) => aRun(index)));
    const full = many(1000);
    expect(await all(full.session)).toHaveLength(1000);
    expect(full.asked).toEqual(["prepared", '1000 of WorkflowType = "event"', 'count of WorkflowType = "event"']);
    const more = many(1001);
    expect(await all(more.session)).toHaveLength(1001);
    expect(more.asked.filter((call) => call.startsWith("1000 of"))).toHaveLength(2);
  });

  test("ends when the server does not answer in time", async () => {
    const { session } = aSession([]);
    const late = Object.assign(new Error("Deadline exceeded"), { code: 4, details: "" });
    Object.assign(session.client, { withDeadline: () => Promise.reject(late) });
    await expect(listEvents(session, {}).next()).rejects.toMatchObject({ code: "temporal_unreachable" });
  });

  test("refuses a bad filter before it asks anybody", async () => {
    const { session, asked } = aSession([]);
    const filter = { state: "held" } as unknown as ListFilter; // as a program without types would call it
    await expect(listEvents(session, filter).next()).rejects.toMatchObject({ code: "bad_argument" });
    expect(asked).toEqual([]);
  });
});
