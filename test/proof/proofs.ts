/** What can be proved by name, and at which count: the tests play the same scenarios at the smallest one. */
import { approvals } from "../scenarios/approvals.ts";
import { bulkReplay } from "../scenarios/bulk-replay.ts";
import { concurrentSubmits } from "../scenarios/concurrent-submits.ts";
import { endpointOutage } from "../scenarios/endpoint-outage.ts";
import type { Scenario } from "../scenarios/finding.ts";
import { interruptions } from "../scenarios/interruptions.ts";
import { isolation } from "../scenarios/isolation.ts";
import { kills } from "../scenarios/kills.ts";
import { manyEndpoints } from "../scenarios/many-endpoints.ts";
import { pausedEndpoint } from "../scenarios/paused-endpoint.ts";
import { replacement } from "../scenarios/replacement.ts";
import { serverKills } from "../scenarios/server-kills.ts";
import { sharedRetryAfter } from "../scenarios/shared-retry-after.ts";
import { shutdown } from "../scenarios/shutdown.ts";
import { standingGates } from "../scenarios/standing-gates.ts";
import { takeover } from "../scenarios/takeover.ts";
import { temporalOutage } from "../scenarios/temporal-outage.ts";
import { waiting } from "../scenarios/waiting.ts";

export interface ProofPart {
  readonly title: string;
  readonly scenario: Scenario;
  readonly count: number;
}

export const PROOF_NAMES = [
  "approvals",
  "bulk-replay",
  "concurrent-submits",
  "endpoint-outage",
  "front-door",
  "isolation",
  "kills",
  "many-endpoints",
  "paused-endpoint",
  "shared-retry-after",
  "standing-gates",
  "waiting",
] as const;
export type ProofName = (typeof PROOF_NAMES)[number];

export const PROOFS: Readonly<Record<ProofName, readonly ProofPart[]>> = {
  approvals: [{ title: "Decisions while workers are killed", scenario: approvals, count: 200 }],
  "bulk-replay": [{ title: "A mass replay through two kills", scenario: bulkReplay, count: 5000 }],
  "concurrent-submits": [{ title: "Two producers at once", scenario: concurrentSubmits, count: 50 }],
  "endpoint-outage": [
    {
      title: "An endpoint down for five minutes, in seconds",
      scenario: endpointOutage({ perSecond: 20, share: 0.02, openS: 30 }),
      count: 300,
    },
  ],
  "front-door": [
    { title: "The HTTP server killed under load", scenario: serverKills, count: 1000 },
    { title: "Temporal away for a minute, in seconds", scenario: temporalOutage, count: 60 },
  ],
  isolation: [{ title: "A hanging endpoint beside a quick one", scenario: isolation, count: 10 }],
  kills: [
    { title: "Workers killed in the middle of everything", scenario: kills, count: 3 },
    { title: "A lane after its process was killed", scenario: takeover, count: 10 },
    { title: "Messages in the middle of a local attempt", scenario: interruptions, count: 20 },
    { title: "SIGTERM to a worker with requests in flight", scenario: shutdown, count: 10 },
    { title: "A deploy that replaces every worker", scenario: replacement, count: 5 },
  ],
  "many-endpoints": [
    { title: "Thirty of two thousand endpoints in trouble, one process", scenario: manyEndpoints, count: 2000 },
  ],
  "paused-endpoint": [{ title: "An endpoint paused while events come in", scenario: pausedEndpoint, count: 5000 }],
  "shared-retry-after": [
    { title: "A Retry-After of half a minute before two workers", scenario: sharedRetryAfter, count: 30 },
  ],
  "standing-gates": [{ title: "Held endpoints while everything dies", scenario: standingGates, count: 200 }],
  waiting: [{ title: "Many proposals that wait", scenario: waiting, count: 1000 }],
};

export function isProofName(name: string): name is ProofName {
  return PROOF_NAMES.some((known) => known === name);
}
