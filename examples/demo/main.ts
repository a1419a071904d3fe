/**
 * `npm run demo`: one event that is asked to come back later, one whose answer is lost, and
 * a refund that waits for a person's yes; each takes effect once.
 */
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import type { EventReport } from "../../src/client/get-event.ts";
import { isCountersignError } from "../../src/errors.ts";
import { type DemoOptions, parseArguments } from "./answers.ts";
import { checkPromises, type DemoResult } from "./promises.ts";
import { REFUND_PATH } from "./destination.ts";
import { APPROVER, REQUESTER } from "./people.ts";
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
    const { order, invoice, refund, effects } = result;
    if (options.json) console.log(JSON.stringify({ events: [order, invoice, refund], effects, temporalUi }));
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

async function play(scene: Scene, { answer }: DemoOptions): Promise<DemoResult> {
  const { destination, worker } = scene;
  const settle = async (event: object): Promise<EventReport> => {
    const { key } = await worker.client.submit(event);
    return await worker.client.settled(key, { timeout: SETTLED_WITHIN });
  };
  const [order, invoice, refunded] = await Promise.all([
    settle({ source: "shop", id: "evt_1", type: "order.created", data: { total: 42 } }),
    settle({ source: "shop", id: "evt_2", type: "invoice.paid", data: { invoice: "in_7", total: 42 } }),
    approveRefund(scene, settle),
  ]);
  return { answer, order, invoice, ...refunded, requests: destination.requests(), effects: destination.effects() };
}

/** Whoever may signal in Temporal can decide; that it counts, and on what, is the workflow's to say. */
async function approveRefund(
  { destination, worker, temporal }: Scene,
  settle: (event: object) => Promise<EventReport>,
): Promise<Pick<DemoResult, "proposed" | "sentBefore" | "refund">> {
  const data = { order: "o_1", amount: 900, currency: "EUR" };
  const evidence = [{ title: "The customer's letter", url: "https://desk.example/tickets/7" }];
  const event = { source: "shop", id: "evt_3", type: "refund.requested", requestedBy: REQUESTER, evidence, data };
  const proposed = await settle(event);
  const sentBefore = destination.requests().filter(({ path }) => path === REFUND_PATH).length;
  const digest = proposed.deliveries[0]?.proposal?.digest;
  await temporal.workflow
    .getHandle(proposed.key)
    .signal("approve", { actor: APPROVER, digest, note: "Letter checked" });
  const done = () => worker.client.settled(proposed.key, { timeout: SETTLED_WITHIN });
  let refund = await done();
  // The signal may be read a moment after it was sent: until then the refund still waits.
  for (
    const until = Date.now() + 40_000;
    refund.state === "awaiting-approval" && Date.now() < until;
    refund = await done()
  )
    await pause(50);
  return { proposed, sentBefore, refund };
}

async function untilInterrupted(say: (text: string) => void): Promise<void> {
  say("\nStaying up for a look at the Temporal UI; Ctrl-C ends it.");
  const idle = setInterval(() => undefined, 60_000);
  await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  clearInterval(idle);
}
