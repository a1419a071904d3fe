/** The SDK's process-wide runtime: its logs go through ours, its signal handling is switched off. */
import { DefaultLogger, makeTelemetryFilterString, Runtime } from "@temporalio/worker";
import type { Logger } from "../telemetry/logger.ts";

/** The normal life of this product: slow local activities, and lanes, which run no workflows. */
const EXPECTED = ["TMPRL1104", "No workflows registered"];

let installed = false;

/**
 * Installs it once, before the first native connection. A runtime that the embedding
 * application has installed itself stays as it is.
 */
export function installRuntime(log: Logger): void {
  if (installed) return;
  installed = true;
  try {
    Runtime.install({
      logger: new DefaultLogger("DEBUG", ({ level, message, meta }) => forward(log, level, { message, meta })),
      telemetryOptions: {
        logging: { filter: makeTelemetryFilterString({ core: "WARN", other: "ERROR" }), forward: {} },
      },
      // Stopping is the entry file's business: requests in flight come first.
      shutdownSignals: [],
    });
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "IllegalStateError") throw error;
  }
}

/** The SDK's `error` is an Error, which only our `err` is written out as. */
function fieldsOf(meta: unknown): object {
  if (typeof meta !== "object" || meta === null) return {};
  if (!("error" in meta)) return meta;
  const { error, ...rest } = meta;
  return { ...rest, err: error };
}

/** The SDK's INFO is about bundles and worker states: detail, not news. */
function forward(
  log: Logger,
  level: string,
  { message, meta }: { readonly message: string; readonly meta: unknown },
): void {
  if (EXPECTED.some((text) => message.includes(text))) return;
  const fields = fieldsOf(meta);
  switch (level) {
    case "ERROR":
      log.error(fields, message);
      return;
    case "WARN":
      log.warn(fields, message);
      return;
    default:
      log.debug(fields, message);
  }
}
