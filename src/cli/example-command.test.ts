import { describe, expect, test } from "vitest";
import { matchRoutes } from "../config/match-routes.ts";
import { parseConfig } from "../config/parse-config.ts";
import type { RawConfig, RawRoute } from "../config/raw-config.ts";
import { exampleCommand } from "./example-command.ts";

function aConfigWith(
  routes: readonly RawRoute[],
  sources: readonly string[] = ["shop", "billing"],
  people: RawConfig["people"] = {},
) {
  const named = Object.fromEntries(sources.map((name) => [name, {}]));
  const endpoints = { crm: { url: "https://crm.example/" } };
  return parseConfig({ sources: named, endpoints, routes, people }, { path: null });
}

describe("exampleCommand", () => {
  test.each<[string, RawRoute]>([
    ["everything", { to: ["crm"] }],
    ["a source", { match: { source: "billing" }, to: ["crm"] }],
    ["a type", { match: { type: "refund.requested" }, to: ["crm"] }],
    ["a pattern", { match: { type: "order.*" }, to: ["crm"] }],
  ])("sends an event that a route for %s takes", (_what, route) => {
    const config = aConfigWith([{ match: { when: { "data.total": { gt: 1e9 } } }, to: ["crm"] }, route]);
    const [, source = "", type = ""] = /--source (\S+) --type (\S+)/.exec(exampleCommand(config)) ?? [];
    expect(matchRoutes(config, { source, id: "evt_1", type, data: { total: 42 } })).toEqual(["crm"]);
  });

  test("prefers a route that asks nobody", () => {
    const people = { "ana@example.com": {} };
    const refunds = { match: { type: "refund" }, to: ["crm"], approval: { approvers: ["ana@example.com"] } };
    const plain = { match: { type: "order" }, to: ["crm"] };
    expect(exampleCommand(aConfigWith([refunds, plain], ["shop"], people))).toContain("--type order ");
    expect(exampleCommand(aConfigWith([refunds], ["shop"], people))).toContain("--type refund ");
  });

  test("sends people to doctor when nothing can be accepted yet", () => {
    expect(exampleCommand(aConfigWith([]))).toBe("countersign doctor");
    expect(exampleCommand(aConfigWith([{ to: ["crm"] }], []))).toBe("countersign doctor");
  });
});
