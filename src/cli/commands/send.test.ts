import picocolors from "picocolors";
import { expect, test } from "vitest";
import { planEvent } from "../../config/plan-event.ts";
import { parseConfig } from "../../config/parse-config.ts";
import { receiptLines } from "./send.ts";

const RECEIPT = {
  key: "shop/r1",
  duplicate: false,
  state: "in-progress",
  workflowId: "shop/r1",
  runId: "x",
} as const;

function accepted(asking: readonly string[], direct: readonly string[]): string | undefined {
  const endpoints = Object.fromEntries(
    [...asking, ...direct].map((name) => [name, { url: `https://${name}.example/` }]),
  );
  const approval = { approvers: ["ana"] };
  const routes = [...(asking.length === 0 ? [] : [{ to: [...asking], approval }]), { to: [...direct] }];
  const raw = {
    sources: { shop: {} },
    people: { ana: {} },
    endpoints,
    routes: routes.filter(({ to }) => to.length > 0),
  };
  const { deliveries } = planEvent(parseConfig(raw, { path: null }), { source: "shop", id: "r1", type: "t", data: 1 });
  return receiptLines(RECEIPT, deliveries, picocolors.createColors(false))[0];
}

test.each([
  [[], ["crm", "mail"], "Accepted shop/r1, to be delivered to crm, mail."],
  [["payments"], [], "Accepted shop/r1; payments waits for approval first."],
  [["payments", "bank"], ["crm"], "Accepted shop/r1, to be delivered to crm; payments, bank wait for approval first."],
])("tells what waits for approval (%j) from what goes out (%j)", (asking, direct, line) => {
  expect(accepted(asking, direct)).toBe(line);
});

test("says of a duplicate what became of the first one", () => {
  const lines = receiptLines({ ...RECEIPT, duplicate: true, state: "terminated" }, [], picocolors.createColors(false));
  expect(lines[0]).toBe(
    "Accepted before: shop/r1 is terminated; it was ended from outside in Temporal. Nothing was started again.",
  );
});
