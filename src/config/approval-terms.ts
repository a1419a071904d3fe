/** Whether a person must approve a delivery, and on which terms. In doubt, one must. */
import type { ApprovalRule, ApprovalTerms } from "../delivery/approval.ts";
import type { BusinessEvent } from "../delivery/event.ts";
import { askCondition, readableEvent } from "./condition.ts";
import type { Config, Route, RouteApproval } from "./config.ts";
import { mayHold } from "./evaluate-when.ts";
import { judgeMatch, resolveSource } from "./match-routes.ts";

/** A delivery as it will be sent. */
export interface ProposedDelivery {
  readonly event: BusinessEvent;
  readonly endpoint: string;
  /** What it was before somebody amended it; null = nobody did. */
  readonly amendment: { readonly from: string; readonly original: BusinessEvent } | null;
}

/**
 * The terms on which a person must approve; null = no approval is due. Several routes may ask: each keeps its rule, identical rules count once. The
 * shortest expiry holds, parking wins over ending, and the first `notify` is told.
 */
export function mergeApprovals(due: readonly RouteApproval[]): ApprovalTerms | null {
  if (due.length === 0) return null;
  const rules = new Map(due.map(ruleOf).map((rule) => [JSON.stringify(rule), rule]));
  const expiresMs = Math.min(...due.map((approval) => approval.expiresMs));
  const remindMs = [...new Set(due.flatMap((approval) => approval.remindMs))].toSorted((left, right) => left - right);
  return {
    rules: [...rules.values()],
    expiresMs,
    remindMs: remindMs.filter((ageMs) => ageMs < expiresMs),
    onExpire: due.some(({ onExpire }) => onExpire === "park") ? "park" : "end",
    notify: due.find(({ notify }) => notify !== null)?.notify ?? null,
  };
}

/**
 * The approvals that must be had.
 *
 * An amendment must not lead around an approval: a route counts that matches the
 * event as it was or as it is, and leads to the endpoint of before or of now. Where
 * no such route leads to the new endpoint, every approval that guards it is due.
 */
export function dueApprovals(
  config: Config,
  { event, endpoint, amendment }: ProposedDelivery,
): readonly RouteApproval[] {
  if (config.routes.every(({ approval }) => approval === null)) return [];
  const events = (amendment === null ? [event] : [amendment.original, event]).map((seen) => {
    return readableEvent(seen, resolveSource(config, seen.source)?.name ?? seen.source);
  });
  const leadsTo = (route: Route, name: string): boolean => route.to.includes(name);
  const matching = config.routes.filter((route) => events.some((seen) => mayMatch(config, route, seen)));
  const guards = matching.filter((route) => leadsTo(route, endpoint) || leadsTo(route, amendment?.from ?? endpoint));
  const isForeseen = amendment === null || matching.some((route) => leadsTo(route, endpoint));
  const others = isForeseen ? [] : config.routes.filter((route) => leadsTo(route, endpoint));
  return [...new Set([...guards, ...others])].flatMap(({ approval }) =>
    approval !== null && events.some((seen) => isDue(approval, seen)) ? [approval] : [],
  );
}

/** The test events of our own follow no route. */
function mayMatch(config: Config, route: Route, event: BusinessEvent): boolean {
  return Object.hasOwn(config.sources, event.source) && judgeMatch(config, route, event) !== false;
}

/** A function that throws or does not answer has not said no. */
function isDue({ when }: RouteApproval, event: BusinessEvent): boolean {
  if (when === null) return true;
  return typeof when === "function" ? askCondition(when, event) !== false : mayHold(when, event);
}

function ruleOf(approval: RouteApproval): ApprovalRule {
  const { approvers, quorum, rejections, fourEyes, requireSignedDecisions, escalate, version } = approval;
  return { approvers, quorum, rejections, fourEyes, requireSignedDecisions, escalate, version };
}
