import picocolors from "picocolors";
import { expect, test } from "vitest";
import { endpointLines } from "./endpoints.ts";

test("counts what waits for a person's yes apart from what is parked", () => {
  const pay = {
    name: "pay",
    destination: "https://pay.example/",
    isolated: true,
    idempotent: false,
    inProgress: 1,
    awaitingApproval: 2,
    needsAttention: 3,
    delivered: 4,
  };
  const [head = "", row = ""] = endpointLines([pay], picocolors.createColors(false));
  expect(head).toMatch(/^ENDPOINT +IN PROGRESS +AWAITING APPROVAL +NEEDS ATTENTION +DELIVERED +DESTINATION$/);
  expect(row).toMatch(/^pay +1 +2 +3 +4 +https:\/\/pay\.example\/ {2}\(isolated\) {2}\(not idempotent\)$/);
});
