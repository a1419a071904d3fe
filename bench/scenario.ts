/** What a scenario is made of: a contender in a process of its own, and rounds of load that are put on it. */
import type { Client } from "@temporalio/client";
import type { Child } from "./child.ts";
import type { DestinationSkills } from "./destination.ts";

/** What every contender delivers: the same bytes to the same destination. */
export interface BenchEvent {
  readonly source: "bench";
  readonly id: string;
  /** Name of the endpoint it goes to. */
  readonly type: string;
  readonly data: unknown;
}

/** Where a contender finds what it needs. */
export interface Stage {
  readonly scenario: string;
  /** Of the Temporal server, `ip:port`. */
  readonly address: string;
  readonly destinationUrl: string;
}

/** Worker and producer of one scenario; lives in the process whose cost is measured. */
export interface Contender {
  /** Resolves with the workflow's ID once the server has accepted the event. */
  submit(event: BenchEvent): Promise<string>;
  close(): Promise<void>;
}

export interface Submitted {
  readonly workflowId: string;
  /** When the call of `submit` began, milliseconds since the epoch. */
  readonly submittedAtMs: number;
  /** How long that call took; with fractions. */
  readonly acceptedMs: number;
}

export interface Usage {
  /** User and system time since the process began, milliseconds. */
  readonly cpuMs: number;
  readonly rssBytes: number;
}

export type ContenderSkills = {
  readonly submit: (event: BenchEvent) => Promise<Submitted>;
  readonly usage: (argument: null) => Usage;
};

/** The driving side: it submits through the contender, but watches over a connection of its own. */
export interface Driver {
  readonly scenario: string;
  readonly client: Client;
  readonly contender: Child<ContenderSkills>;
  readonly destination: Child<DestinationSkills>;
  /** CPU time of the Temporal server so far; null where it cannot be read. */
  serverCpuMs(): number | null;
  /** An event nobody had before. */
  nextEvent(type: string): BenchEvent;
}

export interface Load {
  readonly events: number;
  /** Events in flight at any time. */
  readonly concurrency: number;
}

/** One event whose measured part has ended, with the server's own counters. */
export interface Sample {
  readonly submittedAtMs: number;
  /** When the run that holds the destination's answer was closed; where only accepting is measured, when that was done. */
  readonly closedAtMs: number;
  readonly transitions: number;
  readonly historyEvents: number;
}

export interface Round {
  readonly samples: readonly Sample[];
  /** Events in flight at the same time, at most. */
  readonly concurrency: number;
  /** Events that `cpuMs` was spent on. */
  readonly workedOn: number;
  readonly cpuMs: number;
  readonly serverCpuMs: number | null;
  readonly rssBytes: number;
  /** The same load under the condition that `samples` are compared with; only where a scenario compares. */
  readonly control?: readonly Sample[];
}

export interface Scenario {
  readonly name: string;
  /** Types of the events it submits; each is warmed up. */
  readonly types: readonly string[];
  /** Unless told otherwise; over all rounds. */
  readonly defaults: Load;
  /** How many parts its events are split into, so that scenarios can take turns. */
  readonly rounds: number;
  /** Runs in the contender's process. */
  open(stage: Stage): Promise<Contender>;
  /** Runs in the driver's process; absent = events of each type are delivered, unmeasured. */
  warmUp?(driver: Driver, load: Load): Promise<void>;
  /** Runs in the driver's process. */
  round(driver: Driver, load: Load): Promise<Round>;
}
