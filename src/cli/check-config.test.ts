import picocolors from "picocolors";
import { describe, expect, test } from "vitest";
import { parseConfig } from "../config/parse-config.ts";
import type { RawConfig } from "../config/raw-config.ts";
import { type Check, exitOf, fail, ok, warn } from "./check.ts";
import { checkConfig } from "./check-config.ts";
import { checkLines } from "./commands/doctor.ts";

const LITERAL = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

function checked(raw: RawConfig, environment: Readonly<Record<string, string>> = {}): readonly Check[] {
  return checkConfig(parseConfig(raw, { path: null }), environment);
}

function texts(checks: readonly Check[], verdict: Check["verdict"]): string {
  return checks.flatMap((check) => (check.verdict === verdict ? [`${check.name}: ${check.text}`] : [])).join("\n");
}

const ROUTED = { sources: { shop: {} }, routes: [{ to: ["crm"] }] };

describe("checkConfig", () => {
  test("finds nothing wrong with a whole configuration", () => {
    const checks = checked(
      { ...ROUTED, endpoints: { crm: { url: { env: "CRM_URL" } } } },
      { CRM_URL: "https://crm.example/" },
    );
    expect(checks.map(({ verdict }) => verdict)).toEqual(["ok", "ok"]);
    expect(texts(checks, "ok")).toContain("1 endpoint, 1 route, 1 source\nendpoint crm: CRM_URL set");
  });

  test("says who can approve what, and where four eyes have a gap", () => {
    const key = Buffer.alloc(32, 7).toString("base64");
    const approval = { approvers: ["group:finance"], fourEyes: true };
    const people = { ana: { groups: ["finance"], publicKey: key }, bo: { groups: ["finance"] } };
    const endpoints = { crm: { url: "https://crm.example/" } };
    const refunds = { match: { type: "refund" }, to: ["crm"], approval };
    const checks = checked({ sources: { shop: {} }, endpoints, people, routes: [...ROUTED.routes, refunds] });
    expect(texts(checks, "ok")).toContain("approval: 1 route asks for approval; 2 people, 1 with a key");
    expect(texts(checks, "warn")).toMatch(/^approval: routes\[1\]: four eyes .*requireRequester: true$/m);
    const closed = { ...refunds, approval: { ...approval, requireRequester: true } };
    expect(texts(checked({ sources: { shop: {} }, endpoints, people, routes: [closed] }), "warn")).toBe("");
    expect(exitOf(checks)).toBe(0);
  });

  test("fails with exit 2 for a variable that is not set, naming it", () => {
    const checks = checked({ ...ROUTED, endpoints: { crm: { url: { env: "CRM_URL" } } } });
    expect(texts(checks, "fail")).toContain("CRM_URL");
    expect(exitOf(checks)).toBe(2);
  });

  test("does not ask for the variables of an isolated endpoint", () => {
    const checks = checked({ ...ROUTED, endpoints: { crm: { url: { env: "CRM_URL" }, isolated: true } } });
    expect(exitOf(checks)).toBe(0);
    expect(texts(checks, "ok")).toContain("countersign worker --only crm");
  });

  test("warns of secrets in the file without showing them", () => {
    const crm = {
      url: "https://crm.example/",
      headers: { "X-Api-Key": "k-123456", accept: "a/b" },
      signing: { scheme: "standard-webhooks" as const, secrets: [LITERAL] },
    };
    const checks = checked({ ...ROUTED, endpoints: { crm } });
    expect(texts(checks, "warn")).toContain("headers.x-api-key and signing.secrets");
    expect(texts(checks, "warn")).not.toContain("headers.accept");
    expect(JSON.stringify(checks)).not.toContain("k-123456");
    expect(JSON.stringify(checks)).not.toContain(LITERAL.slice(8, 24));
  });

  test("warns of an endpoint no route leads to, and of a configuration that can do nothing", () => {
    expect(
      texts(
        checked({
          ...ROUTED,
          endpoints: { crm: { url: "https://crm.example/" }, ledger: { url: "https://l.example/" } },
        }),
        "warn",
      ),
    ).toContain("endpoint ledger: no route");
    const chat = { url: "https://chat.example/" };
    const approval = { approvers: ["ana"], notify: "chat" };
    const told = {
      sources: { shop: {} },
      endpoints: { crm: { url: "https://crm.example/" }, chat },
      people: { ana: {} },
      routes: [{ to: ["crm"], approval }],
    };
    expect(texts(checked(told), "warn")).toBe("");
    expect(texts(checked({}), "warn")).toContain("no endpoint");
    expect(texts(checked({}), "warn")).toContain("no source");
  });
});

describe("exitOf", () => {
  test("is decided by the first failure, never by a warning", () => {
    expect(exitOf([ok("a", ""), warn("b", "")])).toBe(0);
    expect(exitOf([warn("a", ""), fail("b", "", 5), fail("c", "", 2)])).toBe(5);
    expect(exitOf([fail("a", "")])).toBe(1);
    expect(exitOf([{ name: "a", verdict: "fail", text: "" }])).toBe(1);
  });
});

test("checkLines says the verdict in words, not only in color", () => {
  const lines = checkLines([ok("a", "fine"), warn("longer", "hm"), fail("b", "no")], picocolors.createColors(false));
  expect(lines).toEqual(["ok    a       fine", "warn  longer  hm", "fail  b       no"]);
});
