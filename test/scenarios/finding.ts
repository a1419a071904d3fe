/**
 * Scenarios: what the end-to-end tests and the proof runner play against a real server with
 * real processes. Tests play them at the smallest count that can fail, `npm run proof` at full count.
 */

/** What a scenario found out about one subject. */
export interface Finding {
  /** One of the scenario's claims. */
  readonly claim: string;
  /** The event or process that was looked at. */
  readonly subject: string;
  readonly holds: boolean;
  /** For people. */
  readonly seen: string;
  /** A figure worth a summary, in seconds. */
  readonly measuredS?: number;
  /** What else is worth a summary, in words. */
  readonly figure?: string;
}

export interface Scene {
  /** Of the Temporal server. */
  readonly address: string;
  /** Scales the scenario: each says what it counts. */
  readonly count: number;
  /** Tells people what is going on. */
  readonly say: (sentence: string) => void;
}

export interface Scenario {
  /** Every claim has at least one finding when the scenario has been played. */
  readonly claims: readonly string[];
  play(scene: Scene): Promise<readonly Finding[]>;
}

/** A finding that compares what was seen with what was expected, by their JSON. */
export function same(about: Pick<Finding, "claim" | "subject">, seen: unknown, expected: unknown): Finding {
  const [is, shouldBe] = [JSON.stringify(seen), JSON.stringify(expected)];
  const holds = is === shouldBe;
  return { ...about, holds, seen: holds ? is : `${is}, expected ${shouldBe}` };
}

/** What speaks against a claim, as lines a failing test can show; a claim nobody examined does not hold. */
export function against(findings: readonly Finding[], claim: string): readonly string[] {
  const relevant = findings.filter((finding) => finding.claim === claim);
  if (relevant.length === 0) return ["nothing was examined"];
  return relevant.filter(({ holds }) => !holds).map(({ subject, seen }) => `${subject}: ${seen}`);
}
