/** docs/observability.md names what there is: every metric, label, word and log line, and no other. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { WaitingEvents } from "../../src/telemetry/metrics.ts";
import { createMetrics } from "../../src/telemetry/metrics.ts";
import { readWaiting, waitingAt } from "../../src/server/waiting-reading.ts";
import { familiesOf, labelsOf, seriesOf } from "../support/metrics-text.ts";

const page = await readFile("docs/observability.md", "utf8");

/** The rows of the table whose head begins with this cell, as their cells. */
function tableOf(head: string): readonly (readonly string[])[] {
  const lines = page.split("\n");
  const from = lines.findIndex((line) => new RegExp(`^\\| ${head} +\\|`).test(line)) + 2;
  const rest = lines.slice(from);
  const rows = rest.slice(
    0,
    rest.findIndex((line) => !line.startsWith("|")),
  );
  return rows.map((row) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

function wordsOf(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word);
}

async function waitingForNobody(): Promise<WaitingEvents> {
  const countersign = {
    count: async () => await Promise.resolve(0),
    listPage: async () => await Promise.resolve({ items: [], nextCursor: null }),
  };
  const source = { countersign, now: () => 0, pause: async () => await Promise.resolve() };
  return waitingAt(await readWaiting(source), 0);
}

/** Everything once, and everything that is expected at 0. */
async function everything(): Promise<string> {
  const metrics = createMetrics();
  metrics.expectAtDoor({ sources: ["shop"], schemes: ["stripe"] });
  metrics.expectAttempts(["crm"]);
  metrics.expectLookups(["crm"]);
  metrics.attempted({ endpoint: "crm", outcome: "delivered", durationMs: 1 });
  metrics.answered({ method: "POST", route: "/v1/events", status: 202 }, 1);
  metrics.waiting(await waitingForNobody());
  return await metrics.text();
}

const text = await everything();

test("each metric is on the page with its type and labels, and no other", () => {
  const labels = labelsOf(text);
  const registered = [...familiesOf(text)].map(([name, type]) => [name, type, labels.get(name) ?? []]);
  const described = tableOf("metric").map(([name = "", type, label = ""]) => [wordsOf(name)[0], type, wordsOf(label)]);
  expect(described).toEqual(registered);
});

test("metrics that are named anywhere on the page are there", () => {
  const named = [...page.matchAll(/\b(?:countersign|process|nodejs|http_server)_\w+/g)].map(([name]) => name);
  const known = new Set([...familiesOf(text).keys(), ...[...labelsOf(text).values()].flat()]);
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});

describe("the words of a label", () => {
  const valuesOf = (metric: string, label: string): readonly string[] => {
    const found = [...seriesOf(text).keys()].filter((name) => name.startsWith(`${metric}{`));
    return [...new Set(found.map((name) => new RegExp(`${label}="([^"]*)"`).exec(name)?.[1] ?? ""))];
  };

  test.each([
    ["`result`", "countersign_ingest_requests_total", "result"],
    ["`match`", "countersign_ingest_duplicates_total", "match"],
    ["`outcome`", "countersign_delivery_attempts_total", "outcome"],
    ["`found`", "countersign_lookups_total", "found"],
    ["`state` of gates", "countersign_gate_changes_total", "state"],
    ["`reason` of signatures", "countersign_ingest_signature_failures_total", "reason"],
    ["`reason` of keys", "countersign_key_failures_total", "reason"],
    ["`reason` of parked", "countersign_needs_attention", "reason"],
    ["`nodejs_eventloop_state`", "nodejs_eventloop_time_seconds_total", "nodejs_eventloop_state"],
  ])("%s are those of the code", (row, metric, label) => {
    const [, cell = ""] = tableOf("label").find(([name]) => name === row) ?? [];
    expect(wordsOf(cell)).toEqual(valuesOf(metric, label));
  });

  test("that alerts look for are among them", () => {
    const wanted = [...page.matchAll(/(countersign_\w+|nodejs_\w+)\{(\w+)!?="([^"]*)"\}/g)];
    expect(wanted.length).toBeGreaterThan(8);
    for (const [, metric = "", label = "", value] of wanted)
      expect([metric, label, valuesOf(metric, label)]).toEqual([metric, label, expect.arrayContaining([value])]);
  });
});

test("each alert has a condition, a first question and a first step", () => {
  const alerts = tableOf("when");
  expect(alerts.length).toBeGreaterThan(12);
  for (const [condition = "", question = "", step = ""] of alerts) {
    expect(condition).not.toBe("");
    expect(question).toMatch(/\?$/u);
    expect(step).not.toBe("");
  }
});

describe("log lines", () => {
  /** `log.info(fields, "name")`, in every source file. */
  const CALL = /\.(info|warn|error)\(\s*(?:\{[^}]*\}|\w+),\s*"([a-z_]+\.[a-z_]+)"/g;

  async function written(): Promise<readonly string[]> {
    const files = await readdir("src", { recursive: true });
    const sources = files.filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"));
    const texts = await Promise.all(sources.map(async (file) => await readFile(join("src", file), "utf8")));
    return texts.flatMap((source) => [...source.matchAll(CALL)].map(([, level = "", name = ""]) => `${name} ${level}`));
  }

  test("that are written are on the page with their level, and no other", async () => {
    const described = tableOf("`msg`").map(([name = "", level = ""]) => `${wordsOf(name)[0] ?? ""} ${level}`);
    expect(described.toSorted()).toEqual([...new Set(await written())].toSorted());
  });
});
