import { expect, test } from "vitest";
import { anApiKey } from "../../../test/support/an-api-key.ts";
import { parseConfig } from "../../config/parse-config.ts";
import { doorLines } from "./serve.ts";

const URL = "http://127.0.0.1:8787";
const stripe = { verify: { scheme: "stripe", secrets: [{ env: "STRIPE_WEBHOOK_SECRET" }] } } as const;
const { sources } = parseConfig({ sources: { shop: {}, stripe } }, { path: null });

test.each([
  [[anApiKey().key], `  ${URL}/v1/events  (1 key)`],
  [[anApiKey().key, anApiKey().key], `  ${URL}/v1/events  (2 keys)`],
])("says where events come in, and where every route is described", (keys, line) => {
  expect(doorLines({ keys, sources }, URL)).toEqual([
    line,
    `  ${URL}/v1/hooks/stripe  (stripe)`,
    `  ${URL}/openapi.json  (every route)`,
  ]);
});

test("says what every call will be answered that needs a key, where there is none", () => {
  const [line] = doorLines({ keys: [], sources: {} }, URL);
  expect(line).toContain("every call that needs one is 401: print one with `countersign keys create`.");
});
