/** Producers over HTTP that send each event again until it is safe, as the examples do, only faster. */
import { setTimeout as pause } from "node:timers/promises";

/** One try to send one event. */
export interface Try {
  /** Of the answer; 0 = there was none. */
  readonly status: number;
  readonly startedMs: number;
  readonly endedMs: number;
  /** Seconds, as `Retry-After` has them; null when it is not there. */
  readonly retryAfter: number | null;
  /** `code` of a problem, null of anything else. */
  readonly code: string | null;
  /** Of the receipt; null when there is none. */
  readonly runId: string | null;
}

export interface Sent {
  readonly id: string;
  /** In order; only the last one is a 2xx. */
  readonly tries: readonly Try[];
  /** When the 2xx came. */
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
  /** Pause before an event is sent again, whatever `Retry-After` says; absent = 50 ms. */
  readonly againMs?: number;
}

interface SomeEvent {
  readonly id: string;
}

const AGAIN_MS = 50;
/** Longer than any answer may take, so that one that takes too long is seen. */
const PATIENCE_MS = 60_000;

/** Resolves once all are safe; events are taken from the list when their turn comes. */
export async function sendUntilSafe(
  events: Iterable<SomeEvent>,
  { url, bearer, producers, onSafe, betweenMs = 0, againMs = AGAIN_MS }: ProducerOptions,
): Promise<readonly Sent[]> {
  const turns = events[Symbol.iterator]();
  const sent: Sent[] = [];
  const work = async (): Promise<void> => {
    for (let turn = turns.next(); turn.done !== true; turn = turns.next()) {
      const done = await sendOne(turn.value, { url, bearer, againMs });
      sent.push(done);
      onSafe?.(done);
      await pause(betweenMs);
    }
  };
  await Promise.all(Array.from({ length: producers }, work));
  return sent;
}

type Way = Required<Pick<ProducerOptions, "url" | "bearer" | "againMs">>;

async function sendOne(event: SomeEvent, way: Way): Promise<Sent> {
  const tries: Try[] = [];
  for (;;) {
    const one = await post(event, way);
    tries.push(one);
    if (one.status === 200 || one.status === 202) return { id: event.id, tries, safeAtMs: one.endedMs };
    await pause(way.againMs);
  }
}

async function post(event: SomeEvent, { url, bearer }: Way): Promise<Try> {
  const startedMs = Date.now();
  const headers = { authorization: bearer, "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify(event), signal: AbortSignal.timeout(PATIENCE_MS) };
  try {
    const answer = await fetch(`${url}/v1/events`, init);
    const { code = null, runId = null } = (await answer.json()) as { code?: string; runId?: string }; // ours: a problem or a receipt
    const seconds = answer.headers.get("retry-after");
    const retryAfter = seconds === null ? null : Number(seconds);
    return { status: answer.status, startedMs, endedMs: Date.now(), retryAfter, code, runId };
  } catch {
    return { status: 0, startedMs, endedMs: Date.now(), retryAfter: null, code: null, runId: null };
  }
}
