/** Puts load on a contender and reads what became of it from the server's own counters. */
import type { Driver, Load, Round, Sample, Submitted, Usage } from "./scenario.ts";

/** Descriptions asked for at once, when nothing is measured any more. */
const READ_AT_ONCE = 20;

/** A fixed number of events in flight: the next one is submitted when one has ended. */
export async function closedLoop(driver: Driver, type: string, { events, concurrency }: Load): Promise<Round> {
  const submitted: Submitted[] = [];
  let started = 0;
  const slot = async (): Promise<void> => {
    while (started < events) {
      started += 1;
      submitted.push(await deliver(driver, type));
    }
  };
  const slots = Math.min(concurrency, events);
  const meter = await startMeter(driver);
  await Promise.all(Array.from({ length: slots }, slot));
  const spent = await meter.read();
  return { samples: await readSamples(driver, submitted), concurrency: slots, workedOn: events, ...spent };
}

/** Submits one event and waits until its run has closed. */
export async function deliver(driver: Driver, type: string): Promise<Submitted> {
  const submitted = await driver.contender.ask("submit", driver.nextEvent(type));
  await driver.contender.whileUp(driver.client.workflow.getHandle(submitted.workflowId).result());
  return submitted;
}

type Spent = Pick<Round, "cpuMs" | "serverCpuMs" | "rssBytes">;

/** Counts what contender and server spend from here on. */
export async function startMeter(driver: Driver): Promise<{ read(): Promise<Spent> }> {
  const usage = async (): Promise<Usage> => await driver.contender.ask("usage", null);
  const before = await usage();
  const serverBefore = driver.serverCpuMs();
  return {
    async read() {
      const { cpuMs, rssBytes } = await usage();
      const server = driver.serverCpuMs();
      const serverCpuMs = server === null || serverBefore === null ? null : server - serverBefore;
      return { cpuMs: cpuMs - before.cpuMs, serverCpuMs, rssBytes };
    },
  };
}

/** One description per event; throws when a run has not completed. */
export async function readSamples(driver: Driver, submitted: readonly Submitted[]): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  for (let from = 0; from < submitted.length; from += READ_AT_ONCE) {
    const some = submitted.slice(from, from + READ_AT_ONCE);
    samples.push(...(await Promise.all(some.map(async (one) => await readSample(driver, one)))));
  }
  return samples;
}

async function readSample({ client }: Driver, { workflowId, submittedAtMs }: Submitted): Promise<Sample> {
  const { closeTime, historyLength, raw } = await client.workflow.getHandle(workflowId).describe();
  const transitions = raw.workflowExecutionInfo?.stateTransitionCount;
  if (closeTime === undefined || transitions === undefined || transitions === null)
    throw new Error(`The server does not say how ${workflowId} ended`);
  return {
    submittedAtMs,
    closedAtMs: closeTime.getTime(),
    transitions: Number(transitions),
    historyEvents: historyLength,
  };
}
