/** What the scenario of very many endpoints judges by figures alone. */
import type { Finding } from "./finding.ts";

export const NONE = "while all is well no lane is open, however many endpoints there are";
export const MEMORY = "memory grows by the lanes that are open, and not with every round of trouble";

/** Bounds of live memory, several times what was measured, see docs/endpoints.md. */
const LANE_MIB = 1;
const SLACK_MIB = 24;
/** Of all endpoints. A busy machine excuses a few: were there no bound, all could go by their lanes and every claim held. */
const MOST_STRAYS = 0.1;

export interface Memory {
  readonly liveMib: number;
  readonly residentMib: number;
}

export function figureOf({ liveMib, residentMib }: Memory): string {
  return `${liveMib.toFixed(0)} MiB live, ${residentMib.toFixed(0)} MiB resident`;
}

export function judgeMemory(
  { subject, lanes }: { readonly subject: string; readonly lanes: number },
  memory: Memory,
  atRest: Memory,
): Finding {
  const grownMib = memory.liveMib - atRest.liveMib;
  const seen = `${subject}: ${figureOf(memory)}, at rest before ${figureOf(atRest)}`;
  return { claim: MEMORY, subject, holds: grownMib <= SLACK_MIB + lanes * LANE_MIB, seen, figure: seen };
}

export function judgeStrays(strays: number, count: number): Finding {
  const seen = `${strays} of ${count} endpoints went by their lane although nothing held them`;
  return {
    claim: NONE,
    subject: "endpoints without trouble",
    holds: strays <= count * MOST_STRAYS,
    seen,
    figure: seen,
  };
}
