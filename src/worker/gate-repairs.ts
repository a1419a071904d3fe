/** The comparing of gates on a real server: where each side is read, and how it is put right. */
import { readEndpointRun, signalEndpoint } from "../client/endpoint-run.ts";
import { putGate } from "../client/gate-registry.ts";
import { readLane, setLaneRate } from "../client/lane-queue.ts";
import { type Session, withDeadline } from "../client/session.ts";
import type { Repair } from "../delivery/gates/compare-gates.ts";
import { OPEN_GATE } from "../delivery/gates/gate-entry.ts";
import { endpointOfWorkflow, endpointWorkflowId } from "../delivery/names.ts";
import type { Logger } from "../telemetry/logger.ts";
import { applySignal, configuredSignal, pauseSignal } from "../workflows/messages.ts";
import type { EndpointControl } from "./endpoint-control.ts";
import { type GateWatch, watchGates } from "./gate-watch.ts";

export interface GateRepairParts {
  readonly session: Session;
  readonly control: EndpointControl;
  readonly known: readonly string[];
  openLanes(): readonly string[];
  readonly log: Logger;
}

/** Bound on what one look lists: more endpoints in trouble than that are looked at by way of the registry. */
const MAX_LISTED = 500;
const FINDER = "countersign";

export function watchGatesOn({ session, control, known, openLanes, log }: GateRepairParts): GateWatch {
  return watchGates({
    // With a deadline: no other look begins while one hangs.
    running: async () => await withDeadline(session, async () => await runningEndpoints(session)),
    registry: () => control.snapshot.registry(),
    openLanes,
    known,
    control: async (endpoint) => await readEndpointRun(session, endpoint),
    lane: async (endpoint) => await readLane(session, endpoint),
    limitOf: control.limitOf,
    versionOf: control.versionOf,
    repair: async (endpoint, repair) => await putRight(session, { endpoint, repair, limit: control.limitOf(endpoint) }),
    async configured(endpoint, configVersion) {
      const handle = session.client.workflow.getHandle(endpointWorkflowId(endpoint));
      await withDeadline(session, () => handle.signal(configuredSignal, { configVersion }));
    },
    log,
  });
}

async function runningEndpoints(session: Session): Promise<readonly string[]> {
  const names: string[] = [];
  const query = "WorkflowType = 'endpoint' AND ExecutionStatus = 'Running'";
  for await (const { workflowId } of session.client.workflow.list({ query })) {
    const name = endpointOfWorkflow(workflowId);
    if (name !== null) names.push(name);
    if (names.length >= MAX_LISTED) break;
  }
  return names;
}

interface Finding {
  readonly endpoint: string;
  readonly repair: Exclude<Repair, { readonly do: "nothing" }>;
  readonly limit: number | null;
}

async function putRight(session: Session, { endpoint, repair, limit }: Finding): Promise<void> {
  const reason = "countersign found nobody who holds it";
  switch (repair.do) {
    case "apply": {
      const handle = session.client.workflow.getHandle(endpointWorkflowId(endpoint));
      await withDeadline(session, () => handle.signal(applySignal));
      return;
    }
    case "adopt":
      await signalEndpoint(session, endpoint, {
        signal: pauseSignal,
        word: { actor: FINDER, reason: repair.reason },
      });
      return;
    case "open":
      await setLaneRate(session, endpoint, { ratePerSecond: limit, reason });
      await putGate(session, endpoint, OPEN_GATE);
      return;
    case "set-rate":
      await setLaneRate(session, endpoint, {
        ratePerSecond: repair.ratePerSecond,
        reason: "limits.rate of the endpoint",
      });
  }
}
