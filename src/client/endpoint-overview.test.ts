import { expect, test } from "vitest";
import { countsOf } from "./endpoint-overview.ts";
import { queryOf } from "./list-events.ts";

const STATES = ["in-progress", "awaiting-approval", "needs-attention", "delivered"] as const;
const QUERIES = STATES.map((state) => queryOf({ endpoint: "crm", state }));

test("the events of an endpoint are counted by state, all at once: a slow server is waited for once", async () => {
  const asked = new Map<string, (count: number) => void>();
  const counts = countsOf("crm", async (query) => await new Promise((resolve) => void asked.set(query, resolve)));
  expect([...asked.keys()]).toEqual(QUERIES);
  QUERIES.forEach((query, index) => asked.get(query)?.(index + 1));
  expect(await counts).toEqual({ inProgress: 1, awaitingApproval: 2, needsAttention: 3, delivered: 4 });
});
