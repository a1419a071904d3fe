import picocolors from "picocolors";
import { expect, test } from "vitest";
import { anEndpoint } from "../../../test/support/an-endpoint.ts";
import { endpointLines } from "./endpoints.ts";

const COLORS = picocolors.createColors(false);

test("counts what waits for a person's yes apart from what is parked", () => {
  const pay = anEndpoint({
    name: "pay",
    destination: "https://pay.example/",
    isolated: true,
    idempotent: false,
    inProgress: 1,
    awaitingApproval: 2,
    needsAttention: 3,
    delivered: 4,
  });
  const [head = "", row = ""] = endpointLines([pay], COLORS);
  expect(head).toMatch(/^ENDPOINT +GATE +IN PROGRESS +AWAITING APPROVAL +NEEDS ATTENTION +DELIVERED +DESTINATION$/);
  expect(row).toMatch(/^pay +open +1 +2 +3 +4 +https:\/\/pay\.example\/ {2}\(isolated\) {2}\(not idempotent\)$/);
});

test("shows what holds each", () => {
  const held = anEndpoint({ gate: { state: "throttled", until: "2026-11-29T12:00:00.000Z" } });
  const [, row = ""] = endpointLines([held], COLORS);
  expect(row).toMatch(/^crm +throttled until 2026-11-29 12:00:00 UTC +3 /);
});

test("says when there are none", () => {
  expect(endpointLines([], COLORS)).toEqual(["The configuration has no endpoints."]);
});
