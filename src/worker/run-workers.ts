/** The life of a worker process from polling to a clean end. */
import type { Worker } from "@temporalio/worker";
import type { Countersign } from "../client/countersign.ts";
import type { RunningWorker } from "./start-worker.ts";

export interface RunParts {
  /** Null with `only`: lanes alone. */
  readonly main: Worker | null;
  readonly client: Countersign;
  readonly signal: AbortSignal | undefined;
  onError(error: unknown): void;
  /** Stops taking work from the lanes; resolves when their attempts have ended. */
  stopLanes(): Promise<void>;
  /** Closes connections, after everything has ended. */
  release(): Promise<void>;
  /** Requests still in flight after the grace time are cut off and say so. */
  readonly cutAfter: { readonly graceMs: number; cut(): void };
}

export function runWorkers(parts: RunParts): RunningWorker {
  const { main, signal, cutAfter } = parts;
  const ended = main === null ? untilStopped() : { promise: main.run(), stop: () => shutdown(main) };
  let stopped: Promise<void> | null = null;
  const stop = (): Promise<void> => (stopped ??= leave());
  const leave = async (): Promise<void> => {
    const timer = setTimeout(cutAfter.cut, cutAfter.graceMs);
    try {
      // Both stop taking work at once; a lane must not go on while the main worker drains.
      ended.stop();
      await Promise.all([ended.promise.catch(() => undefined), parts.stopLanes()]);
      await parts.release();
    } finally {
      clearTimeout(timer);
    }
  };
  ended.promise.catch((error: unknown) => {
    parts.onError(error);
    void stop();
  });
  if (signal?.aborted === true) void stop();
  else signal?.addEventListener("abort", () => void stop(), { once: true });
  return { client: parts.client, ready: Promise.resolve(), stop };
}

function shutdown(worker: Worker): void {
  if (worker.getState() === "RUNNING") worker.shutdown();
}

function untilStopped(): { readonly promise: Promise<void>; stop(): void } {
  let stop = (): void => undefined;
  const promise = new Promise<void>((resolve) => {
    stop = resolve;
  });
  return { promise, stop: () => stop() };
}
