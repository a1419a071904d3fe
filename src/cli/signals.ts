/** Ctrl-C and SIGTERM for commands that run until they are told to stop. */

/** What is needed of `process`. */
export interface SignalSource {
  on(event: "SIGINT" | "SIGTERM", listener: () => void): unknown;
  off(event: "SIGINT" | "SIGTERM", listener: () => void): unknown;
  exit(code: number): void;
}

/** Aborted by the first signal. `release` gives the signals back. */
export interface StopRequest {
  readonly signal: AbortSignal;
  release(): void;
}

/** 128 and the number of the signal, as shells report it. */
const FORCED_EXIT = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * The first signal asks to stop in good order, the second one leaves at once.
 *
 * Until this is called, signals end the process as they always do: short commands need no more.
 */
export function takeSignals(source: SignalSource): StopRequest {
  const controller = new AbortController();
  const listenerFor = (name: keyof typeof FORCED_EXIT) => (): void => {
    if (controller.signal.aborted) source.exit(FORCED_EXIT[name]);
    controller.abort();
  };
  const onInterrupt = listenerFor("SIGINT");
  const onTerminate = listenerFor("SIGTERM");
  source.on("SIGINT", onInterrupt);
  source.on("SIGTERM", onTerminate);
  const release = (): void => {
    source.off("SIGINT", onInterrupt);
    source.off("SIGTERM", onTerminate);
  };
  return { signal: controller.signal, release };
}

/** Resolves when it is aborted. */
export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
