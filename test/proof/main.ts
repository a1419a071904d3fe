/**
 * `npm run proof -- NAME [--count N]`: plays the scenarios of the end-to-end tests at full
 * count and prints a report; `docs/proof/NAME.md` is such a report. Starts a server of its own
 * unless TEMPORAL_ADDRESS names one. Exit 0 = every claim holds, 1 = one does not, 2 = bad usage.
 */
import { parseArgs } from "node:util";
import { startDevServer } from "../../src/temporal/dev-server.ts";
import { isProofName, PROOF_NAMES, PROOFS, type ProofPart } from "./proofs.ts";
import { reportOf, type Played } from "./report.ts";

const { positionals, values } = parseArgs({ allowPositionals: true, options: { count: { type: "string" } } });
process.exitCode = await main(positionals[0], values.count);

async function main(name: string | undefined, count: string | undefined): Promise<number> {
  const forced = count === undefined ? null : Number(count);
  if (name === undefined || !isProofName(name) || (forced !== null && !(Number.isInteger(forced) && forced > 0))) {
    process.stderr.write(`Usage: npm run proof -- NAME [--count N]; the names are ${PROOF_NAMES.join(", ")}\n`);
    return 2;
  }
  const played: Played[] = [];
  const startedMs = Date.now();
  const server = await serverOf(process.env["TEMPORAL_ADDRESS"]);
  try {
    for (const part of PROOFS[name]) played.push(await play(part, server.address, forced));
  } finally {
    await server.stop();
  }
  process.stdout.write(reportOf({ name, played, startedMs }));
  return played.every(({ findings }) => findings.every(({ holds }) => holds)) ? 0 : 1;
}

async function serverOf(address: string | undefined): Promise<{ readonly address: string; stop(): Promise<void> }> {
  if (address !== undefined) return { address, stop: async () => await Promise.resolve() };
  const announce = (sentence: string): boolean => process.stderr.write(`${sentence}\n`);
  return await startDevServer({ environment: process.env, namespace: "default", announce });
}

async function play({ title, scenario, count }: ProofPart, address: string, forced: number | null): Promise<Played> {
  const startedMs = Date.now();
  const say = (sentence: string): void =>
    void process.stderr.write(`${((Date.now() - startedMs) / 1000).toFixed(1)} s: ${sentence}\n`);
  process.stderr.write(`${title}\n`);
  const findings = await scenario.play({ address, count: forced ?? count, say });
  return { title, claims: scenario.claims, count: forced ?? count, findings, tookMs: Date.now() - startedMs };
}
