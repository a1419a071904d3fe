import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectClient } from "../../src/temporal/connect.ts";
import { connectNative } from "../../src/temporal/connect-native.ts";
import { claimPort } from "../../src/temporal/free-port.ts";
import { type BadServer, startRefusingServer, startSilentServer } from "../support/silent-servers.ts";
import { startBreakableLink } from "../support/breakable-link.ts";
import { temporalAddress } from "../support/temporal.ts";
import { until } from "../support/until.ts";

const temporal = { namespace: "from-config", taskQueue: "countersign" };
const API_KEY = "key-that-must-not-be-seen";
let home: string;
let silent: BadServer;
let refusing: BadServer;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "countersign-connect-"));
  silent = await startSilentServer();
  refusing = await startRefusingServer(() => 16);
});

afterAll(async () => {
  await Promise.all([silent.close(), refusing.close()]);
  await rm(home, { recursive: true, force: true });
});

describe.each([
  ["client", connectClient],
  ["native", connectNative],
] as const)("a %s connection", (_kind, connect) => {
  test("reaches the server TEMPORAL_ADDRESS names, in the configured namespace", async () => {
    const connected = await connect({
      temporal,
      environment: { TEMPORAL_ADDRESS: temporalAddress(), TEMPORAL_NAMESPACE: "" },
    });
    expect(connected).toMatchObject({ address: temporalAddress(), namespace: "from-config" });
    expect((await connected.connection.workflowService.getSystemInfo({})).serverVersion).toMatch(/^\d+\.\d+/);
    await connected.close();
  });

  test("lets TEMPORAL_NAMESPACE win over the configuration", async () => {
    const connected = await connect({
      temporal,
      environment: { TEMPORAL_ADDRESS: temporalAddress(), TEMPORAL_NAMESPACE: "from-variable" },
    });
    expect([connected.namespace, connected.client.options.namespace]).toEqual(["from-variable", "from-variable"]);
    await connected.close();
  });

  test("takes address and namespace from a TOML profile", async () => {
    const file = join(home, `${_kind}.toml`);
    await writeFile(file, `[profile.staging]\naddress = "${temporalAddress()}"\nnamespace = "from-profile"\n`);
    const connected = await connect({
      temporal,
      environment: { TEMPORAL_CONFIG_FILE: file, TEMPORAL_PROFILE: "staging" },
    });
    expect(connected).toMatchObject({ address: temporalAddress(), namespace: "from-profile" });
    await connected.close();
  });

  test("ignores variables for a server this process started itself", async () => {
    const environment = { TEMPORAL_ADDRESS: silent.address, TEMPORAL_NAMESPACE: "other", TEMPORAL_API_KEY: API_KEY };
    const connected = await connect({ temporal, environment, address: temporalAddress() });
    expect(connected).toMatchObject({ address: temporalAddress(), namespace: "from-config" });
    await connected.close();
  });

  test("gives up at the deadline when the server is silent, and says where and what to do", async () => {
    const failure = await connect({
      temporal,
      environment: { TEMPORAL_ADDRESS: silent.address },
      deadlineMs: 1_500,
    }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "temporal_unreachable", details: { address: silent.address } });
    expect(String(failure)).toContain(`at ${silent.address}: start one with \`countersign dev\``);
  });

  test("gives up long before the deadline when nothing listens on a loopback port", async () => {
    const nobody = await claimPort("127.0.0.1", 0);
    if (nobody.kind !== "free") throw new Error("no free port");
    // The deadline is far beyond this test's own time-out.
    const request = {
      temporal,
      environment: { TEMPORAL_ADDRESS: `127.0.0.1:${nobody.port}` },
      deadlineMs: 10 * 60_000,
    };
    await expect(connect(request)).rejects.toMatchObject({ code: "temporal_unreachable" });
  });

  test("tells refused credentials from a missing server and keeps them to itself", async () => {
    const environment = { TEMPORAL_ADDRESS: refusing.address, TEMPORAL_API_KEY: API_KEY, TEMPORAL_TLS: "false" };
    const failure = await connect({ temporal, environment }).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: "temporal_unreachable",
      message: expect.stringContaining("refuses these credentials"),
    });
    expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure))).not.toContain(API_KEY);
  });
});

describe("a connection profile", () => {
  test("that does not exist is a configuration error naming it", async () => {
    const environment = { TEMPORAL_CONFIG_FILE: join(home, "none.toml"), TEMPORAL_PROFILE: "nowhere" };
    await expect(connectClient({ temporal, environment })).rejects.toMatchObject({
      code: "config_invalid",
      message: expect.stringContaining("nowhere"),
    });
  });

  test("that cannot be parsed is a configuration error without the offending line", async () => {
    const file = join(home, "broken.toml");
    await writeFile(file, `[profile.default]\napi_key = "${API_KEY}\n`);
    const failure = await connectClient({ temporal, environment: { TEMPORAL_CONFIG_FILE: file } }).catch(
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({ code: "config_invalid" });
    expect(failure).not.toHaveProperty("cause");
    expect(String(failure)).not.toContain(API_KEY);
  });
});

test("a connection that is taken and never answered is given up for a new one", async () => {
  const link = await startBreakableLink(temporalAddress());
  const connected = await connectThrough(link.address);
  await ask(connected);
  link.swallow();
  await expect(ask(connected)).rejects.toThrow();
  // New connections are good again; the one that hangs stays as it is.
  link.mend();
  await until("it is found again", async () => await ask(connected).then(Boolean, () => false));
  await Promise.all([connected.close(), link.close()]);
});

test("a client connects although another one of its process hangs", async () => {
  const link = await startBreakableLink(temporalAddress());
  const hanging = await connectThrough(link.address);
  link.swallow();
  await expect(ask(hanging)).rejects.toThrow();
  link.mend();
  const connected = await connectThrough(link.address);
  await Promise.all([hanging.close(), connected.close(), link.close()]);
});

const connectThrough = (address: string): ReturnType<typeof connectClient> =>
  connectClient({ temporal, environment: { TEMPORAL_ADDRESS: address } });

const ask = async ({ client }: Awaited<ReturnType<typeof connectClient>>): Promise<unknown> =>
  await client.withDeadline(Date.now() + 2000, async () => await client.workflowService.getSystemInfo({}));
