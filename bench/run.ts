/** One run: a server, a destination, one process per scenario, and rounds that take turns. */
import { Client, Connection } from "@temporalio/client";
import { DAY_MS } from "../src/delivery/durations.ts";
import { type DevServer, startDevServer } from "../src/temporal/dev-server.ts";
import { type Child, startChild } from "./child.ts";
import type { DestinationSkills } from "./destination.ts";
import { cpuMsOf, readEnvironment } from "./environment.ts";
import { closedLoop } from "./measure.ts";
import type { BenchOptions } from "./options.ts";
import { type Report, reportOf } from "./report.ts";
import type { BenchEvent, ContenderSkills, Driver, Load, Round, Scenario, Stage } from "./scenario.ts";
import { split, summarize } from "./statistics.ts";

/** Connections, caches and the compiler, per event type; a process gets faster for much longer than this. */
const WARM_UP: Load = { events: 40, concurrency: 10 };

/** `say` gets a sentence about what is going on. */
export async function runBench({ scenarios, load }: BenchOptions, say: (sentence: string) => void): Promise<Report> {
  const opened: { close(): Promise<void> }[] = [];
  try {
    const ground = await openGround((one) => opened.push(one), say);
    const environment = await readEnvironment(ground.client);
    say(`Starting ${scenarios.map(({ name }) => name).join(", ")} …`);
    const entrants = await Promise.all(
      scenarios.map(async (scenario) => await enter(scenario, ground, (one) => opened.push(one))),
    );
    await takeTurns(entrants, load, say);
    return reportOf(
      environment,
      entrants.map(({ scenario, rounds }) => summarize(scenario.name, rounds)),
    );
  } finally {
    for (const one of opened.toReversed()) await one.close();
  }
}

type Opened = (one: { close(): Promise<void> }) => void;

/** What all scenarios share. */
interface Ground {
  readonly server: DevServer;
  readonly client: Client;
  readonly destination: Child<DestinationSkills>;
  readonly destinationUrl: string;
}

async function openGround(opened: Opened, say: (sentence: string) => void): Promise<Ground> {
  say("Starting a Temporal server and a destination …");
  const server = await startDevServer({
    environment: process.env,
    namespace: "default",
    retentionMs: 7 * DAY_MS,
    announce: say,
  });
  opened({ close: server.stop });
  const connection = await Connection.connect({ address: server.address });
  opened({ close: async () => await connection.close() });
  const destination = await startChild<DestinationSkills>(new URL("destination.ts", import.meta.url), null);
  opened({ close: destination.stop });
  const destinationUrl = await destination.ask("url", null);
  return { server, client: new Client({ connection }), destination, destinationUrl };
}

interface Entrant {
  readonly scenario: Scenario;
  readonly driver: Driver;
  readonly rounds: Round[];
}

async function enter(scenario: Scenario, ground: Ground, opened: Opened): Promise<Entrant> {
  const { server, client, destination, destinationUrl } = ground;
  const { name } = scenario;
  const stage: Stage = { scenario: name, address: server.address, destinationUrl };
  const starting = startChild<ContenderSkills>(new URL("contender-process.ts", import.meta.url), stage);
  // One that is still starting when another has failed must not outlive the run either.
  const stop = async (): Promise<void> => await starting.then(async (child) => await child.stop());
  opened({ close: async () => await stop().catch(() => undefined) });
  const contender = await starting;
  let count = 0;
  const nextEvent = (type: string): BenchEvent => {
    count += 1;
    return { source: "bench", id: `${name}-${count}`, type, data: { order: count, currency: "EUR", total: 42.5 } };
  };
  const serverCpuMs = (): number | null => cpuMsOf(server.pid);
  const driver: Driver = { scenario: name, client, contender, destination, serverCpuMs, nextEvent };
  return { scenario, driver, rounds: [] };
}

async function takeTurns(
  entrants: readonly Entrant[],
  asked: Partial<Load>,
  say: (sentence: string) => void,
): Promise<void> {
  for (const { scenario, driver } of entrants) {
    say(`Warming ${scenario.name} up …`);
    await warmUp(scenario, driver, { ...WARM_UP, events: Math.min(WARM_UP.events, asked.events ?? WARM_UP.events) });
  }
  // Whatever else the machine does meets every scenario alike when they take turns.
  const turns = Math.max(...entrants.map(({ scenario }) => scenario.rounds));
  for (let turn = 0; turn < turns; turn += 1) {
    for (const { scenario, driver, rounds } of entrants) {
      const { events: all, concurrency } = { ...scenario.defaults, ...asked };
      const events = split(all, { parts: scenario.rounds, atLeast: concurrency })[turn];
      if (events === undefined) continue;
      say(`Turn ${turn + 1} of ${turns}: ${scenario.name}, ${events} events …`);
      rounds.push(await scenario.round(driver, { events, concurrency }));
    }
  }
}

async function warmUp(scenario: Scenario, driver: Driver, load: Load): Promise<void> {
  if (scenario.warmUp !== undefined) return await scenario.warmUp(driver, load);
  for (const type of scenario.types) await closedLoop(driver, type, load);
}
