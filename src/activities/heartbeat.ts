/** A heartbeat while a regular attempt is in flight: how the server notices that its worker is gone. */
import { heartbeat } from "@temporalio/activity";

/** Well under the 10 s heartbeat time-out; the SDK sends only what is needed. */
const BEAT_EVERY_MS = 2000;

export async function whileBeating<Result>(work: Promise<Result>): Promise<Result> {
  const ticker = setInterval(() => heartbeat(), BEAT_EVERY_MS);
  try {
    return await work;
  } finally {
    clearInterval(ticker);
  }
}
