/** The current details of a run in the Temporal UI: where the event stands, and what a person can do about it. */
import type { DeliveryStatus, EventState, Proposal } from "./event-state.ts";

export function detailsOf(state: EventState): string {
  const head = `**${code(state.type)}** ${code(state.key)}: ${state.state}`;
  return [head, ...state.deliveries.map(deliveryDetails)].join("\n\n");
}

function deliveryDetails(delivery: DeliveryStatus): string {
  const last =
    delivery.lastCode === null ? "no attempt yet" : `${delivery.attemptCount} attempt(s), last ${delivery.lastCode}`;
  const next = delivery.nextAt === null ? "" : `, next at ${delivery.nextAt}`;
  const line = `- **${delivery.endpoint}**: ${delivery.state} (${last}${next})`;
  if (delivery.state === "awaiting-approval" && delivery.proposal !== null)
    return [line, ...proposalDetails(delivery, delivery.proposal)].join("\n");
  if (delivery.state === "held") return `${line}${holdDetails(delivery)}`;
  if (delivery.attention === null) return line;
  const signal = `Send signal \`replay\`, \`discard\` or \`mark-delivered\` with \`{"actor":"you@example.com","reason":"…","delivery":"${delivery.endpoint}"}\`.`;
  return `${line}\n  ${delivery.attention.reason}: ${delivery.attention.advice} ${signal}`;
}

function holdDetails({ endpoint, hold }: DeliveryStatus): string {
  if (hold === undefined) return "";
  const signal = `Send signal \`release\` with \`{"actor":"you@example.com","reason":"…","delivery":"${endpoint}"}\`.`;
  return `\n  held by ${code(hold.actor)} since ${hold.since}: ${code(hold.reason)}. ${signal}`;
}

/** One line, since an empty one would end the code and let the text of an event speak as if it were ours. */
function code(text: string): string {
  return `\`${text.replaceAll("`", "'").replaceAll(/[\r\n\u2028\u2029]+/gu, " ")}\``;
}

/** The whole request, nothing cut off: what a person sees is what they sign. */
function proposalDetails({ endpoint }: DeliveryStatus, proposal: Proposal): readonly string[] {
  const { action, digest, revision, policy, approvals, requestedBy, expiresAt, evidence } = proposal;
  const signal = JSON.stringify({ actor: "you@example.com", digest, delivery: endpoint });
  const soFar =
    approvals.length === 0
      ? "nobody has approved yet"
      : `approved by ${approvals.map(({ actor }) => actor).join(", ")}`;
  const how = policy.requireSignedDecisions
    ? `Decisions must be signed: \`countersign approve\` with \`--digest ${digest}\` and \`--key-file\`.`
    : `Send signal \`approve\` with \`${signal}\`, or \`reject\` with a \`"note"\` beside it.`;
  const unknown = policy.fourEyes ? "somebody unknown: four eyes cannot exclude them" : "somebody unknown";
  return [
    `  ${how} Expires at ${expiresAt}.`,
    `  - digest ${code(digest)}, revision ${revision}; ${policy.quorum} of ${policy.approvers.map(code).join(", ")}${policy.fourEyes ? ", never the requester" : ""}; ${soFar}`,
    `  - requested by ${requestedBy === null ? unknown : code(requestedBy)}`,
    `  - ${code(action.method)} ${code(action.url)}, headers ${action.headerNames.map(code).join(", ") || "none of its own"}, ${code(action.contentType)}, ${action.bodyBytes} bytes`,
    ...evidence.map(
      ({ title, url, text }) =>
        `  - evidence: ${[title, url, text]
          .filter((part) => part !== undefined)
          .map(code)
          .join(" ")}`,
    ),
    "",
    ...bodyDetails(action),
  ];
}

function bodyDetails(action: Proposal["action"]): readonly string[] {
  if ("body" in action) return fenced(action.body);
  if ("body_base64" in action) return ["  base64:", ...fenced(action.body_base64)];
  return ["  The body is too large for this place: `countersign show` has it whole, in pages."];
}

/** A fence longer than any run of backticks inside. */
function fenced(text: string): readonly string[] {
  const longest = Math.max(2, ...(text.match(/`+/gu) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return [fence, text, fence];
}
