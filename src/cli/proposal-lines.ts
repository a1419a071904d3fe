/** A proposal as a person reads it before deciding: everything that will be sent, to where, and who must agree. */
import { domainToUnicode } from "node:url";
import { samePerson } from "../delivery/ballots.ts";
import type { Evidence } from "../delivery/event.ts";
import type { Proposal, ShownVote, TerminalState } from "../delivery/event-state.ts";
import { type BodyPage, bodyPages } from "./body-pages.ts";
import { shortDigest } from "./digest-argument.ts";
import { policyLines } from "./policy-text.ts";
import { safeText, shellWord, spelledText } from "./safe-text.ts";
import type { Colors } from "./terminal.ts";
import { ageText, longText, momentText } from "./time-text.ts";

export interface ProposalView {
  readonly key: string;
  readonly nowMs: number;
  readonly colors: Colors;
  /** How the delivery has ended, so that nothing can expire any more; null = it has not. */
  readonly ended: TerminalState | "terminated" | null;
  /** Of the body, from 1. */
  readonly page: number;
  /** Names of the configuration at hand; absent or empty = not known. */
  readonly people?: readonly string[];
}

const LABEL_WIDTH = "requester".length;
/** Before every line of text from outside: nothing in a body can pass for a line of ours. */
const GUTTER = "  | ";

export function proposalLines(proposal: Proposal, view: ProposalView): readonly string[] {
  const { bold, dim } = view.colors;
  const { digest, revision, createdAt, action } = proposal;
  const asked = `asked ${momentText(createdAt)} (${ageText(createdAt, view.nowMs)} ago)`;
  return [
    `${bold("proposal")}  revision ${revision}  ${dim(asked)}`,
    ...labeled("digest", [bold(safeText(digest))]),
    ...labeled("action", actionLines(action)),
    ...labeled("endpoint", [`${action.endpoint} (configuration ${safeText(shortDigest(action.configVersion))})`]),
    ...labeled("headers", [action.headerNames.map(safeText).join(", ") || "none of its own"]),
    ...labeled("event", eventLines(action)),
    ...labeled("content", [`${safeText(action.contentType)}, ${bytesText(action.bodyBytes)}`]),
    ...labeled("policy", policyLines(proposal.policy)),
    ...labeled("expires", [expiryText(proposal, view)]),
    ...labeled("requester", [requesterText(proposal)]),
    ...labeled("edited by", editorLines(proposal, view)),
    ...proposal.evidence.flatMap(evidenceLines),
    ...labeled("approvals", approvalLines(proposal)),
    ...labeled("rejected", rejectionLines(proposal)),
    ...bodyLines(proposal, view),
  ];
}

function labeled(label: string, lines: readonly string[]): readonly string[] {
  return lines.map((line, index) => `  ${(index === 0 ? label : "").padEnd(LABEL_WIDTH)}  ${line}`);
}

/** Both go out as headers. */
function eventLines({ type, subject }: Proposal["action"]): readonly string[] {
  return [spelledText(type), ...(subject === null ? [] : [`subject ${spelledText(subject)}`])];
}

function bytesText(bytes: number): string {
  return bytes === 1 ? "1 byte" : `${bytes} bytes`;
}

/** A host that looks like another one in one spelling does not in the other. */
function actionLines({ method, url }: Proposal["action"]): readonly string[] {
  const host = URL.canParse(url) ? new URL(url).hostname : "";
  const unicode = host === "" ? "" : domainToUnicode(host);
  const ascii = host === "" || url.includes(host) ? url : new URL(url).href;
  return [
    `${safeText(method)} ${spelledText(ascii)}`,
    ...(unicode === "" || unicode === host ? [] : [`host ${spelledText(unicode)}, spelled ${host}`]),
  ];
}

function expiryText({ expiresAt, executedAt }: Proposal, { nowMs, ended, colors }: ProposalView): string {
  if (executedAt !== null) return `no more: executed ${momentText(executedAt)}`;
  if (ended !== null && ended !== "expired") return `no more: ${ended}`;
  const leftMs = Date.parse(expiresAt) - nowMs;
  if (leftMs > 0) return `${momentText(expiresAt)} (in ${longText(leftMs)})`;
  return colors.red(`expired ${momentText(expiresAt)} (${ageText(expiresAt, nowMs)} ago): nobody can decide any more`);
}

function requesterText({ requestedBy, policy }: Proposal): string {
  if (requestedBy !== null) return spelledText(requestedBy);
  return policy.fourEyes ? "unknown: four eyes cannot exclude them" : "unknown";
}

function editorLines({ editedBy }: Proposal, { people = [] }: ProposalView): readonly string[] {
  if (editedBy === null) return [];
  const isStranger = people.length > 0 && !people.some((name) => samePerson(name, editedBy));
  return [`${spelledText(editedBy)}${isStranger ? ", who is no person of `people`" : ""}`];
}

function evidenceLines({ title, url, text }: Evidence): readonly string[] {
  const head = url === undefined ? title : `${title}  ${url}`;
  const lines = text === undefined ? [] : spelledText(text).split("\n");
  return [...labeled("evidence", [spelledText(head)]), ...lines.map((line) => `${GUTTER}${line}`)];
}

function approvalLines({ approvals, policy }: Proposal): readonly string[] {
  const needed = policy.rules === undefined ? ` of ${policy.quorum}` : "";
  if (approvals.length === 0) return [policy.rules === undefined ? `none${needed}` : "none yet"];
  return voteLines(approvals, needed);
}

function rejectionLines({ rejections, policy }: Proposal): readonly string[] {
  return voteLines(rejections, policy.rules === undefined ? ` of ${policy.rejections}` : "");
}

function voteLines(votes: readonly ShownVote[], needed: string): readonly string[] {
  return votes.map(({ actor, at }, index) => `${index + 1}${needed}: ${safeText(actor)}, ${momentText(at)}`);
}

/** Whole, or one page of it and how to see the others. */
function bodyLines({ action }: Proposal, { key, page, colors }: ProposalView): readonly string[] {
  const pages = bodyPages(action);
  const shown = pages[page - 1];
  const what = "body_base64" in action ? "as base64" : "as it is sent";
  if (pages.length === 0) return [colors.yellow("  body       not at hand here: it is too large for this record")];
  if (shown === undefined)
    return [`  body has ${pages.length} page${pages.length === 1 ? "" : "s"}, so no page ${page}`];
  const next = page < pages.length ? `; the next: countersign show ${shellWord(key)} --page ${page + 1}` : "";
  const head =
    pages.length === 1
      ? `body, all of its ${bytesText(action.bodyBytes)} ${what}`
      : `body page ${page} of ${pages.length}, ${what}${next}`;
  return [
    `  ${head}:`,
    ...shown.lines.map((line) => `${GUTTER}${line}`),
    ...spelledNote(shown, colors),
    ...(next === "" ? [] : [colors.bold(`  body page ${page} of ${pages.length}${next}`)]),
  ];
}

function spelledNote({ spelled }: BodyPage, { yellow }: Colors): readonly string[] {
  return spelled ? [yellow("  ‹U+…› stands for one character that cannot be shown, or hides")] : [];
}
