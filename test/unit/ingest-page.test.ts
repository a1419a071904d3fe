/** What docs/ingest.md shows is what is: its configuration loads, its codes, schemes and limits are those of the code. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { loadConfig } from "../../src/config/load-config.ts";
import { matchRoutes } from "../../src/config/match-routes.ts";
import { EVENT_MEMBERS } from "../../src/delivery/event-members.ts";
import { CountersignError, type ErrorCode } from "../../src/errors.ts";
import { schemesOf } from "../../src/server/create-context.ts";
import { idFromMembers } from "../../src/server/event-id.ts";
import { DEFAULT_LIMITS } from "../../src/server/limits.ts";
import { problemOf } from "../../src/server/problem.ts";
import { SCHEME_NAMES, schemeOf } from "../../src/signing/verify/schemes.ts";

const page = await readFile("docs/ingest.md", "utf8");

async function exampleConfig() {
  const folder = await mkdtemp(join(tmpdir(), "countersign-page-"));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  const [, code = ""] = /```ts\n(.*?)```/s.exec(page) ?? [];
  await writeFile(join(folder, "countersign.config.ts"), code);
  return await loadConfig({ cwd: folder, environment: {} });
}

test("its configuration loads, and each of its doors leads somewhere", async () => {
  const config = await exampleConfig();
  const secrets = { STRIPE_WEBHOOK_SECRET: "whsec_x", GITHUB_WEBHOOK_SECRET: "y" };
  expect([...schemesOf(config, secrets).keys()]).toEqual(["stripe", "github"]);
  expect(config.keys).toMatchObject([{ role: "ingest", sources: ["shop"], types: ["order.*"] }]);
  for (const [source, type] of [
    ["shop", "order.created"],
    ["till", "order.paid"],
    ["stripe", "invoice.paid"],
    ["github", "issues.opened"],
  ] as const)
    expect(matchRoutes(config, { source, type, id: "1" })).toEqual(["crm"]);
  const { idFrom } = config.sources["till"] ?? {};
  expect(idFromMembers(idFrom ?? [], { data: { orderId: "o-17", status: "paid" } })).toBe("o-17:paid");
});

test("its event has every member there is, and says which are optional", () => {
  const table = page.slice(page.indexOf("### An event"), page.indexOf("### Answers"));
  const named = [...table.matchAll(/^\| (`.*?`) +\|/gm)].flatMap(([, cell = ""]) => [...cell.matchAll(/\w+/g)]);
  expect(named.map(([name]) => name).toSorted()).toEqual(Object.keys(EVENT_MEMBERS).toSorted());
  expect(table).toContain(`| ${EVENT_MEMBERS.id.accepted}, kept as given`);
});

test("its codes have the statuses it says", () => {
  const answers = page.slice(page.indexOf("### Answers"), page.indexOf("## Five minutes: Stripe"));
  const rows = [...answers.matchAll(/^\| (\d{3}) +\| (`.*?`) +\|/gm)];
  expect(rows.length).toBeGreaterThan(8);
  // What only HTTP refuses is tested where it is made.
  const ours: ReadonlySet<string> = new Set([
    "invalid_json",
    "duplicate_member",
    "bad_event",
    "bad_id",
    "conflict",
    "body_too_large",
    "no_route",
    "unknown_source",
    "requester_required",
    "temporal_unreachable",
  ] satisfies ErrorCode[]);
  const said = rows.flatMap(([, status, codes = ""]) =>
    [...codes.matchAll(/`(\w+)`/g)].map(([, code = ""]): readonly [string, number] => [code, Number(status)]),
  );
  const found = said.filter(([code]) => ours.has(code));
  expect(found).toHaveLength(ours.size);
  for (const [code, status] of found)
    expect([code, problemOf(new CountersignError(code as ErrorCode, "x")).status]).toEqual([code, status]); // one of `ours`
});

test("its schemes are those there are, answered as their providers want it", () => {
  const rows = [...page.matchAll(/^\| (`[\w-]+`(?:, `[\w-]+`)*) +\|.*\| (20\d(?:, empty)?) +\|$/gm)];
  const told = rows.flatMap(([, names = "", answer]) =>
    [...names.matchAll(/[\w-]+/g)].map(([name]): readonly [string, string | undefined] => [name, answer]),
  );
  const answers = SCHEME_NAMES.map((name): readonly [string, string] => {
    const { status, body } = schemeOf(name).acknowledgement;
    return [name, `${status}${body === "empty" ? ", empty" : ""}`];
  });
  expect(told).toHaveLength(SCHEME_NAMES.length);
  expect(new Map(told)).toEqual(new Map(answers));
});

test("its limits are those in force", () => {
  const [mib, seconds] = [1024 * 1024, 1000];
  for (const [row, value] of [
    ["request to `/v1/events`", `${DEFAULT_LIMITS.maxEventBytes / mib} MiB`],
    ["request to `/v1/hooks/…`", `${DEFAULT_LIMITS.maxHookBytes / mib} MiB`],
    ["headers ", `${DEFAULT_LIMITS.maxHeaderBytes / 1024} KiB, ${DEFAULT_LIMITS.headerTimeMs / seconds} s`],
    ["time for a body", `${DEFAULT_LIMITS.bodyTimeMs / seconds} s`],
    ["bodies in memory", `${DEFAULT_LIMITS.maxBufferedBytes / mib} MiB, half of it for webhooks`],
    ["events on their way to Temporal", `${DEFAULT_LIMITS.maxInFlight}`],
    ["wait for Temporal", `${DEFAULT_LIMITS.acceptTimeMs / seconds} s`],
    ["time for a client to read its answer", `${DEFAULT_LIMITS.readTimeMs / seconds} s`],
    ["connections", DEFAULT_LIMITS.maxConnections.toLocaleString("en-US")],
  ] as const) {
    const line = page.split("\n").find((text) => text.startsWith(`| ${row}`)) ?? "";
    expect(line).toContain(`| ${value} `);
  }
  expect(page).toContain(`up to ${DEFAULT_LIMITS.maxBatch} structured`);
  expect(page).toContain(`429 when ${DEFAULT_LIMITS.maxHeldBack} wait`);
});
