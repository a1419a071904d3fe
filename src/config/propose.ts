/** What people decide on, and the digest that binds their decision to it. */
import type { ApprovalRule, ApprovalTerms, ProposalDraft, ProposedAction } from "../delivery/approval.ts";
import { bodyOf } from "../delivery/body.ts";
import { isJsonContentType } from "../delivery/content-type.ts";
import type { BusinessEvent, JsonValue } from "../delivery/event.ts";
import { utf8 } from "../delivery/fingerprint.ts";
import { eventKey } from "../delivery/names.ts";
import { isWellFormed } from "../delivery/visible-text.ts";
import { canonicalJson, canonicalText } from "./canonical-json.ts";
import type { Endpoint } from "./config.ts";
import { configVersionOf, sha256 } from "./digests.ts";
import { displayUrl } from "./resolve-endpoint.ts";

export interface ProposedRequest {
  readonly endpoint: Endpoint;
  /** Null = the URL of the configuration as it may be shown; so for every isolated endpoint, whoever proposes. */
  readonly resolvedUrl: string | null;
  /** As it will be sent, under its configured source name. */
  readonly event: BusinessEvent;
  readonly revision: number;
  readonly requestedBy: string | null;
  /** Who amended it last; null = nobody did. */
  readonly editedBy: string | null;
  readonly terms: ApprovalTerms;
}

export function proposalDraft(request: ProposedRequest): ProposalDraft {
  const { event, revision, requestedBy, editedBy, terms } = request;
  const { bytes: body } = bodyOf(event);
  const action = actionOf(request, body.length);
  const key = eventKey(event.source, event.id);
  const digest = proposalDigest({ key, revision, action, body, rules: terms.rules, requestedBy, editedBy });
  return { digest, revision, requestedBy, action, terms };
}

/**
 * The body is the event's own, also where the endpoint wraps it (`format: 'cloudevents'`):
 * the format is part of `configVersion`, and nobody can amend what it is wrapped in.
 */
function actionOf({ endpoint, resolvedUrl, event }: ProposedRequest, bodyBytes: number): ProposedAction {
  const { handler } = endpoint;
  return {
    endpoint: endpoint.name,
    configVersion: configVersionOf(endpoint),
    method: handler === null ? endpoint.method : "handler",
    url: handler ?? displayUrl({ url: resolvedUrl ?? endpoint.url, handler }),
    headerNames: Object.keys(endpoint.headers).toSorted(),
    type: event.type,
    subject: event.subject ?? null,
    contentType: bodyOf(event).contentType,
    bodyBytes,
  };
}

/** Everything a digest is made of; what is shown of a proposal holds it all. */
export interface ProposalFacts {
  /** The event key. */
  readonly key: string;
  readonly revision: number;
  readonly action: ProposedAction;
  /** As it will be sent. */
  readonly body: Uint8Array;
  readonly rules: readonly ApprovalRule[];
  readonly requestedBy: string | null;
  readonly editedBy: string | null;
}

/**
 * `sha256:` + hex over `proposal.v1|` and the canonical JSON (RFC 8785) of what makes a proposal what it is.
 *
 * White space, order of members and spelling of numbers do not count in a JSON body,
 * nor does the order in which people, groups and rules are listed.
 */
export function proposalDigest(facts: ProposalFacts): string {
  const { endpoint, configVersion, method, url, headerNames, type, subject, contentType } = facts.action;
  const text = canonicalText({
    key: facts.key,
    revision: facts.revision,
    action: {
      endpoint,
      configVersion,
      method,
      url,
      headerNames,
      type,
      subject,
      contentType,
      body: bodyFacts(contentType, facts.body),
    },
    rules: facts.rules.map(ruleFacts).toSorted(byCanonicalText),
    requestedBy: nameFacts(facts.requestedBy),
    editedBy: nameFacts(facts.editedBy),
  });
  return `sha256:${sha256(utf8(`proposal.v1|${text}`)).toString("hex")}`;
}

function bodyFacts(contentType: string, body: Uint8Array): JsonValue {
  const json = isJsonContentType(contentType) ? canonicalJson(body) : null;
  return json === null ? { sha256: sha256(body).toString("hex"), bytes: body.length } : { json };
}

function ruleFacts(rule: ApprovalRule): JsonValue {
  const { approvers, quorum, rejections, fourEyes, requireSignedDecisions, escalate, version } = rule;
  const further = escalate === null ? null : { afterMs: escalate.afterMs, to: escalate.to.toSorted() };
  return {
    approvers: approvers.toSorted(),
    quorum,
    rejections,
    fourEyes,
    requireSignedDecisions,
    escalate: further,
    version,
  };
}

function byCanonicalText(left: JsonValue, right: JsonValue): number {
  const [first, second] = [canonicalText(left), canonicalText(right)];
  return first < second ? -1 : first > second ? 1 : 0;
}

/** Whoever amends may call themselves anything, also what UTF-8 cannot carry. */
function nameFacts(name: string | null): JsonValue {
  return name === null || isWellFormed(name) ? name : { escaped: JSON.stringify(name) };
}
