/** What a provider is told: 2xx only when each of its events is safe, or is none of ours to keep. */
import type { Receipt } from "../client/submit.ts";
import type { Acknowledgement } from "../signing/verify/scheme.ts";
import { schemeOf } from "../signing/verify/schemes.ts";
import type { VerifyScheme } from "../signing/verify/settings.ts";
import type { Acceptance } from "./accept-event.ts";
import { type Problem, problemResponse } from "./problem.ts";
import { NO_STORE } from "./receipt-response.ts";

export type Fate =
  | { readonly fate: "safe"; readonly receipt: Receipt }
  /** Other content under a used id: on record. A 4xx would only make the provider send it for days. */
  | { readonly fate: "conflict"; readonly key: string }
  /** No route wants it. */
  | { readonly fate: "ignored" }
  | { readonly fate: "refused"; readonly problem: Problem };

export function fateOf(acceptance: Acceptance): Fate {
  if (acceptance.kind === "safe") return { fate: "safe", receipt: acceptance.receipt };
  const { problem } = acceptance;
  if (problem.code === "conflict") return { fate: "conflict", key: textOf(problem.members?.["key"]) };
  return problem.code === "no_route" ? { fate: "ignored" } : { fate: "refused", problem };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Whatever another try may mend is told first. */
export function acknowledge({ scheme }: VerifyScheme, fates: readonly Fate[]): Response {
  const problems = fates.flatMap((fate) => (fate.fate === "refused" ? [fate.problem] : []));
  const worst = problems.find(({ status }) => status >= 500) ?? problems[0];
  if (worst !== undefined) return problemResponse(worst);
  return success(schemeOf(scheme).acknowledgement, fates);
}

function success({ status, body }: Acknowledgement, fates: readonly Fate[]): Response {
  const replayed = fates.length > 0 && fates.every((fate) => fate.fate === "safe" && fate.receipt.duplicate);
  const headers = { ...NO_STORE, ...(replayed ? { "idempotent-replayed": "true" } : {}) };
  if (body === "empty") return new Response(null, { status, headers });
  const [first] = fates;
  const shown = fates.length === 1 && first !== undefined ? shownFate(first) : { items: fates.map(shownFate) };
  const ignored = fates.every(({ fate }) => fate === "ignored");
  return Response.json(shown, { status: ignored ? 200 : status, headers });
}

function shownFate(fate: Fate): unknown {
  switch (fate.fate) {
    case "safe":
      return fate.receipt;
    case "conflict":
      return { key: fate.key, conflict: true };
    case "ignored":
      return { ignored: true };
    case "refused":
      return { code: fate.problem.code };
  }
}
