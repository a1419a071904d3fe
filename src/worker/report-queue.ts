/**
 * The pace of reports: at most one per endpoint, kind and second. One that does not get
 * through is said again with the same ID, so that it counts once.
 */
import { SECOND_MS } from "../delivery/durations.ts";
import type { ReportKind, TroubleReport } from "../delivery/gates/control-facts.ts";
import type { ReportAnswer } from "../workflows/messages.ts";

export interface ReportAddress {
  readonly endpoint: string;
  readonly kind: ReportKind;
}

export interface ReportQueueParts {
  readonly worker: string;
  send(endpoint: string, report: TroubleReport, updateId: string): Promise<ReportAnswer>;
  answered(address: ReportAddress, answer: ReportAnswer): void;
  /** Given up after a minute; the error of the last try. */
  lost(address: ReportAddress, error: unknown): void;
}

export interface ReportQueue {
  /** `make` is asked when its time has come, and again until it has nothing more to say (null). */
  say(address: ReportAddress, make: () => TroubleReport | null): void;
  /** Says nothing new; resolves once what is under way is through, or after three seconds. */
  stop(): Promise<void>;
}

/** Attempts that end together make one report. */
const GATHER_MS = 50;
const PACE_MS = SECOND_MS;
const MAX_TRIES = 60;
const STOP_WITHIN_MS = 3 * SECOND_MS;

export function createReportQueue(parts: ReportQueueParts): ReportQueue {
  const busy = new Map<string, Promise<void>>();
  const lastSaidMs = new Map<string, number>();
  let stopping = false;
  let said = 0;
  const follow = async (address: ReportAddress, make: () => TroubleReport | null): Promise<void> => {
    const name = nameOf(address);
    for (;;) {
      const earliestMs = (lastSaidMs.get(name) ?? Number.NEGATIVE_INFINITY) + PACE_MS;
      await pause(Math.max(GATHER_MS, earliestMs - performance.now()));
      const report = make();
      // Before anything else runs: what is said next begins anew.
      if (report === null) return void busy.delete(name);
      lastSaidMs.set(name, performance.now());
      said += 1;
      // Counted, not timed: a clock that is set back would make it one of before, which counts no more.
      const updateId = `${parts.worker}:${name}:${said}`;
      await sendUntilThrough(parts, address, { report, updateId, isStopping: () => stopping });
    }
  };
  return {
    say(address, make) {
      const name = nameOf(address);
      if (stopping || busy.has(name)) return;
      busy.set(name, follow(address, make));
    },
    async stop() {
      stopping = true;
      await Promise.race([Promise.all(busy.values()), pause(STOP_WITHIN_MS)]);
    },
  };
}

function nameOf({ endpoint, kind }: ReportAddress): string {
  return `${endpoint}:${kind}`;
}

async function sendUntilThrough(
  { send, answered, lost }: ReportQueueParts,
  address: ReportAddress,
  {
    report,
    updateId,
    isStopping,
  }: { readonly report: TroubleReport; readonly updateId: string; isStopping(): boolean },
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      answered(address, await send(address.endpoint, report, updateId));
      return;
    } catch (error) {
      if (tries >= MAX_TRIES || isStopping()) {
        lost(address, error);
        return;
      }
      await pause(PACE_MS);
    }
  }
}

async function pause(forMs: number): Promise<void> {
  await new Promise<void>((resolve) => void setTimeout(resolve, forMs).unref());
}
