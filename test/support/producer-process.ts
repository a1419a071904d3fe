/**
 * A producer as a process of its own. Argument: `ProducerOrder` as JSON. Prints `{ ready: true }`,
 * submits everything at once when told a line, then prints `{ receipts, refusals }` and ends.
 */
import { connect } from "../../src/client/connect.ts";
import type { Receipt } from "../../src/client/submit.ts";
import type { Config } from "../../src/config/config.ts";
import { isCountersignError } from "../../src/errors.ts";

export interface ProducerOrder {
  readonly address: string;
  readonly config: Config;
  readonly events: readonly unknown[];
}

export interface ProducerReport {
  readonly receipts: readonly Receipt[];
  /** Code of each submit that threw. */
  readonly refusals: readonly string[];
}

const { address, config, events } = JSON.parse(process.argv[2] ?? "") as ProducerOrder; // written by `startChild`
const client = await connect({ address, config, environment: {} });
process.stdout.write(`${JSON.stringify({ ready: true })}\n`);
process.stdin.once("end", () => process.exit(1));
process.stdin.once("data", () => void submitAll().then(() => process.exit(0)));

async function submitAll(): Promise<void> {
  const outcomes = await Promise.allSettled(events.map(async (event) => await client.submit(event)));
  const receipts = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  const refusals = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [codeOf(outcome.reason)] : []));
  const report: ProducerReport = { receipts, refusals };
  await client.close();
  await new Promise<void>((resolve) => process.stdout.write(`${JSON.stringify(report)}\n`, () => resolve()));
}

function codeOf(reason: unknown): string {
  return isCountersignError(reason) ? reason.code : String(reason);
}
