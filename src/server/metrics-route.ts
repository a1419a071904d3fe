/** `/metrics`: what this process counted, and what waits for a person. */
import { MINUTE_MS, SECOND_MS } from "../delivery/durations.ts";
import { NO_STORE } from "./receipt-response.ts";
import type { Answer, ServerContext } from "./server-context.ts";
import { shareLook } from "./shared-look.ts";
import { readWaiting, waitingAt, type WaitingReading } from "./waiting-reading.ts";

/** Lists are read at most so often, however many scrape. */
const LOOK_AGAIN_MS = 15 * SECOND_MS;
/** Well below the ten seconds a scraper waits: a slow server must not cost the counters of this process too. */
const WAIT_MS = 3 * SECOND_MS;
/** What was read longer ago is not shown: a gap makes people look, an old number calms them. */
const TRUSTED_FOR_MS = 2 * MINUTE_MS;

export function createMetricsRoute(server: ServerContext, waitMs: number = WAIT_MS): Answer {
  const { config, schemes, metrics, now } = server;
  metrics.expectAtDoor({
    sources: Object.keys(config.sources),
    schemes: [...new Set([...schemes.values()].map(({ scheme }) => scheme))],
  });
  const follow = followWaiting(server, waitMs);
  return async () => {
    const reading = await follow();
    const isKnown = reading !== null && now() - reading.atMs <= TRUSTED_FOR_MS;
    metrics.waiting(isKnown ? waitingAt(reading, now()) : null);
    return new Response(await metrics.text(), { headers: { ...NO_STORE, "content-type": metrics.contentType } });
  };
}

/** The last reading that succeeded; null = none has yet. */
function followWaiting(
  server: Pick<ServerContext, "countersign" | "now" | "pause" | "log">,
  waitMs: number,
): () => Promise<WaitingReading | null> {
  let reading: WaitingReading | null = null;
  let isFailing = false;
  const read = async (): Promise<void> => {
    try {
      reading = await readWaiting(server);
      isFailing = false;
    } catch (error) {
      // Once per change, not per scrape.
      if (!isFailing) server.log.warn({ err: error }, "metrics.stale");
      isFailing = true;
    }
  };
  const look = shareLook({ look: read, now: server.now, everyMs: LOOK_AGAIN_MS, waitMs });
  return async () => {
    await look();
    return reading;
  };
}
