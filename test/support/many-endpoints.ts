/** A configuration of very many endpoints, too large for the arguments of a process: who needs it makes it. */
import type { Config } from "../../src/config/config.ts";
import { aConfig } from "./a-config.ts";
import type { Script } from "./destination.ts";

export interface ManyEndpoints {
  readonly count: number;
  /** Of the destination. */
  readonly baseUrl: string;
  readonly taskQueue: string;
  /** Begins the name of each, because workflows of endpoints are one per namespace. */
  readonly prefix: string;
}

export function endpointName({ prefix }: Pick<ManyEndpoints, "prefix">, index: number): string {
  return `${prefix}-${index}`;
}

/** Each trips after three failures, is held as a whole by a Retry-After, and is tried again a few seconds later. */
export function configOfMany(many: ManyEndpoints): Config {
  const endpoint = {
    // However long the trouble lasts on a busy machine, nothing is given up.
    retry: { attempts: 100, initial: "1s", factor: 2, max: "8s", jitter: 0 },
    retryAfterScope: "endpoint",
    circuit: { failures: 3, open: "4s" },
  } as const;
  const names = Array.from({ length: many.count }, (_, index) => endpointName(many, index));
  const { baseUrl, taskQueue } = many;
  return aConfig({ baseUrl, taskQueue, endpoints: Object.fromEntries(names.map((name) => [name, endpoint])) });
}

/** What is amiss with an endpoint in trouble: it fails, asks to be left alone, or a person has paused it. */
export type TroubleKind = "fails" | "asks" | "paused";

/** The kinds take turns. */
export function kindOf(index: number): TroubleKind {
  return (["fails", "asks", "paused"] as const)[index % 3] ?? "fails";
}

export function troubled(index: number, trouble: { readonly on: boolean }): Script {
  const answers = {
    fails: { status: 503 },
    asks: { status: 429, headers: { "retry-after": "5" } },
    paused: {},
  };
  return () => (trouble.on ? answers[kindOf(index)] : {});
}
