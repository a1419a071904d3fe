import { Client, Connection } from "@temporalio/client";
import { expect, onTestFinished, test } from "vitest";
import { aConfig } from "../../test/support/a-config.ts";
import { startSilentServer } from "../../test/support/silent-servers.ts";
import { putGate } from "./gate-registry.ts";
import { setLaneRate } from "./lane-queue.ts";
import type { Session } from "./session.ts";

const calls: Readonly<Record<string, (session: Session) => Promise<unknown>>> = {
  "a rate on a lane": async (session) => await setLaneRate(session, "crm", { ratePerSecond: 0, reason: "held" }),
  "an entry of the registry": async (session) => await putGate(session, "crm", { state: "paused", until: null }),
};

test.each(Object.keys(calls))("%s is given up once the session's own deadline is over", async (name) => {
  const server = await startSilentServer();
  const connection = Connection.lazy({ address: server.address });
  onTestFinished(async () => {
    await connection.close();
    await server.close();
  });
  const session: Session = {
    client: new Client({ connection }),
    config: aConfig({ baseUrl: "http://127.0.0.1:1", endpoints: { crm: {} } }),
    eager: false,
    deadlineMs: 200,
    prepared: async () => {},
    ready: async () => ({ eager: false }),
  };
  const startedMs = performance.now();
  await expect(calls[name]?.(session)).rejects.toMatchObject({ code: "temporal_unreachable" });
  // Without one it is ten seconds.
  expect(performance.now() - startedMs).toBeLessThan(9000);
});
