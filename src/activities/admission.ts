/**
 * The bulkhead of a worker process: how many attempts outside the lanes one endpoint may
 * have in flight. Who is refused goes by the endpoint's own lane, where only it can wait.
 */
import type { Way } from "../delivery/attempt.ts";
import { SECOND_MS } from "../delivery/durations.ts";

export interface AdmissionLimits {
  /** Attempts outside lanes at once, over all endpoints. */
  readonly slots: number;
  /** Of those for one endpoint. */
  readonly perEndpoint: number;
  /** Of those for all slow endpoints together. */
  readonly slowTogether: number;
}

/** One endpoint at most 10 %, all slow ones together at most 50 %. */
export function limitsFor(slots: number): AdmissionLimits {
  return { slots, perEndpoint: Math.max(1, Math.floor(slots / 10)), slowTogether: Math.max(1, Math.floor(slots / 2)) };
}

export interface Admission {
  /** Null = refused. The caller must call `leave` at the attempt's end, once. */
  enter(endpoint: string, via: Exclude<Way, "lane">): { leave(): void } | null;
  /** Tells how long an attempt took that did not enter: one that came by the lane. */
  observe(endpoint: string, tookMs: number): void;
}

export interface AdmissionOptions {
  readonly limits: AdmissionLimits;
  now(): number;
  /** False = the endpoint's gate is not known to be open. */
  gateOpen(endpoint: string): boolean;
}

/** An attempt older than this makes its endpoint slow … */
const SLOW_AFTER_MS = 2 * SECOND_MS;
/** … until one of its attempts takes less than this. */
const QUICK_WITHIN_MS = SECOND_MS;

interface Traffic {
  readonly attempts: Set<{ readonly atMs: number }>;
  slow: boolean;
}

export function createAdmission(options: AdmissionOptions): Admission {
  const traffic = new Map<string, Traffic>();
  return {
    enter(endpoint, via) {
      const own = trafficOf(traffic, endpoint);
      const nowMs = options.now();
      if ([...own.attempts].some(({ atMs }) => nowMs - atMs > SLOW_AFTER_MS)) own.slow = true;
      if (!admits({ traffic, own, via }, options.limits) || !options.gateOpen(endpoint)) return null;
      const attempt = { atMs: nowMs };
      own.attempts.add(attempt);
      return {
        leave() {
          own.attempts.delete(attempt);
          learn(own, options.now() - attempt.atMs);
        },
      };
    },
    observe(endpoint, tookMs) {
      learn(trafficOf(traffic, endpoint), tookMs);
    },
  };
}

interface Candidate {
  readonly traffic: ReadonlyMap<string, Traffic>;
  readonly own: Traffic;
  readonly via: Exclude<Way, "lane">;
}

function admits({ traffic, own, via }: Candidate, limits: AdmissionLimits): boolean {
  if (own.slow && via === "local") return false;
  if (own.attempts.size >= limits.perEndpoint) return false;
  const all = [...traffic.values()];
  if (own.slow && inFlight(all.filter((one) => one.slow)) >= limits.slowTogether) return false;
  return inFlight(all) < limits.slots;
}

function learn(own: Traffic, tookMs: number): void {
  if (tookMs < QUICK_WITHIN_MS) own.slow = false;
  else if (tookMs > SLOW_AFTER_MS) own.slow = true;
}

function inFlight(traffic: readonly Traffic[]): number {
  return traffic.reduce((sum, { attempts }) => sum + attempts.size, 0);
}

function trafficOf(traffic: Map<string, Traffic>, endpoint: string): Traffic {
  const known = traffic.get(endpoint) ?? { attempts: new Set<{ readonly atMs: number }>(), slow: false };
  traffic.set(endpoint, known);
  return known;
}
