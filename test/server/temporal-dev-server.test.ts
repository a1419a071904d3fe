import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findBinary } from "../../src/temporal/binary.ts";
import { TEMPORAL_CLI } from "../../src/temporal/binary-spec.ts";
import { connectClient } from "../../src/temporal/connect.ts";
import { type DevServer, startDevServer } from "../../src/temporal/dev-server.ts";
import { readRetentionMs } from "../../src/temporal/namespace.ts";
import {
  ensureSearchAttributes,
  isMappingMissing,
  SEARCH_ATTRIBUTES,
  TYPE_ATTRIBUTE,
  withSearchAttributeRetry,
} from "../../src/temporal/search-attributes.ts";
import { uniqueName } from "../support/temporal.ts";
import { until } from "../support/until.ts";

const NAMESPACE = "orders";
const DAY_MS = 24 * 60 * 60_000;
const temporal = { namespace: NAMESPACE, taskQueue: "countersign" };
let home: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "countersign-dev-server-"));
});

afterAll(() => rm(home, { recursive: true, force: true }));

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function withServer(server: DevServer, use: () => Promise<void>): Promise<void> {
  try {
    await use();
  } finally {
    await server.stop();
  }
}

describe("a development server", () => {
  test("answers in its namespace with the retention asked for, and is gone after stop", async () => {
    const server = await startDevServer({ environment: process.env, namespace: NAMESPACE, retentionMs: 7 * DAY_MS });
    await withServer(server, async () => {
      const { connection, close } = await connectClient({ temporal, environment: {}, address: server.address });
      expect(await readRetentionMs(connection, NAMESPACE)).toBe(7 * DAY_MS);
      const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace: NAMESPACE });
      expect(Object.keys(customAttributes ?? {})).toEqual(
        expect.arrayContaining(SEARCH_ATTRIBUTES.map(({ name }) => name)),
      );
      expect(server.uiUrl).toBeNull();
      await close();
    });
    expect(isAlive(server.pid)).toBe(false);
    await server.stop();
  });

  test("keeps events on disk when told where, also over a restart", async () => {
    const options = {
      environment: process.env,
      namespace: NAMESPACE,
      dbFilename: join(home, "temporal.db"),
      retentionMs: 1,
    };
    const workflowId = uniqueName("kept");
    for (const round of ["first", "second"] as const) {
      const server = await startDevServer(options);
      await withServer(server, async () => {
        const { client, connection, close } = await connectClient({
          temporal,
          environment: {},
          address: server.address,
        });
        if (round === "first") await client.workflow.start("event", { workflowId, taskQueue: "nobody" });
        expect((await client.workflow.getHandle(workflowId).describe()).status.name).toBe("RUNNING");
        // Less than the server's minimum is raised to it.
        expect(await readRetentionMs(connection, NAMESPACE)).toBe(60 * 60_000);
        await close();
      });
    }
  });

  test("serves the UI on the port asked for", async () => {
    const server = await startDevServer({ environment: process.env, namespace: NAMESPACE, uiPort: 0 });
    await withServer(server, async () => {
      const response = await until("the UI answers", () => fetch(server.uiUrl ?? "").catch(() => null));
      expect(response.status).toBe(200);
    });
  });

  test("refuses a port somebody else listens on instead of talking to them", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => {
      other.listen(0, "127.0.0.1", resolve);
    });
    const address = other.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    await expect(startDevServer({ environment: process.env, namespace: NAMESPACE, port })).rejects.toMatchObject({
      code: "server_unavailable",
      message: expect.stringContaining(`Port ${port} on 127.0.0.1`),
    });
    other.close();
  });

  test("tries again when another program takes one of its ports between its look and its start", async () => {
    const environment = { ...process.env, PATH: `${home}:${process.env["PATH"] ?? ""}` };
    const real = await findBinary(TEMPORAL_CLI, { environment: process.env });
    const once = join(home, uniqueName("once"));
    const script = [
      "#!/bin/sh",
      `if [ "$1" = server ] && [ ! -e "${once}" ]; then`,
      `  : > "${once}"; echo "listen tcp 127.0.0.1:1: bind: address already in use" >&2; exit 1`,
      "fi",
      `exec "${real}" "$@"`,
    ];
    await writeFile(join(home, "temporal"), script.join("\n"), { mode: 0o755 });
    const server = await startDevServer({ environment, namespace: NAMESPACE });
    expect(existsSync(once)).toBe(true);
    await server.stop();
  });

  test("that does not come up is an error with its last words", async () => {
    await expect(
      startDevServer({
        environment: process.env,
        namespace: NAMESPACE,
        dbFilename: join(home, "no", "such", "folder", "x.db"),
      }),
    ).rejects.toMatchObject({
      code: "server_unavailable",
      message: expect.stringMatching(/ended at once; its last lines: .*x\.db|no such file|unable to open/s),
    });
  });

  test("ends although it is suspended and cannot obey", async () => {
    const server = await startDevServer({ environment: process.env, namespace: NAMESPACE });
    process.kill(server.pid, "SIGSTOP");
    await server.stop(200);
    expect(isAlive(server.pid)).toBe(false);
  });
});

