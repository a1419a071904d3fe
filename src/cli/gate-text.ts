/** What holds an endpoint, in a word and in a sentence. */
import type { EndpointDetail } from "../client/endpoint-detail.ts";
import type { GateStatus } from "../client/endpoint-overview.ts";
import { safeText } from "./safe-text.ts";
import type { Colors } from "./terminal.ts";
import { momentText, untilText } from "./time-text.ts";

/** `open`, `paused until 2026-11-29 12:00:00 UTC`: a cell of a table. */
export function gateText({ state, until, probing, ramping }: GateStatus): string {
  if (probing) return "probing";
  if (ramping) return "open, draining";
  return until === null ? state : `${state} until ${momentText(until)}`;
}

/** `text` in the color of what it says. */
export function colorGate(text: string, { state, probing, ramping }: GateStatus, colors: Colors): string {
  if (probing || ramping) return colors.cyan(text);
  if (state === "open") return colors.green(text);
  return state === "tripped" ? colors.red(text) : colors.yellow(text);
}

/** One sentence: since when, by whom, why, and until when. */
export function gateSentence({ name, gate }: Pick<EndpointDetail, "name" | "gate">, nowMs: number): string {
  const { state, who, why, since, until, probing, ramping } = gate;
  if (ramping) return "open; what waits drains at a rising rate";
  if (state === "open") return "open";
  const head = probing ? "a few attempts try it" : state;
  const from = since === null ? "" : ` since ${momentText(since)}`;
  const by = who === null ? "" : ` by ${safeText(who)}`;
  const because = why === null ? "" : `: ${safeText(why)}`;
  return `${head}${from}${by}${because}${probing ? "" : `; ${endText(name, { state, until }, nowMs)}`}`;
}

function endText(name: string, { state, until }: Pick<GateStatus, "state" | "until">, nowMs: number): string {
  if (until !== null) {
    const then = state === "throttled" ? "" : ", then a few attempts try it";
    return `until ${momentText(until)} (${untilText(until, nowMs)})${then}`;
  }
  return `until somebody says \`countersign resume ${name}\`${state === "tripped" ? " or its configuration changes" : ""}`;
}
