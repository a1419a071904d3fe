/** A worker in this process, and the end of it: by a signal, or by a failure that nobody asked for. */
import { CountersignError } from "../errors.ts";
import { type RunningWorker, startWorker, type WorkerSettings } from "../worker/start-worker.ts";
import { untilAborted } from "./signals.ts";

export interface WatchedWorker {
  readonly worker: RunningWorker;
  /** Rejects with `server_unavailable` when the worker fails; never resolves. */
  readonly failed: Promise<never>;
}

/** Throws what `startWorker` throws. */
export async function startWatchedWorker(settings: WorkerSettings): Promise<WatchedWorker> {
  let fail = (_error: unknown): void => undefined;
  const failed = new Promise<never>((_resolve, reject) => {
    fail = (error) => {
      const message = error instanceof Error ? error.message : String(error);
      reject(new CountersignError("server_unavailable", `The worker has failed: ${message}`, { cause: error }));
    };
  });
  // Whoever races it hears of it; nobody racing is no reason to end the process.
  failed.catch(() => undefined);
  const worker = await startWorker({ ...settings, onError: fail });
  return { worker, failed };
}

/** Waits for the signal; throws as soon as one of `ends` rejects. */
export async function untilStoppedOr(signal: AbortSignal, ends: readonly Promise<never>[]): Promise<void> {
  await Promise.race([untilAborted(signal), ...ends]);
}
