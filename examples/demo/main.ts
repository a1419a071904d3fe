/** `npm run demo`: one event that is asked to come back later, one whose answer is lost; both are delivered once. */
import { once } from "node:events";
import type { EventState } from "../../src/delivery/event-state.ts";
import { isCountersignError } from "../../src/errors.ts";
import { type DemoOptions, parseArguments } from "./answers.ts";
import { checkPromises, type DemoResult } from "./promises.ts";
import { openScene, type Scene } from "./scene.ts";
import { closing, colorsFor, opening, transcript } from "./transcript.ts";

const SETTLED_WITHIN = "40s";

const parsed = parseArguments(process.argv.slice(2));
if ("mistake" in parsed) {
  console.error(parsed.mistake);
  process.exitCode = 2;
} else {
  process.exitCode = await runDemo(parsed.options).catch(failed);
}

async function runDemo(options: DemoOptions): Promise<number> {
  const say = options.json ? (): void => undefined : (text: string): void => console.log(text);
  const announce = options.json ? (text: string): void => console.error(text) : say;
  say("Starting a Temporal server, a destination and a worker …");
  const scene = await openScene({ answer: options.answer, environment: process.env, announce });
  try {
    const temporalUi = scene.server.uiUrl ?? "";
    say(opening(options.answer));
    const result = await play(scene, options);
    const promises = checkPromises(result);
    const { order, invoice, effects } = result;
    if (options.json) console.log(JSON.stringify({ events: [order, invoice], effects, temporalUi }));
    const colors = colorsFor(process.stdout, process.env["NO_COLOR"]);
    say(transcript(result, temporalUi, colors));
    say(closing(promises, colors));
    const broken = promises.filter(({ kept }) => !kept);
    for (const { claim } of broken) console.error(`Did not hold: ${claim}`);
    if (options.stay) await untilInterrupted(say);
    else say("\nThe Temporal UI has ended with the demo; `npm run demo -- --stay` keeps it up for a look.");
    return broken.length === 0 ? 0 : 1;
  } finally {
    await scene.close();
  }
}

/** Without a server or without an end in time there is nothing to show but the reason. */
function failed(error: unknown): number {
  console.error(isCountersignError(error) ? error.message : error);
  return 1;
}

async function play({ destination, worker }: Scene, { answer }: DemoOptions): Promise<DemoResult> {
  const settle = async (event: object): Promise<EventState> => {
    const { key } = await worker.client.submit(event);
    return await worker.client.settled(key, { timeout: SETTLED_WITHIN });
  };
  const [order, invoice] = await Promise.all([
    settle({ source: "shop", id: "evt_1", type: "order.created", data: { total: 42 } }),
    settle({ source: "shop", id: "evt_2", type: "invoice.paid", data: { invoice: "in_7", total: 42 } }),
  ]);
  return { answer, order, invoice, requests: destination.requests(), effects: destination.effects() };
}

async function untilInterrupted(say: (text: string) => void): Promise<void> {
  say("\nStaying up for a look at the Temporal UI; Ctrl-C ends it.");
  const idle = setInterval(() => undefined, 60_000);
  await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  clearInterval(idle);
}
