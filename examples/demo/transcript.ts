/** The demo's own words around the timelines of `countersign show`. */
import picocolors from "picocolors";
import { timelineLines } from "../../src/cli/event-timeline.ts";
import { runPage } from "../../src/cli/temporal-ui.ts";
import type { FirstAnswer } from "./answers.ts";
import { CUT_PATH, MOODY_PATH, type SeenRequest } from "./destination.ts";
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
    `Two events are submitted. The endpoint of the first, crm, ${firstAnswerPhrase(answer)};`,
    "the endpoint of the second, ledger, does its work and then loses the connection before it can answer.",
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
export function transcript(
  { order, invoice, requests, effects }: DemoResult,
  temporalUi: string,
  colors: Colors,
): string {
  const both = [
    { event: order, path: MOODY_PATH },
    { event: invoice, path: CUT_PATH },
  ];
  const blocks = both.map(({ event, path }) => {
    const seen = requests.filter((request) => request.path === path);
    const view = { nowMs: Date.now(), colors, uiUrl: runPage(temporalUi, NAMESPACE, event.key) };
    return [...timelineLines(event, view), `The destination saw: ${destinationSaw(seen, effects)}`, ""].join("\n");
  });
  return blocks.join("\n");
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
