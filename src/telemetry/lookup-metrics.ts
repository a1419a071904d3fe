/** The lookups that workers of this process make after uncertain attempts. */
import { Counter, type Registry } from "prom-client";
import type { LookupFinding } from "../delivery/lookup.ts";
import { createLabelNames, wordOf } from "./label-names.ts";

export interface LookupMetrics {
  /** Shows the endpoints that have a lookup with 0; at most 200 are told apart. */
  expectLookups(endpoints: readonly string[]): void;
  /** Somebody was asked once. */
  lookedUp(lookup: { readonly endpoint: string; readonly found: string }): void;
}

const FINDINGS: Readonly<Record<LookupFinding, true>> = { delivered: true, absent: true, unclear: true };

export function createLookupMetrics(registry: Registry): LookupMetrics {
  const lookups = new Counter({
    name: "countersign_lookups_total",
    help: "How often a worker of this process asked what became of an uncertain attempt, by what it found",
    labelNames: ["endpoint", "found"],
    registers: [registry],
  });
  const endpointName = createLabelNames();
  return {
    expectLookups(endpoints) {
      for (const endpoint of endpoints.map(endpointName))
        for (const found of Object.keys(FINDINGS)) lookups.inc({ endpoint, found }, 0);
    },
    lookedUp: ({ endpoint, found }) =>
      lookups.inc({ endpoint: endpointName(endpoint), found: wordOf(FINDINGS, found) }),
  };
}
