/** Producers over HTTP that send each event again until it is safe, as the examples do, only faster. */
import { setTimeout as pause } from "node:timers/promises";

export interface Sent {
  readonly id: string;
  /** Of every answer, in order; 0 = there was none. */
  readonly statuses: readonly number[];
  /** When the last answer came: a 2xx. */
  readonly safeAtMs: number;
}

export interface ProducerOptions {
  /** Of the server; it may come and go. */
  readonly url: string;
  /** The value of the Authorization header. */
  readonly bearer: string;
  /** How many send at one time. */
  readonly producers: number;
  /** Told each time an event is safe. */
  readonly onSafe?: (sent: Sent) => void;
  /** Pause of a producer before its next event. */
  readonly betweenMs?: number;
}

const AGAIN_MS = 50;

/** Resolves once all are safe. */
export async function sendUntilSafe(
  events: readonly { readonly id: string }[],
  { url, bearer, producers, onSafe, betweenMs = 0 }: ProducerOptions,
): Promise<readonly Sent[]> {
  const waiting = [...events];
  const sent: Sent[] = [];
  const work = async (): Promise<void> => {
    for (let event = waiting.shift(); event !== undefined; event = waiting.shift()) {
      const done = await sendOne(event, { url, bearer });
      sent.push(done);
      onSafe?.(done);
      await pause(betweenMs);
    }
  };
  await Promise.all(Array.from({ length: producers }, work));
  return sent;
}

async function sendOne(event: { readonly id: string }, to: Pick<ProducerOptions, "url" | "bearer">): Promise<Sent> {
  const statuses: number[] = [];
  for (;;) {
    const status = await post(event, to);
    statuses.push(status);
    if (status === 200 || status === 202) return { id: event.id, statuses, safeAtMs: Date.now() };
    await pause(AGAIN_MS);
  }
}

async function post(event: object, { url, bearer }: Pick<ProducerOptions, "url" | "bearer">): Promise<number> {
  const headers = { authorization: bearer, "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify(event), signal: AbortSignal.timeout(30_000) };
  try {
    const answer = await fetch(`${url}/v1/events`, init);
    await answer.arrayBuffer();
    return answer.status;
  } catch {
    return 0;
  }
}
