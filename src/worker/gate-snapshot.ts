/** This process's copy of the registry: which endpoints are not plain open, which lanes are in use. */
import { WorkflowNotFoundError } from "@temporalio/client";
import { type Session, withDeadline } from "../client/session.ts";
import { SECOND_MS } from "../delivery/durations.ts";
import { GATES_WORKFLOW_ID } from "../delivery/names.ts";
import { type GateEntry, GATES_MEMO } from "../workflows/messages.ts";

export type GateMap = Readonly<Record<string, GateEntry>>;

/** Read this often, and trusted only while younger than three of these. */
const READ_EVERY_MS = SECOND_MS;
const TRUSTED_FOR_MS = 3 * SECOND_MS;

export interface GateSnapshot {
  /** False also when the copy is too old to be trusted: then the lane, which the server itself holds, is the way. */
  isOpen(endpoint: string): boolean;
  entry(endpoint: string): GateEntry | null;
  /** Reads once now; throws when the server cannot be asked. */
  refresh(): Promise<void>;
  stop(): void;
}

/** Starts following the registry; `onChange` hears of every copy that was read. */
export function followGates(session: Session, onRead: (gates: GateMap) => void): GateSnapshot {
  let gates: GateMap = {};
  let readAtMs = Number.NEGATIVE_INFINITY;
  const refresh = async (): Promise<void> => {
    const startedMs = Date.now();
    gates = await readGates(session);
    readAtMs = startedMs;
    onRead(gates);
  };
  let busy = false;
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    // A server that cannot be asked shows as an old copy, which nobody trusts.
    void refresh().then(
      () => (busy = false),
      () => (busy = false),
    );
  }, READ_EVERY_MS);
  return {
    isOpen: (endpoint) => Date.now() - readAtMs < TRUSTED_FOR_MS && (gates[endpoint]?.state ?? "open") === "open",
    entry: (endpoint) => gates[endpoint] ?? null,
    refresh,
    stop: () => clearInterval(timer),
  };
}

async function readGates(session: Session): Promise<GateMap> {
  try {
    const { memo, status } = await withDeadline(
      session,
      () => session.client.workflow.getHandle(GATES_WORKFLOW_ID).describe(),
      TRUSTED_FOR_MS,
    );
    // Somebody ended it from outside: what it knew is nobody's any more, and the next lane starts it anew.
    if (status.name !== "RUNNING") return {};
    return (memo?.[GATES_MEMO] ?? {}) as GateMap; // written by the registry workflow alone
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return {};
    throw error;
  }
}
