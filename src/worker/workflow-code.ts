/** Where a worker gets its workflow code: bundled ahead in a build, from the sources in a checkout. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { bundleWorkflowCode, DefaultLogger, type WorkerOptions } from "@temporalio/worker";
import { cachedBundle } from "./bundle-cache.ts";

export type WorkflowCode = Pick<WorkerOptions, "workflowBundle" | "workflowsPath">;

/** Name of the file that the build puts beside `dist/workflows`. */
const BUNDLE_FILE = "workflow-bundle.js";

/** How payloads are read, in the worker and in its workflows; the build copies it as it is. */
export const PAYLOAD_CONVERTER = pathOf("../workflows/payload-converter.cjs");

export async function workflowCode(): Promise<WorkflowCode> {
  const built = pathOf(`../${BUNDLE_FILE}`);
  if (existsSync(built)) return { workflowBundle: { codePath: built } };
  const workflowsPath = pathOf("../workflows/index.ts");
  const codePath = await cachedBundle({
    directory: pathOf("../../node_modules/.cache/countersign"),
    // A test of the bundle holds that nothing else of ours is in it; the versions of the rest stand in the last one.
    sources: {
      folders: [pathOf("../workflows"), pathOf("../delivery")],
      files: [pathOf("../errors.ts"), pathOf("../../package.json")],
    },
    async bundle() {
      const logger = new DefaultLogger("WARN");
      return (await bundleWorkflowCode({ workflowsPath, payloadConverterPath: PAYLOAD_CONVERTER, logger })).code;
    },
  });
  return codePath === null ? { workflowsPath } : { workflowBundle: { codePath } };
}

function pathOf(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url));
}
