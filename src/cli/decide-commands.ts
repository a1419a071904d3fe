/** What to type next about a proposal that waits. */
import type { Proposal } from "../delivery/event-state.ts";
import { shellWord } from "./safe-text.ts";

export interface WaitingProposal {
  readonly key: string;
  readonly proposal: Proposal;
  /** Named where the event has several deliveries. */
  readonly delivery: string | null;
  /** Temporal namespace. */
  readonly namespace: string;
}

/** Commands with the whole digest, ready to be pasted; the last one needs nothing of ours. */
export function decideCommands({ key, proposal, delivery, namespace }: WaitingProposal): readonly string[] {
  const { digest, policy } = proposal;
  const target = `${shellWord(key)} --digest ${digest}${delivery === null ? "" : ` --delivery ${delivery}`}`;
  const ours = [`countersign approve ${target}`, `countersign reject ${target} --note "…"`];
  // The Temporal CLI cannot sign, so its decision would not count.
  if (policy.requireSignedDecisions) return ours.map((command) => `${command} --key-file you.countersign-key.pem`);
  const argument = { actor: "you@example.com", digest, ...(delivery === null ? {} : { delivery }) };
  const place = namespace === "default" ? "" : ` --namespace ${shellWord(namespace)}`;
  const signal = `temporal workflow signal${place} --workflow-id ${shellWord(key)} --name approve --input ${shellWord(JSON.stringify(argument))}`;
  return [...ours, signal];
}
