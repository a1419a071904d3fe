/** What npm would publish, used the way a stranger uses it: under plain Node, without this repository's sources. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { startDestination } from "../support/destination.ts";
import { type Finished, run } from "../support/run-npm.ts";
import { type PackedPackage, packPackage } from "../support/packed-package.ts";
import { temporalEnvironment, uniqueName } from "../support/temporal.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

let packed: PackedPackage;

beforeAll(async () => {
  packed = await packPackage();
}, 180_000);

afterAll(async () => {
  await packed.remove();
});

async function node(...args: readonly string[]): Promise<Finished> {
  return await run(process.execPath, args, { cwd: packed.folder, environment: temporalEnvironment() });
}

/** Runs a module of a project that depends on the package; what it prints must be one JSON document. */
async function project(code: string): Promise<unknown> {
  await writeFile(join(packed.folder, "main.mjs"), code);
  const { exitCode, stdout, stderr } = await node("main.mjs");
  expect({ exitCode, stderr: exitCode === 0 ? "" : stderr }).toEqual({ exitCode: 0, stderr: "" });
  return JSON.parse(stdout);
}

describe("the published package", () => {
  test("holds the build, the workflow bundle and the papers, and nothing of the tests or sources", () => {
    const built = ["index.js", "index.d.ts", "worker/index.js", "cli/bin.js", "workflow-bundle.js"];
    const papers = ["LICENSE", "CHANGELOG.md", "README.md", "package.json"];
    const wanted = [...built.map((path) => `dist/${path}`), ...papers];
    expect(wanted.filter((path) => !packed.files.includes(path))).toEqual([]);
    expect(packed.files.filter((path) => /\.test\.|^(src|test|examples|docs)\//.test(path))).toEqual([]);
    expect(packed.files.filter((path) => path.endsWith(".ts") && !path.endsWith(".d.ts"))).toEqual([]);
  });

  test("has a command that runs under plain Node", async () => {
    const bin = join(packed.folder, "node_modules/countersign", manifest.bin.countersign);
    const version = await run(bin, ["--version"], { cwd: packed.folder });
    expect(version).toEqual({ exitCode: 0, stdout: `${manifest.version}\n`, stderr: "" });
    const help = await node(bin, "--help");
    expect(help.exitCode).toBe(0);
    expect(help.stdout).toContain("Usage: countersign");
  });

  test("is imported by its two subpaths, with every dependency declared", async () => {
    const exports = await project(`
      const names = async (specifier) => Object.keys(await import(specifier));
      console.log(JSON.stringify([await names("countersign"), await names("countersign/worker")]));
    `);
    expect(exports).toEqual([
      expect.arrayContaining(["connect", "defineConfig", "env"]),
      expect.arrayContaining(["startWorker", "handler", "RetryableError", "NonRetryableError"]),
    ]);
  });

  test("hides everything that is not exported", async () => {
    const code = await project(`
      const failed = await import("countersign/dist/errors.js").catch((error) => error);
      console.log(JSON.stringify(failed.code));
    `);
    expect(code).toBe("ERR_PACKAGE_PATH_NOT_EXPORTED");
  });

  test("type-checks in a strict project", async () => {
    const consumer = `
      import { connect, defineConfig, env, type EventState } from "countersign";
      import { handler, startWorker } from "countersign/worker";
      export const config = defineConfig({
        sources: { shop: {} },
        endpoints: { crm: { url: env("CRM_URL"), retry: "quick" }, payments: { handler: "refund@1" } },
        routes: [{ match: { type: "order.*" }, to: ["crm"] }],
      });
      export const refund = handler("refund", "1", async (_input, { idempotencyKey }) => ({ reference: idempotencyKey }));
      export async function state(): Promise<EventState> {
        await startWorker({ handlers: [refund] });
        const countersign = await connect();
        const { key } = await countersign.submit({ source: "shop", id: "1", type: "order.created", data: {} });
        return await countersign.settled(key);
      }
    `;
    await writeFile(join(packed.folder, "consumer.mts"), consumer);
    const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
    const options = [
      "--noEmit",
      "--strict",
      "--module",
      "nodenext",
      "--target",
      "es2023",
      "--skipLibCheck",
      "consumer.mts",
    ];
    const checked = await node(tsc, ...options);
    expect(checked).toMatchObject({ exitCode: 0, stdout: "" });
  });

  test("delivers an event with the bundled workflows", async () => {
    const config = {
      temporal: { taskQueue: uniqueName("package") },
      sources: { shop: {} },
      endpoints: { crm: { url: { env: "CRM_URL" }, allowPrivate: ["127.0.0.0/8"] } },
      routes: [{ match: {}, to: ["crm"] }],
    };
    await writeFile(join(packed.folder, "countersign.config.json"), JSON.stringify(config));
    const outcome = await project(`
      import { createServer } from "node:http";
      import { startWorker } from "countersign/worker";
      const bodies = [];
      const server = createServer(async (request, response) => {
        bodies.push(Buffer.concat(await request.toArray()).toString());
        response.end();
      }).listen(0, "127.0.0.1", async () => {
        process.env.CRM_URL = "http://127.0.0.1:" + server.address().port;
        const worker = await startWorker();
        const { key } = await worker.client.submit({ source: "shop", id: "${uniqueName("packed")}", type: "order.created", data: { total: 42 } });
        const { state } = await worker.client.settled(key);
        await worker.stop();
        server.close();
        console.log(JSON.stringify({ state, bodies }));
      });
    `);
    expect(outcome).toEqual({ state: "delivered", bodies: ['{"total":42}'] });
  });

  test("delivers what the code in the README sends, by the worker of its command", async () => {
    const destination = await startDestination({});
    const config = {
      temporal: { taskQueue: uniqueName("package") },
      sources: { shop: {} },
      endpoints: { crm: { url: `${destination.url}/crm`, allowPrivate: ["127.0.0.0/8"] } },
      routes: [{ match: {}, to: ["crm"] }],
    };
    await writeFile(join(packed.folder, "countersign.config.json"), JSON.stringify(config));
    await copyFile(join(ROOT, "examples/first-event/send.ts"), join(packed.folder, "send.mts"));
    const bin = join(packed.folder, "node_modules/countersign", manifest.bin.countersign);
    const worker = spawn(process.execPath, [bin, "worker"], { cwd: packed.folder, env: temporalEnvironment() });
    try {
      const sent = await node("--import", import.meta.resolve("tsx"), "send.mts");
      expect(sent).toEqual({ exitCode: 0, stdout: "delivered\n", stderr: "" });
      expect(destination.requests.map(({ body }) => body.toString())).toEqual(['{"total":42}']);
    } finally {
      worker.kill();
      await once(worker, "exit");
      await destination.close();
    }
  });
});
