/** Worker versioning: nothing starts before a version is current, and parked events reach the next build. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Config } from "../../src/config/config.ts";
import { connect, type ConnectedCountersign } from "../../src/client/connect.ts";
import { openStage, type Stage } from "../support/stage.ts";
import { uniqueName } from "../support/temporal.ts";
import { until } from "../support/until.ts";

let stage: Stage;
let far: ConnectedCountersign;
const name = uniqueName("shop");

function configOf(build: string): Config {
  return { ...stage.config, temporal: { ...stage.config.temporal, taskQueue: name }, deployment: { name, build } };
}

beforeAll(async () => {
  stage = await openStage({ endpoints: { crm: {}, bad: {} }, scripts: { bad: [{ status: 400 }, {}] } });
  far = await connect({ config: configOf("1"), address: stage.address });
});

afterAll(async () => {
  await far.close();
  await stage.close();
});

async function makeCurrent(buildId: string): Promise<void> {
  const { temporal } = stage;
  const { namespace } = temporal.options;
  await until(`build ${buildId} is current`, async () => {
    const request = { namespace, deploymentName: name, buildId, version: `${name}.${buildId}`, identity: "test" };
    // Refused until the server has seen a poller of that build.
    return await temporal.workflowService.setWorkerDeploymentCurrentVersion(request).then(
      () => true,
      () => false,
    );
  });
}

test("a deployment refuses starts without a current version, and carries parked events to the next build", async () => {
  const event = (type: string) => ({ source: "shop", id: uniqueName(type), type });
  const first = await stage.startWorker({ config: configOf("1") });
  await expect(far.submit(event("crm"))).rejects.toMatchObject({
    code: "server_unavailable",
    message: expect.stringContaining(`set-current-version --deployment-name ${name} --build-id 1`),
  });

  await makeCurrent("1");
  const delivered = await far.submit(event("crm"));
  expect((await far.settled(delivered.key)).state).toBe("delivered");
  const parked = await first.client.submit(event("bad"));
  expect((await far.settled(parked.key)).state).toBe("needs-attention");

  await first.stop();
  await stage.startWorker({ config: configOf("2") });
  await makeCurrent("2");
  expect(await far.replay(parked.key, { actor: "ana@example.com", reason: "new build" })).toMatchObject({
    counted: true,
  });
  expect((await far.settled(parked.key)).state).toBe("delivered");
});
