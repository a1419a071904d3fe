/** What a server test needs of its development server: its address, connections, names of its own. */
import { randomUUID } from "node:crypto";
import type { Client, Connection } from "@temporalio/client";
import { inject } from "vitest";
import { type Connected, connectClient } from "../../src/temporal/connect.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** `ip:port` of each of the run's development servers. */
    temporalAddresses: readonly string[];
  }
}

const TEST_NAMESPACE = "default";

/** Address of this file's development server; only in projects with the global setup `temporal-server.ts`. */
export function temporalAddress(): string {
  // Between 1 and the number of files that run at the same time.
  const address = inject("temporalAddresses")[Number(process.env["VITEST_POOL_ID"]) - 1];
  if (address === undefined) throw new Error("This project starts no Temporal server");
  return address;
}

/** Environment of a process under test that is to find the shared server, whatever TEMPORAL_* this shell has. */
export function temporalEnvironment(): Readonly<Record<string, string | undefined>> {
  const foreign = Object.keys(process.env).filter((name) => name.startsWith("TEMPORAL_"));
  const cleared = Object.fromEntries(foreign.map((name) => [name, undefined]));
  return { ...process.env, ...cleared, TEMPORAL_ADDRESS: temporalAddress() };
}

/** A plain client connection; close it in `afterAll`. */
export function connectTestClient(): Promise<Connected<Connection>> {
  return connectClient({
    temporal: { namespace: TEST_NAMESPACE, taskQueue: "unused" },
    environment: {},
    address: temporalAddress(),
  });
}

/** A name no other test has: for task queues, workflow IDs and event IDs. */
export function uniqueName(prefix: string): string {
  return `${prefix}-${randomUUID()}`;
}

/** State transitions and history events of a run, from the server's own counters. */
export async function readCost(
  client: Client,
  workflowId: string,
): Promise<{ readonly transitions: number; readonly events: number }> {
  const { raw, historyLength } = await client.workflow.getHandle(workflowId).describe();
  return { transitions: Number(raw.workflowExecutionInfo?.stateTransitionCount ?? 0), events: historyLength };
}
