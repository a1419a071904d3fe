/** What became of a resume, in words. */
import type { ResumeReport } from "../client/endpoint-control.ts";
import type { ResumeOrder } from "../client/endpoint-words.ts";
import type { Colors } from "./terminal.ts";

export function resumeLines(
  { endpoint, counted }: ResumeReport,
  { probe = false, ramp }: Pick<ResumeOrder, "probe" | "ramp">,
  { bold, dim }: Colors,
): readonly string[] {
  const opening = ramp === undefined ? "it opens at once" : `what waits drains faster and faster over ${ramp}`;
  const failing = probe ? "it is paused again as before" : "its circuit holds it again";
  const how = `a few attempts try it first; where they succeed, ${opening}, where one fails, ${failing}.`;
  return [
    counted === null
      ? `No worker has answered. The resume of ${bold(endpoint)} is kept on the Temporal server and takes effect as soon as one runs: ${how}`
      : `${bold(endpoint)} goes on: ${how}`,
    dim(`See how it goes: countersign endpoints ${endpoint}`),
  ];
}

const REFUSED: Readonly<Record<NonNullable<ResumeReport["refusedBecause"]>, string>> = {
  "not-held": "nothing holds it, as far as its record knows",
  throttled: "only its own Retry-After holds it, which is never cut short",
  "already-resuming": "it is being tried already",
  malformed: "it must be known who says it",
};

/** A full sentence. */
export function refusedResume({ endpoint, refusedBecause }: ResumeReport): string {
  const why = refusedBecause === null ? "no reason given" : REFUSED[refusedBecause];
  return `The resume of ${endpoint} did not count (${refusedBecause ?? "no reason given"}): ${why}. See \`countersign endpoints ${endpoint}\`.`;
}
