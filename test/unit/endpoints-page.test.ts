/** docs/endpoints.md says what there is: gates, circuit, what counts, refusals, ledger, bounds. */
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { parseConfig } from "../../src/config/parse-config.ts";
import { classifyStatus } from "../../src/delivery/classify-status.ts";
import { DEFAULT_CIRCUIT, openForMs } from "../../src/delivery/gates/circuit.ts";
import type { GateState } from "../../src/delivery/gates/control.ts";
import type { LedgerEvent } from "../../src/delivery/gates/ledger.ts";
import { readPause, readResume } from "../../src/delivery/gates/read-words.ts";
import { type EndpointVerdict, endpointVerdict } from "../../src/delivery/gates/trouble.ts";
import type { ResumeVerdict } from "../../src/workflows/messages.ts";

const page = await readFile("docs/endpoints.md", "utf8");

/** The rows of the table whose head begins so, as their cells. */
function tableOf(head: string): readonly (readonly string[])[] {
  const table = page.slice(page.search(new RegExp(`^\\| ${head} +\\|`, "mu")));
  const rows = table.slice(0, table.indexOf("\n\n")).split("\n").slice(2);
  return rows.map((row) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

function firstWords(head: string): readonly string[] {
  return tableOf(head).map(([cell = ""]) => /^`([^`]+)`/u.exec(cell)?.[1] ?? cell);
}

test("every gate, every change and every refusal, and no other", () => {
  // The compiler holds these to the closed sets.
  const gates: Readonly<Record<GateState, true>> = { open: true, paused: true, tripped: true, throttled: true };
  const changes: Readonly<Record<LedgerEvent, true>> = {
    paused: true,
    "pause-ended": true,
    resumed: true,
    tripped: true,
    throttled: true,
    "throttle-ended": true,
    probing: true,
    "probe-failed": true,
    opened: true,
  };
  const refusals: Readonly<Record<NonNullable<ResumeVerdict["refusedBecause"]>, true>> = {
    "not-held": true,
    throttled: true,
    "already-resuming": true,
    malformed: true,
  };
  expect(firstWords("Gate")).toEqual(Object.keys(gates));
  expect(firstWords("`what`")).toEqual(Object.keys(changes));
  expect(firstWords("Reason")).toEqual(Object.keys(refusals));
});

test("the circuit's defaults, and how long it stays open", () => {
  const told = Object.fromEntries(
    tableOf("Key").map(([key = "", value = ""]) => [key.replaceAll("`", ""), value.replaceAll(/[`']/gu, "")]),
  );
  const { failures, share, windowMs, minimum, openMs, probes } = DEFAULT_CIRCUIT;
  const [window, open] = [`${windowMs / 60_000}m`, `${openMs / 1000}s`];
  const defaults = { failures, share, window, minimum, open, probes };
  expect(told).toEqual(Object.fromEntries(Object.entries(defaults).map(([key, value]) => [key, String(value)])));
  expect(page).toContain("after each failed probe twice as long, at most four times as long");
  expect([0, 1, 2, 9].map((tries) => openForMs(DEFAULT_CIRCUIT, tries) / openMs)).toEqual([1, 2, 4, 4]);
});

describe("what an answer says of the endpoint", () => {
  const words: Readonly<Record<string, EndpointVerdict>> = {
    success: "works",
    failure: "fails",
    nothing: "says-nothing",
    "credentials refused": "credentials-refused",
    gone: "endpoint-gone",
  };
  const rows = tableOf("Answer").flatMap(([answers = "", counts = ""]) =>
    [...answers.matchAll(/`(\d{3})`/gu)].map(([, status]) => [Number(status), counts] as const),
  );

  test.each(rows)("%i counts as %s", (status, counts) => {
    const outcome = classifyStatus({ status, overrides: {}, idempotent: true, hasRetryAfter: false });
    expect(endpointVerdict({ outcome, certainty: "answered", status, code: `http_${status}` })).toBe(words[counts]);
  });

  test("all kinds of them are there", () => {
    expect(new Set(rows.map(([, counts]) => counts))).toEqual(new Set(Object.keys(words)));
  });
});

test("its signals are understood, and its example is an endpoint", () => {
  const [pause, resume] = [...page.matchAll(/\(`(\{"actor".*?\})`\)/gu)].map(
    ([, text = ""]) => JSON.parse(text.replaceAll("…", "2026-11-30T08:00:00Z")) as unknown,
  );
  expect(readPause(pause, 0)).toMatchObject({ actor: "ana@example.com", untilMs: Date.parse("2026-11-30T08:00:00Z") });
  expect(readResume(resume)).toMatchObject({ actor: "ana@example.com", strict: true, rampMs: 600_000 });
  const [, code = ""] = /```js\nconst crm = (.*?);\n```/su.exec(page) ?? [];
  const crm = JSON.parse(code.replaceAll(/([{,]\s*)(\w+):/gu, '$1"$2":')) as object;
  const { endpoints } = parseConfig({ endpoints: { crm } }, { path: null });
  expect(endpoints["crm"]?.limits).toEqual({ ratePerSecond: 20, concurrency: 10 });
});
