/** One endpoint in detail, for people: what holds it, what waits for it, and its last changes. */
import type { EndpointDetail } from "../client/endpoint-detail.ts";
import type { EndpointOverview } from "../client/endpoint-overview.ts";
import { counted } from "../delivery/counted.ts";
import { colorGate, gateSentence } from "./gate-text.ts";
import { ledgerLines } from "./ledger-lines.ts";
import type { Colors } from "./terminal.ts";
import { longText } from "./time-text.ts";

export function endpointDetailLines(detail: EndpointDetail, nowMs: number, colors: Colors): readonly string[] {
  const { name, gate, ledger } = detail;
  const { bold, dim } = colors;
  const rows = [
    ["gate", colorGate(gateSentence(detail, nowMs), gate, colors)],
    ["lane", laneText(detail)],
    ["in flight", inFlightText(detail)],
    ["workers", workersText(detail)],
    ["events", eventsText(detail)],
  ] as const;
  return [
    `${bold(name)}  ${destinationText(detail)}`,
    ...rows.map(([head, text]) => `${dim(head.padEnd(HEAD_WIDTH))}  ${text}`),
    ...(ledger.length === 0
      ? []
      : ["", ...ledgerLines(ledger, colors), dim(`All that is known: countersign audit endpoint ${name}`)]),
  ];
}

const HEAD_WIDTH = "in flight".length;

/** Where events go, and what is special about it. */
export function destinationText({ destination, isolated, idempotent }: EndpointOverview): string {
  return [destination, ...(isolated ? ["(isolated)"] : []), ...(idempotent ? [] : ["(not idempotent)"])].join("  ");
}

function laneText({ lane: { held, oldestAgeMs, ratePerSecond } }: EndpointDetail): string {
  const age = oldestAgeMs === null ? "" : `, the oldest for ${longText(oldestAgeMs)}`;
  const depth = held === null ? "the server does not say what waits" : `${counted(held, "attempt")} waiting${age}`;
  return `${depth} (approximate, up to 5 s old); ${rateText(ratePerSecond)}`;
}

function rateText(ratePerSecond: number | null): string {
  if (ratePerSecond === null) return "no limit on the server";
  return ratePerSecond === 0 ? "held on the server" : `at most ${ratePerSecond} a second on the server`;
}

/** Counted from the moment the gate closed: while it is open nobody tells. */
function inFlightText({ gate, inFlight }: EndpointDetail): string {
  if (gate.state === "open") return "not counted while it is open";
  return `${counted(inFlight, "attempt")} that had begun before, as workers told (approximate)`;
}

function workersText({ workers, lane: { pollers }, isolated }: EndpointDetail): string {
  const main = workers === 0 ? "none runs event workflows" : `${workers} run event workflows`;
  const lane = pollers === 0 ? "none polls the lane" : `${pollers} poll the lane`;
  const advice = isolated && pollers === 0 ? "; it is isolated: only `countersign worker --only` delivers to it" : "";
  return `${main}, ${lane} (seen within 75 s)${advice}`;
}

function eventsText({ inProgress, awaitingApproval, needsAttention, delivered }: EndpointOverview): string {
  const counts = [
    `${inProgress} in progress`,
    `${awaitingApproval} awaiting approval`,
    `${needsAttention} needing attention`,
    `${delivered} delivered`,
  ];
  return `${counts.join(", ")} (eventually consistent)`;
}
