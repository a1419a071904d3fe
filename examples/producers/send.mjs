// Sends one event with nothing but Node, again and again until it is safe or refused for good: exit 0 and the receipt,
// or exit 1 and the reason. COUNTERSIGN_URL and COUNTERSIGN_KEY say where to and with which key; the first argument is
// the event's own id.
import { setTimeout as pause } from "node:timers/promises";

const { COUNTERSIGN_URL = "http://127.0.0.1:8787", COUNTERSIGN_KEY = "" } = process.env;
const TRIES = 8;

/** Resolves with the receipt once the event is safe. Sending again is safe too: the id makes it the same event. */
async function send(event) {
  for (let attempt = 1; ; attempt += 1) {
    const { status, text, retryAfter } = await post(event);
    if (status === 200 || status === 202) return text;
    const again = status === 0 || status === 408 || status === 429 || status >= 500;
    if (!again || attempt === TRIES) throw new Error(`${status}: ${text}`);
    await pause(Math.max(askedMs(retryAfter), ownMs(attempt)));
  }
}

/** Status 0 = no answer, or none that came to its end. */
async function post(event) {
  try {
    const answer = await fetch(`${COUNTERSIGN_URL}/v1/events`, {
      method: "POST",
      headers: { authorization: `Bearer ${COUNTERSIGN_KEY}`, "content-type": "application/json" },
      body: JSON.stringify(event),
      redirect: "manual",
      signal: AbortSignal.timeout(30_000),
    });
    return { status: answer.status, text: await answer.text(), retryAfter: answer.headers.get("retry-after") };
  } catch (error) {
    return { status: 0, text: String(error.cause ?? error), retryAfter: null };
  }
}

/** Seconds or a date (RFC 9110, section 10.2.3); 0 when nothing is said. */
function askedMs(retryAfter) {
  if (retryAfter === null) return 0;
  const ms = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - Date.now();
  return Number.isNaN(ms) ? 0 : ms;
}

/** Twice as long each time, and not all producers at the same moment. */
function ownMs(attempt) {
  return Math.min(30_000, 500 * 2 ** attempt) * (0.5 + Math.random() / 2);
}

const [id] = process.argv.slice(2);
try {
  if (id === undefined) throw new Error("Give the event's own id, such as order-1001.");
  console.log(await send({ source: "shop", id, type: "order.created", data: { total: 42.1 } }));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
