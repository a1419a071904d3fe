import { expect, test } from "vitest";
import { actorFor } from "./actor-for.ts";

test.each([
  ["ana@example.com", "eve", "ana@example.com"],
  ["ana@example.com", undefined, "ana@example.com"],
  ["ana@example.com", "", "ana@example.com"],
  [null, "eve", "eve"],
  [null, undefined, null],
  [null, null, null],
  [null, "", null],
  [null, "  ", null],
])("with a key of %j, a request that says %j is made by %j", (person, claimed, actor) => {
  expect(actorFor({ person }, claimed)).toBe(actor);
});
