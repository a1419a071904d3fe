/**
 * The HTTP server dies by SIGKILL under load, again and again, at moments nobody chose, and its producers send again
 * what got no answer: whatever was answered 2xx exists exactly once. Temporal is a slow network away, so that starts
 * are under way in both directions whenever the server dies. `count` = events.
 */
import { setTimeout as pause } from "node:timers/promises";
import { claimPort } from "../../src/temporal/free-port.ts";
import { aKey } from "../support/an-app.ts";
import { type Child, startChild } from "../support/child.ts";
import { type Sent, sendUntilSafe, type Try } from "../support/http-producers.ts";
import { inBatches } from "../support/in-batches.ts";
import { keyOf, openProcessStage, type ProcessStage, type StageEvent } from "../support/process-stage.ts";
import { type SlowLink, startSlowLink } from "../support/slow-link.ts";
import { until } from "../support/until.ts";
import { type Finding, same, type Scenario, type Scene } from "./finding.ts";

const SAFE = "an event that was answered 2xx exists, is the run its receipt names, and is delivered exactly once";
const FOUND = "an event that was started although nobody was told is found when it is sent again";
const ALL = "every event gets its 2xx in the end, and no other answer than 200, 202 and 503";
const KILLED = "the server was killed while events were on their way";

const KEY = aKey({ role: "ingest", sources: ["shop"] });
const PRODUCERS = 10;
/** One kill in so many events. */
const EVENTS_PER_KILL = 33;
/** One way between server and Temporal: far above what either of them takes on a quiet machine. */
const LINK_MS = 50;
/** A kill comes at any moment of two rounds of all producers. */
const WITHIN_MS = 4 * LINK_MS;

export const serverKills: Scenario = {
  claims: [SAFE, FOUND, ALL, KILLED],
  async play(scene) {
    const { address } = scene;
    const stage = await openProcessStage({ address, endpoints: { order: {} }, rest: { keys: [KEY.entry] } });
    const link = await startSlowLink(address, LINK_MS);
    try {
      return await play(stage, link, scene);
    } finally {
      await link.close();
      await stage.close();
    }
  },
};

async function play(stage: ProcessStage, link: SlowLink, { count, say }: Scene): Promise<readonly Finding[]> {
  await stage.startWorker();
  const claimed = await claimPort("127.0.0.1", 0);
  if (claimed.kind !== "free") throw new Error(`There is no free port: ${claimed.reason}`);
  const { port } = claimed;
  const start = async (): Promise<Child> => {
    const child = startChild("http-server-process.ts", { address: link.address, config: stage.config, port });
    await child.line("ready", (line) => line["ready"] === true);
    return child;
  };
  const events = Array.from({ length: count }, (_, index) => stage.anEvent("order", `order-${index + 1}`));
  let safe = 0;
  let server = await start();
  const url = `http://127.0.0.1:${port}`;
  const load = { url, bearer: KEY.bearer, producers: PRODUCERS, onSafe: () => (safe += 1) };
  const sending = sendUntilSafe(events, load);
  const killedAtMs: number[] = [];
  const kills = Math.max(1, Math.floor(count / EVENTS_PER_KILL));
  for (let kill = 1; kill <= kills; kill += 1) {
    // The last tenth is for what is sent after the last kill.
    await until("events are safe", () => safe >= Math.floor((0.9 * count * kill) / (kills + 1)));
    await pause(Math.random() * WITHIN_MS);
    killedAtMs.push(Date.now());
    await server.kill();
    say(`killed with ${safe} events safe`);
    server = await start();
  }
  const sent = await sending;
  await server.kill();
  say(summaryOf(sent, killedAtMs));
  return [
    ...(await inBatches(sent, async (one) => await existsOnce(stage, events, one))),
    ...startedUntold(sent),
    ...answers(sent, count),
    ...killedAtMs.map((atMs, index) => inFlight(sent, atMs, index + 1)),
  ];
}

/** Tries that were waiting for their answer at a kill, and got none. */
function cutAt(sent: readonly Sent[], atMs: number): readonly Try[] {
  const tries = sent.flatMap((one) => one.tries);
  return tries.filter(({ status, startedMs, endedMs }) => status === 0 && startedMs < atMs && endedMs >= atMs);
}

function inFlight(sent: readonly Sent[], atMs: number, kill: number): Finding {
  const cut = cutAt(sent, atMs).length;
  return { claim: KILLED, subject: `kill ${kill}`, holds: cut > 0, seen: `${cut} requests lost their answer` };
}

async function existsOnce(stage: ProcessStage, events: readonly StageEvent[], sent: Sent): Promise<Finding> {
  const { id, tries } = sent;
  const event = events.find((candidate) => candidate.id === id);
  if (event === undefined) throw new Error(`Nobody meant to send ${id}`);
  const about = { claim: SAFE, subject: id };
  const found = await look(stage, event).catch((error: unknown) => String(error));
  const answered = tries.at(-1)?.runId;
  return same(about, found, { state: "delivered", requests: 1, runId: answered });
}

async function look(stage: ProcessStage, event: StageEvent) {
  const { state } = await stage.client.settled(keyOf(event), { timeout: "60s" });
  const { runId } = await stage.temporal.workflow.getHandle(keyOf(event)).describe();
  return { state, requests: stage.requestsFor(event).length, runId };
}

/** Those whose first 2xx was 200: the start had been made by a try without an answer. */
function startedUntold(sent: readonly Sent[]): readonly Finding[] {
  const found = sent.filter(({ tries }) => tries.at(-1)?.status === 200);
  return found.map(({ id, tries }) => {
    const statuses = tries.map(({ status }) => status);
    return { claim: FOUND, subject: id, holds: statuses.includes(0), seen: statuses.join(", ") };
  });
}

function answers(sent: readonly Sent[], count: number): readonly Finding[] {
  const statuses = new Set(sent.flatMap(({ tries }) => tries.map(({ status }) => status)));
  const others = [...statuses].filter((status) => ![0, 200, 202, 503].includes(status));
  return [
    same({ claim: ALL, subject: "events" }, sent.length, count),
    same({ claim: ALL, subject: "other answers" }, others, []),
  ];
}

function summaryOf(sent: readonly Sent[], killedAtMs: readonly number[]): string {
  const cut = killedAtMs.flatMap((atMs) => cutAt(sent, atMs)).length;
  const again = sent.filter(({ tries }) => tries.some(({ status }) => status === 0));
  const started = again.filter(({ tries }) => tries.at(-1)?.status === 200).length;
  return `${sent.length} events safe; ${cut} requests cut by ${killedAtMs.length} kills; of ${again.length} events sent again ${started} had been started`;
}
