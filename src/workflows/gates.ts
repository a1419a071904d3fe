/**
 * Workflow type `gates`, ID `countersign:gates`: the registry of endpoints that are not
 * plain open or whose lane is in use. Its memo is the answer; every process reads it with
 * one `describe`, which needs no worker.
 */
import {
  allHandlersFinished,
  condition,
  continueAsNew,
  setHandler,
  upsertMemo,
  workflowInfo,
} from "@temporalio/workflow";
import { isName } from "../delivery/names.ts";
import { type GateEntry, GATES_MEMO, laneIdleSignal, laneInUseSignal } from "./messages.ts";

export type GateMap = Readonly<Record<string, GateEntry>>;

/** Messages of one run before it continues as new, well under the server's limits. */
const MAX_MESSAGES = 1000;

export async function gates(start: GateMap = {}): Promise<never> {
  let entries: GateMap = start;
  let messages = 0;
  const put = (next: GateMap): void => {
    messages += 1;
    if (next === entries) return;
    entries = next;
    upsertMemo({ [GATES_MEMO]: entries });
  };
  // Anybody may signal: what does not name an endpoint changes nothing.
  setHandler(laneInUseSignal, (lane) => {
    if (namesEndpoint(lane)) put(withLane(entries, lane.endpoint));
  });
  setHandler(laneIdleSignal, (lane) => {
    if (namesEndpoint(lane)) put(withoutLane(entries, lane.endpoint, lane.version));
  });
  if (Object.keys(start).length > 0) upsertMemo({ [GATES_MEMO]: entries });
  await condition(() => messages >= MAX_MESSAGES || workflowInfo().continueAsNewSuggested);
  await condition(allHandlersFinished);
  return await continueAsNew<typeof gates>(entries);
}

function namesEndpoint(lane: unknown): lane is { readonly endpoint: string } {
  return (
    typeof lane === "object" &&
    lane !== null &&
    "endpoint" in lane &&
    typeof lane.endpoint === "string" &&
    isName(lane.endpoint)
  );
}

function withLane(entries: GateMap, endpoint: string): GateMap {
  const entry = entries[endpoint];
  if (entry?.laneInUse === true) return entries;
  const opened = { state: "open", until: null, ...entry, laneInUse: true, version: (entry?.version ?? 0) + 1 } as const;
  return { ...entries, [endpoint]: opened };
}

/** A lane goes only if nobody asked for it since the version that was seen idle. */
function withoutLane(entries: GateMap, endpoint: string, version: number): GateMap {
  const entry = entries[endpoint];
  if (entry === undefined || entry.version !== version) return entries;
  const { [endpoint]: _gone, ...rest } = entries;
  return entry.state === "open" ? rest : { ...entries, [endpoint]: { ...entry, laneInUse: false } };
}
