import { expect, test } from "vitest";
import { CountersignError } from "../errors.ts";
import { parseConfig } from "./parse-config.ts";

function complaintOf(source: unknown): string | null {
  try {
    parseConfig({ sources: { shop: source } }, { path: null });
    return null;
  } catch (error) {
    if (error instanceof CountersignError) return error.message;
    throw error;
  }
}

const verify = { scheme: "github", secrets: ["a secret"] };

test.each([
  [{ idFrom: ["data.orderId", "data.status"] }],
  [{ idFrom: ["subject", "type", "time"] }],
  [{ idFrom: ["number"], verify }],
])("idFrom of %j is accepted", (source) => {
  expect(complaintOf(source)).toBeNull();
});

test.each([
  [{ idFrom: ["orderId"] }, "orderId"],
  [{ idFrom: ["data.a", "id"] }, "id"],
])("idFrom of %j must lead into the event, because no provider sends it", (source, path) => {
  expect(complaintOf(source)).toContain(`found "${path}"; accepted: a path into the event`);
});
