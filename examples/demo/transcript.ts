/** The demo's own words around the timelines of `countersign show`. */
import picocolors from "picocolors";
import type { EventReport } from "../../src/client/get-event.ts";
import { timelineLines } from "../../src/cli/event-timeline.ts";
import { runPage } from "../../src/cli/temporal-ui.ts";
import type { FirstAnswer } from "./answers.ts";
import { CUT_PATH, MOODY_PATH, REFUND_PATH, type SeenRequest } from "./destination.ts";
import { APPROVER } from "./people.ts";
import type { DemoResult, Promised } from "./promises.ts";

export const NAMESPACE = "default";

/** Colors only on a terminal, and not against https://no-color.org. */
export type Colors = ReturnType<typeof picocolors.createColors>;

export function colorsFor(stream: { readonly isTTY?: boolean }, noColor: string | undefined): Colors {
  return picocolors.createColors(stream.isTTY === true && (noColor ?? "") === "");
}

export function opening(answer: FirstAnswer): string {
  return [
    "",
    `Three events are submitted. The endpoint of the first, crm, ${firstAnswerPhrase(answer)};`,
    "the endpoint of the second, ledger, does its work and then loses the connection before it can answer;",
    "the third is a refund of 900, and its endpoint, payments, is called only with a person's yes.",
    "",
  ].join("\n");
}

function firstAnswerPhrase(answer: FirstAnswer): string {
  switch (answer) {
    case "503":
    case "429":
      return `answers ${answer} and asks to come back after 2 s`;
    case "400":
      return "answers 400: it does not want this event";
    case "timeout":
      return "does not answer its first request at all";
  }
}

/** The timeline of each event, what its destination saw, and where the run is in the Temporal UI. */
export function transcript(result: DemoResult, temporalUi: string, colors: Colors): string {
  const { order, invoice, proposed, refund, requests, effects } = result;
  const nowMs = Date.now();
  const page = (event: EventReport) => ({ nowMs, colors, uiUrl: runPage(temporalUi, NAMESPACE, event.key) });
  const block = (event: EventReport, path: string): string => {
    const seen = requests.filter((request) => request.path === path);
    return [...timelineLines(event, page(event)), `The destination saw: ${destinationSaw(seen, effects)}`, ""].join(
      "\n",
    );
  };
  const digest = proposed.deliveries[0]?.proposal?.digest ?? "";
  return [
    block(order, MOODY_PATH),
    block(invoice, CUT_PATH),
    colors.bold("The refund, as it waited:"),
    ...timelineLines(proposed, { nowMs, colors, uiUrl: null }),
    "",
    colors.bold("Then somebody sent a plain Temporal signal, as the Temporal UI and its command line do:"),
    `  temporal workflow signal --workflow-id ${refund.key} --name approve \\`,
    `    --input '${JSON.stringify({ actor: APPROVER, digest, note: "Letter checked" })}'`,
    "",
    block(refund, REFUND_PATH),
  ].join("\n");
}

function destinationSaw(seen: readonly SeenRequest[], effects: Readonly<Record<string, number>>): string {
  const keys = [...new Set(seen.map(({ idempotencyKey }) => idempotencyKey))];
  const done = keys.reduce((sum, key) => sum + (effects[key] ?? 0), 0);
  const answers = seen.map(({ answer }) => answer).join(", then ");
  return `${answers}; ${counted(seen.length, "request")}, ${counted(keys.length, "key")}, ${counted(done, "effect")}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

export function closing(promises: readonly Promised[], colors: Colors): string {
  return promises.map(({ claim, kept }) => `${kept ? colors.green("✓") : colors.red("✗")} ${claim}`).join("\n");
}
