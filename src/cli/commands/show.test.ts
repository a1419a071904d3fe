import { expect, test } from "vitest";
import { aDelivery, aReport } from "../../../test/support/an-event.ts";
import { aProposal, aWaitingDelivery } from "../../../test/support/a-proposal.ts";
import { requirePage } from "./show.ts";

test("refuses a page that no body has, and says how many there are", () => {
  const body = "x".repeat(100_000);
  const long = aWaitingDelivery({ proposal: aProposal({ action: { body, bodyBytes: body.length } }) });
  const event = aReport({ deliveries: [aDelivery(), long] });
  expect(() => requirePage(event, 2)).not.toThrow();
  expect(() => requirePage(event, 3)).toThrow(expect.objectContaining({ code: "bad_argument" }));
  expect(() => requirePage(event, 3)).toThrow("There is no page 3: the longest body to show has 2.");
  expect(() => requirePage(aReport(), 1)).not.toThrow();
  expect(() => requirePage(aReport(), 2)).toThrow("has 1.");
});
