/**
 * The HTTP server dies by SIGKILL under load, again and again, and its producers send again what got no answer:
 * whatever was answered 2xx exists exactly once. `count` = events.
 */
import { claimPort } from "../../src/temporal/free-port.ts";
import { aKey } from "../support/an-app.ts";
import { type Child, startChild } from "../support/child.ts";
import { sendUntilSafe } from "../support/http-producers.ts";
import { keyOf, openProcessStage, type ProcessStage, type StageEvent } from "../support/process-stage.ts";
import { until } from "../support/until.ts";
import { type Finding, same, type Scenario, type Scene } from "./finding.ts";

const SAFE = "every event that was answered 2xx exists, and is delivered exactly once";
const ALL = "every event gets its 2xx in the end, and no answer is a 500";
const KILLED = "the server was killed while events were on their way";

const KEY = aKey({ role: "ingest", sources: ["shop"] });
const KILLS = 3;

export const serverKills: Scenario = {
  claims: [SAFE, ALL, KILLED],
  async play(scene) {
    const { address } = scene;
    const stage = await openProcessStage({ address, endpoints: { order: {} }, rest: { keys: [KEY.entry] } });
    try {
      return await play(stage, scene);
    } finally {
      await stage.close();
    }
  },
};

async function play(stage: ProcessStage, { address, count, say }: Scene): Promise<readonly Finding[]> {
  await stage.startWorker();
  const claimed = await claimPort("127.0.0.1", 0);
  if (claimed.kind !== "free") throw new Error(`There is no free port: ${claimed.reason}`);
  const { port } = claimed;
  const start = async (): Promise<Child> => {
    const child = startChild("http-server-process.ts", { address, config: stage.config, port });
    await child.line("ready", (line) => line["ready"] === true);
    return child;
  };
  const events = Array.from({ length: count }, (_, index) => stage.anEvent("order", `order-${index + 1}`));
  let safe = 0;
  let server = await start();
  const sending = sendUntilSafe(events, {
    url: `http://127.0.0.1:${port}`,
    bearer: KEY.bearer,
    producers: 10,
    onSafe: () => (safe += 1),
  });
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const enough = Math.floor((count * kill) / (KILLS + 1)) + Math.floor(Math.random() * 5);
    await until(`${enough} events are safe`, () => safe >= enough);
    await server.kill();
    say(`killed with ${safe} events safe`);
    server = await start();
  }
  const sent = await sending;
  await server.kill();
  const unanswered = sent.filter(({ statuses }) => statuses.includes(0)).length;
  say(`${sent.length} events safe, ${unanswered} of them sent again after a lost connection`);
  const statuses = new Set(sent.flatMap((one) => one.statuses));
  return [
    ...(await Promise.all(events.map(async (event) => await existsOnce(stage, event)))),
    same({ claim: ALL, subject: "all events" }, [sent.length, statuses.has(500)], [count, false]),
    same({ claim: KILLED, subject: "connections" }, unanswered > 0, true),
  ];
}

async function existsOnce(stage: ProcessStage, event: StageEvent): Promise<Finding> {
  const { state } = await stage.client.settled(keyOf(event), { timeout: "60s" });
  return same({ claim: SAFE, subject: event.id }, [state, stage.requestsFor(event).length], ["delivered", 1]);
}
