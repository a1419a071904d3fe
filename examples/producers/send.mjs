// Sends one event with nothing but Node, again and again until it is safe or refused for good.
// COUNTERSIGN_URL and COUNTERSIGN_KEY say where to and with which key; the first argument is the event's id.
import { setTimeout as pause } from "node:timers/promises";

const { COUNTERSIGN_URL = "http://127.0.0.1:8787", COUNTERSIGN_KEY = "" } = process.env;
const TRIES = 8;

/** Resolves with the receipt once the event is safe. Sending again is safe too: the id makes it the same event. */
async function send(event) {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await post(event).catch((error) => ({ status: 0, error }));
    if (answer.status === 200 || answer.status === 202) return await answer.json();
    const again = answer.status === 0 || answer.status === 408 || answer.status === 429 || answer.status >= 500;
    if (!again || attempt === TRIES) throw await refusal(answer);
    await pause(waitMs(answer, attempt));
  }
}

async function post(event) {
  return await fetch(`${COUNTERSIGN_URL}/v1/events`, {
    method: "POST",
    headers: { authorization: `Bearer ${COUNTERSIGN_KEY}`, "content-type": "application/json" },
    body: JSON.stringify(event),
    signal: AbortSignal.timeout(30_000),
  });
}

/** Never before Retry-After, and not all producers at the same moment. */
function waitMs(answer, attempt) {
  const asked = Number(answer.headers?.get("retry-after") ?? 0) * 1000;
  return Math.max(asked, Math.min(30_000, 500 * 2 ** attempt) * (0.5 + Math.random() / 2));
}

async function refusal(answer) {
  if (answer.error !== undefined) return answer.error;
  return new Error(`${answer.status}: ${await answer.text()}`);
}

const [id] = process.argv.slice(2);
console.log(JSON.stringify(await send({ source: "shop", id, type: "order.created", data: { total: 42.1 } })));
