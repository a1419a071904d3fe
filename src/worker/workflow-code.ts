/** Where a worker gets its workflow code: bundled ahead in a build, from the sources in development. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { WorkerOptions } from "@temporalio/worker";

export type WorkflowCode = Pick<WorkerOptions, "workflowBundle" | "workflowsPath">;

/** Name of the file that the build puts beside `dist/workflows`. */
const BUNDLE_FILE = "workflow-bundle.js";

/** How payloads are read, in the worker and in its workflows; the build copies it as it is. */
export const PAYLOAD_CONVERTER = fileURLToPath(new URL("../workflows/payload-converter.cjs", import.meta.url));

export function workflowCode(): WorkflowCode {
  const codePath = fileURLToPath(new URL(`../${BUNDLE_FILE}`, import.meta.url));
  if (existsSync(codePath)) return { workflowBundle: { codePath } };
  return { workflowsPath: fileURLToPath(new URL("../workflows/index.ts", import.meta.url)) };
}
