/** Puts load on a contender and reads what became of it from the server's own counters. */
import type { Driver, Load, Round, Sample, Submitted, Usage } from "./scenario.ts";

/** Descriptions asked for at once, when nothing is measured any more. */
const READ_AT_ONCE = 20;

/** A fixed number of events in flight: the next one is submitted when one has ended. */
export async function closedLoop(driver: Driver, type: string, load: Load): Promise<Round> {
  const meter = await startMeter(driver);
  const submitted = await inSlots(load, async () => await deliver(driver, type));
  const spent = await meter.read();
  const concurrency = Math.min(load.concurrency, load.events);
  return { samples: await readSamples(driver, submitted), concurrency, workedOn: load.events, ...spent };
}

/** The same for what only has to be accepted: the next one is submitted when one is. */
export async function acceptLoop(driver: Driver, type: string, load: Load): Promise<readonly Submitted[]> {
  return await inSlots(load, async () => await driver.contender.ask("submit", driver.nextEvent(type)));
}

async function inSlots({ events, concurrency }: Load, one: () => Promise<Submitted>): Promise<readonly Submitted[]> {
  const submitted: Submitted[] = [];
  let started = 0;
  const slot = async (): Promise<void> => {
    while (started < events) {
      started += 1;
      submitted.push(await one());
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, events) }, slot));
  return submitted;
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
  return await someAtOnce(submitted, async ({ workflowId, submittedAtMs }) => {
    const { closedAtMs, ...counts } = await readRun(driver, workflowId);
    if (closedAtMs === undefined) throw new Error(`The server does not say how ${workflowId} ended`);
    return { submittedAtMs, closedAtMs, ...counts };
  });
}

/** The same for what was only accepted. */
export async function readAccepted(driver: Driver, submitted: readonly Submitted[]): Promise<readonly Sample[]> {
  return await someAtOnce(submitted, async ({ workflowId, submittedAtMs, acceptedMs }) => {
    const { transitions, historyEvents } = await readRun(driver, workflowId);
    return { submittedAtMs, closedAtMs: submittedAtMs + acceptedMs, transitions, historyEvents };
  });
}

async function someAtOnce(
  submitted: readonly Submitted[],
  read: (one: Submitted) => Promise<Sample>,
): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  for (let from = 0; from < submitted.length; from += READ_AT_ONCE)
    samples.push(...(await Promise.all(submitted.slice(from, from + READ_AT_ONCE).map(read))));
  return samples;
}

type Counts = Pick<Sample, "transitions" | "historyEvents"> & { readonly closedAtMs: number | undefined };

async function readRun({ client }: Driver, workflowId: string): Promise<Counts> {
  const { closeTime, historyLength, raw } = await client.workflow.getHandle(workflowId).describe();
  const transitions = raw.workflowExecutionInfo?.stateTransitionCount;
  if (transitions === undefined || transitions === null)
    throw new Error(`The server does not say what ${workflowId} has cost`);
  return { closedAtMs: closeTime?.getTime(), transitions: Number(transitions), historyEvents: historyLength };
}