describe("a development server whose parent goes away", () => {
  interface Family {
    readonly parent: ChildProcess;
    readonly serverPid: number;
  }

  /** Starts a process that starts a server, prints its pid and then does `afterwards`. */
  async function startFamily(afterwards: string): Promise<Family> {
    const script = join(home, `${uniqueName("parent")}.mts`);
    const source = fileURLToPath(new URL("../../src/temporal/dev-server.ts", import.meta.url));
    await writeFile(
      script,
      `import { startDevServer } from ${JSON.stringify(source)};
       const server = await startDevServer({ environment: process.env, namespace: "orders" });
       process.stdout.write(\`pid=\${server.pid}\\n\`, () => { ${afterwards} });\n`,
    );
    const parent = spawn(process.execPath, ["--import", import.meta.resolve("tsx"), script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    parent.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    const match = await until("the parent prints the pid of its server", () => /pid=(\d+)\n/.exec(output));
    return { parent, serverPid: Number(match[1]) };
  }

  test.concurrent.each(["SIGINT", "SIGTERM", "SIGKILL"] as const)("by %s ends too", async (signal) => {
    const { parent, serverPid } = await startFamily("");
    expect(isAlive(serverPid)).toBe(true);
    parent.kill(signal);
    await until(`server ${serverPid} ends after ${signal}`, () => !isAlive(serverPid));
  });

  test.concurrent("by its own exit ends too", async () => {
    const { serverPid } = await startFamily("process.exit(0)");
    await until(`server ${serverPid} ends`, () => !isAlive(serverPid));
  });
});

describe("a server without the search attributes", () => {
  let server: DevServer;

  beforeAll(async () => {
    server = await startDevServer({ environment: process.env, namespace: NAMESPACE, searchAttributes: [] });
  });

  afterAll(() => server.stop());

  test("has them after two connections registered at once, and accepts a start as soon as it knows them everywhere", async () => {
    const connections = await Promise.all(
      [1, 2].map(() => connectClient({ temporal, environment: {}, address: server.address })),
    );
    const [first] = connections;
    if (first === undefined) throw new Error("no connection");
    const start = (): Promise<unknown> =>
      first.client.workflow.start("event", {
        workflowId: uniqueName("typed"),
        taskQueue: "nobody",
        typedSearchAttributes: [{ key: TYPE_ATTRIBUTE, value: "order.created" }],
      });
    expect(isMappingMissing(await start().catch((error: unknown) => error))).toBe(true);
    await Promise.all(connections.map(({ connection }) => ensureSearchAttributes(connection, NAMESPACE)));
    await ensureSearchAttributes(first.connection, NAMESPACE);
    await expect(withSearchAttributeRetry(start)).resolves.toBeDefined();
    const { customAttributes } = await first.connection.operatorService.listSearchAttributes({ namespace: NAMESPACE });
    expect(customAttributes).toMatchObject({
      CountersignState: 2,
      CountersignReason: 2,
      CountersignType: 2,
      CountersignEndpoints: 7,
    });
    await Promise.all(connections.map(({ close }) => close()));
  });
});
