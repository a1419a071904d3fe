/** What the workers load into the sandbox: our decisions and the SDK's workflow runtime, nothing of Node. */
import { builtinModules } from "node:module";
import { fileURLToPath } from "node:url";
import { bundleWorkflowCode, DefaultLogger } from "@temporalio/worker";
import { beforeAll, describe, expect, test } from "vitest";

/** Names of the modules in the bundle, as webpack's development mode keys them. */
let modules: readonly string[];

beforeAll(async () => {
  const workflowsPath = fileURLToPath(new URL("../../src/workflows/index.ts", import.meta.url));
  const { code } = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger("ERROR") });
  modules = [...code.matchAll(/^\/\*\*\*\/ "([^"]+)"/gmu)].map(([, name = ""]) => name);
}, 60_000);

describe("the workflow bundle", () => {
  test("holds the workflows and the decisions they interpret", () => {
    expect(modules).toEqual(
      expect.arrayContaining([
        "./src/workflows/index.ts",
        "./src/workflows/event.ts",
        "./src/delivery/advance.ts",
        "./src/errors.ts",
      ]),
    );
  });

  test("holds no module of Node", () => {
    const names = new Set(builtinModules.map((name) => name.replace(/^node:/u, "")));
    expect(
      modules.filter((name) => name.startsWith("node:") || names.has(name) || name.startsWith("external ")),
    ).toEqual([]);
  });

  test("holds of our own code only workflows, decisions and errors", () => {
    const own = modules.filter((name) => name.startsWith("./src/"));
    expect(own.filter((name) => !/^\.\/src\/(?:workflows|delivery)\/|^\.\/src\/errors\.ts$/u.test(name))).toEqual([]);
  });

  test("holds of other packages only what Temporal's workflow runtime is made of", () => {
    const packages = modules.flatMap((name) => /node_modules\/((?:@[^/]+\/)?[^/]+)/u.exec(name)?.[1] ?? []);
    expect([...new Set(packages)].toSorted()).toEqual([
      "@temporalio/common",
      "@temporalio/workflow",
      "long",
      "ms",
      "nexus-rpc",
    ]);
  });
});
