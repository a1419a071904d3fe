/** Handler modules of the configuration, and whether this worker has what it must serve. */
import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { createJiti } from "jiti";
import { handler, NonRetryableError, RetryableError } from "../activities/handler.ts";
import type { Handler } from "../activities/handler.ts";
import type { Endpoint } from "../config/config.ts";
import { CountersignError } from "../errors.ts";

/** Imports the modules and collects every exported handler, also from exported arrays. */
export async function loadHandlers(paths: readonly string[]): Promise<readonly Handler[]> {
  const modules = await Promise.all(paths.map(importModule));
  return modules.flatMap((module) => Object.values(module).flat().filter(isHandler));
}

/**
 * The handlers by `name@version`.
 *
 * Throws `handler_missing` for an endpoint this process must serve, `config_invalid`
 * when one reference is registered twice.
 */
export function handlersFor(
  endpoints: readonly Endpoint[],
  handlers: readonly Handler[],
): ReadonlyMap<string, Handler> {
  const byReference = new Map<string, Handler>();
  for (const one of handlers) {
    const reference = `${one.name}@${one.version}`;
    if (byReference.has(reference))
      throw new CountersignError("config_invalid", `Handler ${reference} is registered twice`);
    byReference.set(reference, one);
  }
  for (const endpoint of endpoints) requireHandlers(endpoint, byReference);
  return byReference;
}

function requireHandlers({ name, handler: own, reconcile }: Endpoint, byReference: ReadonlyMap<string, Handler>): void {
  const lookup = reconcile?.kind === "handler" ? reconcile.handler : null;
  const missing = [own, lookup].find((wanted) => wanted !== null && !byReference.has(wanted)) ?? null;
  if (missing === null) return;
  const known = [...byReference.keys()].join(", ") || "none";
  throw new CountersignError(
    "handler_missing",
    `Endpoint ${name} needs handler ${missing}, which this worker does not have; registered here: ${known}`,
  );
}

/** What a handler module gets when it imports "countersign/worker": this very package, from sources or installed. */
const OWN_PACKAGE = { handler, NonRetryableError, RetryableError };

async function importModule(path: string): Promise<Record<string, unknown>> {
  try {
    const jiti = createJiti(path, {
      fsCache: false,
      interopDefault: false,
      virtualModules: { "countersign/worker": OWN_PACKAGE },
    });
    const source = await readFile(path, "utf8");
    const how = { id: path, filename: path, ext: extname(path), async: true, forceTranspile: true } as const;
    return (await jiti.evalModule(source, how)) as Record<string, unknown>; // a module namespace
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : "it could not be loaded";
    throw new CountersignError("config_invalid", `Handler module ${path}: ${message}`, { cause });
  }
}

function isHandler(value: unknown): value is Handler {
  return (
    typeof value === "object" &&
    value !== null &&
    "name" in value &&
    "version" in value &&
    "run" in value &&
    typeof value.run === "function"
  );
}
