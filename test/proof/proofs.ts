/** What can be proved by name, and at which count: the tests play the same scenarios at the smallest one. */
import { approvals } from "../scenarios/approvals.ts";
import { concurrentSubmits } from "../scenarios/concurrent-submits.ts";
import type { Scenario } from "../scenarios/finding.ts";
import { interruptions } from "../scenarios/interruptions.ts";
import { isolation } from "../scenarios/isolation.ts";
import { kills } from "../scenarios/kills.ts";
import { replacement } from "../scenarios/replacement.ts";
import { serverKills } from "../scenarios/server-kills.ts";
import { shutdown } from "../scenarios/shutdown.ts";
import { takeover } from "../scenarios/takeover.ts";
import { temporalOutage } from "../scenarios/temporal-outage.ts";
import { waiting } from "../scenarios/waiting.ts";

export interface ProofPart {
  readonly title: string;
  readonly scenario: Scenario;
  readonly count: number;
}

export const PROOF_NAMES = ["approvals", "concurrent-submits", "front-door", "isolation", "kills", "waiting"] as const;
export type ProofName = (typeof PROOF_NAMES)[number];

export const PROOFS: Readonly<Record<ProofName, readonly ProofPart[]>> = {
  approvals: [{ title: "Decisions while workers are killed", scenario: approvals, count: 200 }],
  "concurrent-submits": [{ title: "Two producers at once", scenario: concurrentSubmits, count: 50 }],
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
  waiting: [{ title: "Many proposals that wait", scenario: waiting, count: 1000 }],
};

export function isProofName(name: string): name is ProofName {
  return PROOF_NAMES.some((known) => known === name);
}
