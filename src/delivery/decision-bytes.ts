/** The bytes a person signs to decide: what is decided, and on exactly what. */
import { prefixed, utf8 } from "./fingerprint.ts";
import type { DecisionAction } from "./approval.ts";

export interface SignedDecision {
  /** The event key. */
  readonly key: string;
  readonly endpoint: string;
  readonly revision: number;
  readonly digest: string;
  readonly action: DecisionAction;
}

/** Fields `decision.v1`, event key, endpoint, revision, digest, action; each preceded by its length, as in `fingerprint.ts`. */
export function decisionBytes({ key, endpoint, revision, digest, action }: SignedDecision): Uint8Array {
  return prefixed(["decision.v1", key, endpoint, String(revision), digest, action].map(utf8));
}
