/** The command line of `npm run bench`. */
import { parseArgs } from "node:util";
import type { Load, Scenario } from "./scenario.ts";
import { SCENARIOS } from "./scenarios/all.ts";

export interface BenchOptions {
  readonly json: boolean;
  readonly scenarios: readonly Scenario[];
  /** Absent = each scenario's own. */
  readonly load: Partial<Load>;
}

export type Parsed = { readonly options: BenchOptions } | { readonly mistake: string };

export function parseArguments(args: readonly string[]): Parsed {
  try {
    return { options: read(args) };
  } catch (error) {
    if (error instanceof Error) return { mistake: `${error.message}\n${usage()}` };
    throw error;
  }
}

function read(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      json: { type: "boolean", default: false },
      scenario: { type: "string", multiple: true },
      events: { type: "string" },
      concurrency: { type: "string" },
    },
  });
  const events = count("--events", values.events);
  const concurrency = count("--concurrency", values.concurrency);
  const load = { ...(events === null ? {} : { events }), ...(concurrency === null ? {} : { concurrency }) };
  return { json: values.json, scenarios: chosen(values.scenario), load };
}

/** Always in the order of the table, each once. */
function chosen(names: readonly string[] | undefined): readonly Scenario[] {
  if (names === undefined) return SCENARIOS;
  const unknown = names.find((name) => !SCENARIOS.some((scenario) => scenario.name === name));
  if (unknown !== undefined) throw new Error(`There is no scenario ${JSON.stringify(unknown)}.`);
  return SCENARIOS.filter(({ name }) => names.includes(name));
}

function count(option: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  if (!/^[1-9]\d{0,5}$/u.test(text))
    throw new Error(`${option} takes a whole number from 1, not ${JSON.stringify(text)}.`);
  return Number(text);
}

function usage(): string {
  const names = SCENARIOS.map(({ name }) => name).join(", ");
  return `Usage: npm run bench -- [--json] [--scenario NAME]… [--events N] [--concurrency N]\nScenarios: ${names}`;
}
