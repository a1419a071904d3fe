/** Builds `dist`: JavaScript and declarations, the workflow bundle, a command that runs under plain Node. */
import { execFileSync } from "node:child_process";
import { chmod, copyFile, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleWorkflowCode, DefaultLogger } from "@temporalio/worker";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const DIST = join(ROOT, "dist");
const SHEBANG = "#!/usr/bin/env node\n";

await rm(DIST, { recursive: true, force: true });
runTool("typescript/bin/tsc", ["--project", "tsconfig.build.json"]);
await bundleWorkflows();
await makeExecutable(join(DIST, "cli/bin.js"));

/** Bundling takes seconds at every start of a worker; the name is the one `src/worker/workflow-code.ts` looks for. */
async function bundleWorkflows() {
  const workflowsPath = join(DIST, "workflows/index.js");
  // The compiler passes over what is JavaScript already.
  const payloadConverterPath = join(DIST, "workflows/payload-converter.cjs");
  await copyFile(join(ROOT, "src/workflows/payload-converter.cjs"), payloadConverterPath);
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    payloadConverterPath,
    logger: new DefaultLogger("WARN"),
  });
  await writeFile(join(DIST, "workflow-bundle.js"), code);
}

async function makeExecutable(file) {
  const text = await readFile(file, "utf8");
  if (!text.startsWith(SHEBANG)) throw new Error(`${file} must begin with ${SHEBANG}`);
  await chmod(file, 0o755);
}

/** By the tool's file, so that neither a shell nor the PATH decides what runs. */
function runTool(file, args) {
  execFileSync(process.execPath, [join(ROOT, "node_modules", file), ...args], { cwd: ROOT, stdio: "inherit" });
}
