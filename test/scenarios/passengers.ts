/** The events that live through the kills: one line each says what it meets and what must be on record at the end. */
import type { RawEndpoint } from "../../src/config/raw-config.ts";
import type { ScriptedAnswer } from "../support/destination.ts";

/** How an event gets on board. */
export type Boarding =
  /** Before any worker is up. */
  | "before-the-worker"
  /** Before all others, so that its attempt outlives the first heartbeat of its task (8 s). */
  | "early"
  | "ordinary"
  /** By the client of the worker process: an eager start. */
  | "eager"
  /** By a bare Temporal client: the worker finds the routes. */
  | "plain"
  /** Right before the first kill, without looking. */
  | "last-moment";

export interface Passenger {
  /** Name of endpoint and event type. */
  readonly name: string;
  readonly boarding: Boarding;
  readonly endpoint: RawEndpoint;
  /** True = the event has a second delivery, so the way is `direct`. */
  readonly accompanied: boolean;
  readonly answers: readonly ScriptedAnswer[];
  /** True = the first kill finds it in its retry wait. */
  readonly inWait?: boolean;
  /** What reaches the run from outside while its first request hangs. */
  readonly disturbed?: "signal" | "cancel";
  /** What must stand in the state at the end, as `code/outcome/certainty/via`; null = left to chance. */
  readonly attempts: readonly string[] | null;
  /** `delivered`, or the reason why it waits for a person. */
  readonly end: string;
}

const HANG: ScriptedAnswer = { how: "hang" };
/** Long enough to hang through every kill; the lost attempt is what must be noticed, not a time-out. */
const PATIENT: RawEndpoint = { timeouts: { total: "120s" }, retry: { schedule: ["1s", "1s", "1s", "1s"], jitter: 0 } };
const ON_LANE: RawEndpoint = { ...PATIENT, limits: { concurrency: 50 } };
const FRAGILE = { idempotent: false } as const;
/** Asked at a path of its own, which answers 200. */
const FOUND = {
  reconcile: { url: "/books?key={idempotencyKey}", delivered: { status: 200 }, absent: { status: 404 } },
};
const ABSENT = { reconcile: { ...FOUND.reconcile, delivered: { status: 404 }, absent: { status: 200 } } };
/** Spans the first kill and the start of the next worker. */
const LONG_WAIT: RawEndpoint = { retry: { schedule: ["20s"], jitter: 0 } };
const ONE_RETRY: RawEndpoint = { ...PATIENT, retry: { schedule: ["1s"], jitter: 0 } };

type Way = "local" | "direct" | "lane";

const delivered = (via: Way): string => `http_200/delivered/answered/${via}`;
const lost = (via: Way): string => `worker_lost/uncertain/unknown/${via}`;
const busy = (via: Way): string => `http_503/retry/answered/${via}`;

const WAYS: readonly {
  readonly way: Way;
  readonly afterLoss: Way;
  readonly endpoint: RawEndpoint;
  readonly accompanied: boolean;
}[] = [
  { way: "local", afterLoss: "direct", endpoint: PATIENT, accompanied: false },
  { way: "direct", afterLoss: "direct", endpoint: PATIENT, accompanied: true },
  { way: "lane", afterLoss: "lane", endpoint: ON_LANE, accompanied: false },
];

const ON_EVERY_WAY = WAYS.flatMap(({ way, afterLoss, endpoint, accompanied }): readonly Passenger[] => {
  const base = { boarding: "ordinary", endpoint, accompanied, end: "delivered" } as const;
  const waiting = { ...endpoint, ...LONG_WAIT };
  return [
    { ...base, name: `before-${way}`, boarding: "before-the-worker", answers: [{}], attempts: [delivered(way)] },
    { ...base, name: `last-moment-${way}`, boarding: "last-moment", answers: [{}], attempts: null },
    { ...base, name: `once-${way}`, answers: [HANG, {}], attempts: [lost(way), delivered(afterLoss)] },
    {
      ...base,
      name: `twice-${way}`,
      answers: [HANG, HANG, {}],
      attempts: [lost(way), lost(afterLoss), delivered(afterLoss)],
    },
    {
      ...base,
      name: `waiting-${way}`,
      inWait: true,
      endpoint: waiting,
      answers: [{ status: 503 }, {}],
      attempts: [busy(way), delivered(way)],
    },
  ];
});

const SPECIAL: readonly Passenger[] = [
  local({ name: "heartbeaten", boarding: "early" }),
  { ...local({ name: "heartbeaten-signaled", boarding: "early" }), disturbed: "signal" },
  local({ name: "eager", boarding: "eager" }),
  local({ name: "plain", boarding: "plain" }),
  { ...local({ name: "signaled", boarding: "ordinary" }), disturbed: "signal" },
  {
    ...local({ name: "called-off", boarding: "ordinary" }),
    disturbed: "cancel",
    attempts: [lost("local")],
    end: "discarded",
  },
  {
    ...local({ name: "second-try", boarding: "ordinary" }),
    answers: [{ status: 503 }, HANG, {}],
    attempts: [busy("local"), lost("local"), delivered("direct")],
  },
  {
    ...local({ name: "used-up", boarding: "ordinary" }),
    endpoint: ONE_RETRY,
    answers: [HANG, HANG, {}],
    attempts: [lost("local"), lost("direct")],
    end: "attempts-exhausted",
  },
  {
    ...local({ name: "fragile-direct", boarding: "ordinary" }),
    endpoint: { ...PATIENT, ...FRAGILE },
    attempts: [lost("direct")],
    end: "outcome-uncertain",
  },
  {
    ...local({ name: "fragile-lane", boarding: "ordinary" }),
    endpoint: { ...ON_LANE, ...FRAGILE },
    attempts: [lost("lane")],
    end: "outcome-uncertain",
  },
  {
    ...local({ name: "looked-up-direct", boarding: "ordinary" }),
    endpoint: { ...PATIENT, ...FRAGILE, ...FOUND },
    attempts: [lost("direct")],
  },
  {
    ...local({ name: "looked-up-lane", boarding: "ordinary" }),
    endpoint: { ...ON_LANE, ...FRAGILE, ...FOUND },
    attempts: [lost("lane")],
  },
  {
    ...local({ name: "absent-direct", boarding: "ordinary" }),
    endpoint: { ...PATIENT, ...FRAGILE, ...ABSENT },
    attempts: [lost("direct"), delivered("direct")],
  },
];

export const PASSENGERS: readonly Passenger[] = [...ON_EVERY_WAY, ...SPECIAL];

/** A lone delivery whose first request never ends. */
function local({ name, boarding }: Pick<Passenger, "name" | "boarding">): Passenger {
  const attempts = [lost("local"), delivered("direct")];
  return { name, boarding, endpoint: PATIENT, accompanied: false, answers: [HANG, {}], attempts, end: "delivered" };
}

/** The number of the request that is the nth to hang; null = that many never hang. */
export function nthHang({ answers }: Passenger, nth: number): number | null {
  const numbers = answers.flatMap(({ how }, index) => (how === "hang" ? [index + 1] : []));
  return numbers[nth - 1] ?? null;
}
